import { expect } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { TestApp } from './app.ts'
import { type Fields, formOf, postForm, submitPageForm } from './forms.ts'
import type { Owner } from './make.ts'

/** The password that `make.owner` sets for every account. */
export const PASSWORD = 'correct horse battery'

type Reply = Awaited<ReturnType<TestApp['request']>>
export type Person = Awaited<ReturnType<typeof signIn>>

/** Submits the sign-in form, optionally from its own IP address and with a cookie. */
export async function trySignIn(
  app: TestApp,
  fields: Record<string, string>,
  from: { address?: string; cookie?: string } = {},
): Promise<Reply> {
  return submitPageForm(app, '/console/sign-in', fields, from)
}

/** Signs in by the form and returns the signed-in browser. */
export async function signIn(app: TestApp, email: string, address?: string) {
  const reply = await trySignIn(app, { email, password: PASSWORD }, address ? { address } : {})
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console'])
  return openSession(app, sessionCookieOf(reply), address)
}

/** Returns a browser signed in as an owner, without the form, which is rate-limited. */
export async function signedIn(
  app: TestApp,
  { account }: { account: Pick<Owner['account'], 'id'> },
  address?: string,
) {
  const token = await createSession(scopeOf(app.services, account.id))
  return openSession(app, `brevis_session=${token}`, address)
}

/** Returns a browser with this session cookie, optionally with its own IP address. */
export function openSession(app: TestApp, cookie: string, address?: string) {
  const connection = address === undefined ? {} : { remoteAddress: address }
  const open = (url: string) => app.request({ url, headers: { cookie }, ...connection })
  let csrf = ''
  return {
    cookie,
    open,
    /** Submits a console form with the session's form token, read from the overview page. */
    async send(url: string, fields: Fields = {}) {
      csrf ||= formOf(await open('/console')).csrf
      return postForm(app, url, { csrf, ...fields }, { cookie, ...(address && { address }) })
    },
  }
}

/** Returns the session cookie that a reply sets, in the format of a request, or ''. */
export function sessionCookieOf({ cookies }: Reply): string {
  const cookie = cookies.find(({ name }) => name.endsWith('brevis_session'))
  return cookie ? `${cookie.name}=${cookie.value}` : ''
}

import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import { type Fields, formOf, postForm } from './forms.ts'

/** The password that `make.owner` gives every account. */
export const PASSWORD = 'correct horse battery'

type Reply = Awaited<ReturnType<TestApp['request']>>
export type Person = Awaited<ReturnType<typeof signIn>>

/** The sign-in form, filled in and sent. */
export async function trySignIn(
  t: TestApp,
  fields: Record<string, string>,
  { address, cookie = '' }: { address?: string; cookie?: string } = {},
): Promise<Reply> {
  const form = formOf(await t.request({ url: '/console/sign-in', headers: { cookie } }))
  return postForm(
    t,
    '/console/sign-in',
    { csrf: form.csrf, ...fields },
    { cookie: [form.cookie, cookie].filter(Boolean).join('; '), ...(address && { address }) },
  )
}

/** Somebody who is signed in, and what they do in their browser. */
export async function signIn(t: TestApp, email: string, address?: string) {
  const reply = await trySignIn(t, { email, password: PASSWORD }, address ? { address } : {})
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console'])
  return personWith(t, sessionCookieOf(reply), address)
}

/** Somebody whose browser holds this cookie, at an address of its own if one is given. */
export function personWith(t: TestApp, cookie: string, address?: string) {
  const from = address === undefined ? {} : { remoteAddress: address }
  const open = (url: string) => t.request({ url, headers: { cookie }, ...from })
  return {
    cookie,
    open,
    /** Sends a form of the console with the token that the overview hands out. */
    async send(url: string, fields: Fields = {}) {
      const { csrf } = formOf(await open('/console'))
      return postForm(t, url, { csrf, ...fields }, { cookie, ...(address && { address }) })
    },
  }
}

/** The session's cookie as a browser would send it back. */
export function sessionCookieOf({ cookies }: Reply): string {
  const cookie = cookies.find(({ name }) => name.endsWith('brevis_session'))
  return cookie ? `${cookie.name}=${cookie.value}` : ''
}

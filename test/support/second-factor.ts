import { expect } from 'vitest'
import { computeCode, getStep } from '../../src/identity/second-factor/one-time-codes.service.ts'
import { newAddress } from './addresses.ts'
import type { TestApp } from './app.ts'
import type { createAuthenticator } from './authenticator.ts'
import { PASSWORD, type Person, sessionCookieOf, trySignIn } from './console.ts'
import { formOf, postForm, unescapeHtml } from './forms.ts'

export const SETTINGS = '/console/account/second-factor'
export const VERIFY = '/console/sign-in/verify'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

type Reply = Awaited<ReturnType<TestApp['request']>>
export type AuthenticatorApp = Awaited<ReturnType<typeof turnOnCodes>>

/** Turns on one-time codes in the settings, and returns the authenticator app. */
export async function turnOnCodes(app: TestApp, person: Pick<Person, 'send'>) {
  const setup = await person.send(`${SETTINGS}/codes`, { codesPassword: PASSWORD })
  expect(setup.statusCode).toBe(200)
  const phone = createAuthenticatorApp(app, secretIn(setup.body))
  const reply = await person.send(`${SETTINGS}/codes/confirm`, { code: phone.code() })
  expect([200, 303]).toContain(reply.statusCode)
  return { ...phone, recoveryCodes: recoveryCodesIn(reply.body) }
}

/** Creates an authenticator app with this secret. `code` is ahead of time by this many `steps`. */
export function createAuthenticatorApp({ clock }: Pick<TestApp, 'clock'>, secret: Buffer) {
  return {
    secret,
    code: (steps = 0) => computeCode(secret, getStep(clock()) + steps),
    /** Returns six digits that are not a valid code now. */
    wrongCode: () => {
      const valid = [-1, 0, 1].map((steps) => computeCode(secret, getStep(clock()) + steps))
      return ['000000', '111111', '222222', '333333'].find((code) => !valid.includes(code)) ?? ''
    },
  }
}

/** Returns the decoded secret from the page that shows it. */
export function secretIn(body: string): Buffer {
  const text = /id="secret">([A-Z2-7]{32})</.exec(body)?.[1] ?? ''
  const bits = Array.from(text, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  expect(bytes.length).toBe(20)
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}

/** Returns the recovery codes on a page. */
export function recoveryCodesIn(body: string): string[] {
  return body.match(/\b[a-z2-7]{4}(?:-[a-z2-7]{4}){3}\b/g) ?? []
}

/** Returns the options that a page passes to the browser's passkey API. */
export function passkeyOptionsIn(body: string) {
  const text = /data-options="([^"]*)"/.exec(body)?.[1] ?? '{}'
  return JSON.parse(unescapeHtml(text))
}

/** Adds a passkey in the settings. Returns the reply to its last form. */
export async function addPasskey(
  person: Pick<Person, 'send'>,
  authenticator: Pick<ReturnType<typeof createAuthenticator>, 'create'>,
  passkeyName = 'Phone',
) {
  const fields = { passkeyName, passkeyPassword: PASSWORD }
  const page = await person.send(`${SETTINGS}/passkeys`, fields)
  expect(page.statusCode).toBe(200)
  const credential = authenticator.create(passkeyOptionsIn(page.body))
  return person.send(`${SETTINGS}/passkeys/add`, { credential })
}

/** Starts a sign-in with only a passkey, and returns its second step. */
export async function startPasskeySignIn(app: TestApp, address = newAddress()) {
  const form = formOf(await app.request({ url: '/console/sign-in' }))
  const path = '/console/sign-in/passkey'
  const reply = await postForm(app, path, { csrf: form.csrf }, { cookie: form.cookie, address })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, VERIFY])
  return openSecondStep(app, pendingCookieOf(reply), address)
}

/** Returns the cookie between the two steps of signing in. */
export function pendingCookieOf({ cookies }: Reply): string {
  const cookie = cookies.find(({ name, value }) => name.endsWith('brevis_sign_in') && value !== '')
  return cookie ? `${cookie.name}=${cookie.value}` : ''
}

type FirstStepOptions = { address?: string; password?: string }

/** Completes the first step of a sign-in, by password, and opens the second. */
export async function completeFirstStep(
  app: TestApp,
  email: string,
  { address = newAddress(), password = PASSWORD }: FirstStepOptions = {},
) {
  const reply = await trySignIn(app, { email, password }, { address })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, VERIFY])
  expect(sessionCookieOf(reply)).toBe('')
  return openSecondStep(app, pendingCookieOf(reply), address)
}

/** Opens the second step of a sign-in with this cookie. */
export async function openSecondStep(app: TestApp, cookie: string, address = newAddress()) {
  const page = await app.request({ url: VERIFY, headers: { cookie }, remoteAddress: address })
  const form = formOf(page)
  const cookies = [cookie, form.cookie].filter(Boolean).join('; ')
  return {
    cookie,
    address,
    page,
    options: passkeyOptionsIn(page.body),
    sendPasskey: (credential: string) =>
      postForm(
        app,
        `${VERIFY}/passkey`,
        { csrf: form.csrf, credential },
        { cookie: cookies, address },
      ),
    send: (code: string, fields: Record<string, string> = {}) =>
      postForm(app, VERIFY, { csrf: form.csrf, code, ...fields }, { cookie: cookies, address }),
  }
}

import { expect } from 'vitest'
import { deriveFormToken, maskToken } from '../../src/http/html/form-token.ts'
import { newAddress } from '../support/addresses.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn } from '../support/console.ts'
import { postForm } from '../support/forms.ts'
import { providerTest } from '../support/provider-test.ts'
import {
  completeFirstStep,
  pendingCookieOf,
  SETTINGS,
  turnOnCodes,
} from '../support/second-factor.ts'

const test = providerTest()

test('signing in with a connected identity needs no second factor, but a matching email does', async ({
  app,
  make,
  provider,
  confirm,
  followSignIn,
  signInAs,
}) => {
  const { email } = (await make.owner()).account
  await confirm(email)
  const person = await signIn(app, email, newAddress())
  await turnOnCodes(app, person)
  const identity = { sub: `of-${email}`, email, email_verified: true }
  const rejected = await signInAs(identity)
  expect([rejected.statusCode, sessionCookieOf(rejected)]).toEqual([403, ''])
  expect(rejected.body).toContain('connect your provider under Settings')
  const start = await person.send('/console/settings/connect', { currentPassword: PASSWORD })
  const [, url = ''] = /content="0; url=([^"]*)"/.exec(start.body) ?? []
  provider.state.person = identity
  const { finish } = await followSignIn(start, url.replaceAll('&amp;', '&'), {
    cookie: person.cookie,
  })
  expect((await finish()).headers.location).toBe('/console/settings')
  const confirmed = await signInAs(identity)
  expect([confirmed.statusCode, confirmed.headers.location]).toEqual([303, '/console'])
  app.clock.advance(60)
  await completeFirstStep(app, email)
})

test('a user without a password adds a second factor after signing in again', async ({
  app,
  signInAs,
}) => {
  const identity = { sub: 'no-password', email: 'no-password@example.org', email_verified: true }
  const person = openSession(app, sessionCookieOf(await signInAs(identity)), newAddress())
  expect((await person.open(SETTINGS)).body).not.toContain('name="codesPassword"')
  await turnOnCodes(app, person)
  app.clock.advance(601)
  const lateRemoval = await person.send(`${SETTINGS}/codes/remove`, {})
  expect([lateRemoval.statusCode, lateRemoval.body]).toEqual([
    403,
    expect.stringContaining('Sign in again'),
  ])
  const again = openSession(app, sessionCookieOf(await signInAs(identity)), newAddress())
  expect((await again.send(`${SETTINGS}/codes/remove`, {})).statusCode).toBe(303)
})

test('PASSWORD_SIGN_IN=off disables passkeys', async ({ openApp, provider }) => {
  const off = { ...provider.settings, BASE_URL: 'https://brev.test', PASSWORD_SIGN_IN: 'off' }
  const app = await openApp(off)
  const page = await app.request({ url: '/console/sign-in' })
  expect(page.body).not.toContain('Use a passkey')
  const secret = 'x'.repeat(32)
  const csrf = maskToken(deriveFormToken(secret))
  const cookie = `brevis_form=${secret}`
  const reply = await postForm(app, '/console/sign-in/passkey', { csrf }, { cookie })
  expect([reply.statusCode, reply.body]).toEqual([403, expect.stringContaining('turned off')])
  expect(pendingCookieOf(reply)).toBe('')
})

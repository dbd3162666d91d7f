import { describe, expect } from 'vitest'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn, trySignIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { createPasswordReset } from '../support/password-reset.ts'
import {
  completeFirstStep,
  openSecondStep,
  pendingCookieOf,
  SETTINGS,
  turnOnCodes,
  VERIFY,
} from '../support/second-factor.ts'
import { signInTest } from '../support/sign-in-test.ts'

const NEW_PASSWORD = 'another good password'

const test = signInTest()
  .extend('home', () => newAddress())
  .extend('person', ({ app, email, home }) => signIn(app, email, home))
  .extend('phone', async ({ app, person }) => {
    const phone = await turnOnCodes(app, person)
    app.clock.advance(60)
    return phone
  })

/** Sends a wrong code `count` times in a new sign-in, and returns the status of each reply. */
async function sendWrongCodes(
  app: TestApp,
  email: string,
  code: string,
  count: number,
  from?: string,
) {
  const { send } = await completeFirstStep(app, email, from === undefined ? {} : { address: from })
  const statuses: number[] = []
  for (let index = 0; index < count; index += 1) statuses.push((await send(code)).statusCode)
  return statuses
}

describe('guesses of one-time codes', () => {
  test('are limited per IP address and per user, even across sign-ins', async ({
    app,
    email,
    phone,
  }) => {
    const firstAddress = newAddress()
    const secondAddress = newAddress()
    const thirdAddress = newAddress()
    const wrong = phone.wrongCode()
    expect(await sendWrongCodes(app, email, wrong, 3, firstAddress)).toEqual([422, 422, 422])
    expect(await sendWrongCodes(app, email, wrong, 3, firstAddress)).toEqual([422, 422, 429])
    expect(await sendWrongCodes(app, email, wrong, 6, secondAddress)).toEqual([
      422, 422, 422, 422, 422, 429,
    ])
    const { send } = await completeFirstStep(app, email, { address: thirdAddress })
    const lateReply = await send(phone.code())
    expect([lateReply.statusCode, sessionCookieOf(lateReply)]).toEqual([429, ''])
    expect(Number(lateReply.headers['retry-after'])).toBeGreaterThan(0)
    expect(lateReply.body).toContain('Too many attempts. Try again in a minute.')
  })

  test('are limited when submitted concurrently', async ({ app, email, phone }) => {
    const { send } = await completeFirstStep(app, email)
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(phone.wrongCode())))
    const wrongCodeReplies = replies.filter(({ statusCode }) => statusCode === 422)
    expect(wrongCodeReplies).toHaveLength(5)
  })

  test('do not lock out an IP address that has sent a correct code', async ({
    app,
    email,
    home,
    phone,
  }) => {
    const correct = await completeFirstStep(app, email, { address: home })
    expect((await correct.send(phone.code())).statusCode).toBe(303)
    for (const address of [newAddress(), newAddress()]) {
      await sendWrongCodes(app, email, phone.wrongCode(), 6, address)
    }
    const { send } = await completeFirstStep(app, email, { address: home })
    expect((await send(phone.code(1))).statusCode).toBe(303)
  })

  test('are limited to a hundred a day, except recovery codes', async ({ app, email, phone }) => {
    await sendWrongCodes(app, email, phone.wrongCode(), 1)
    const { rowCount } = await app.services.database.pool.query(
      `update rate_windows set hits = 100 where subject like 'day:all-code-as:%' and hits = 1`,
    )
    expect(rowCount).toBe(1)
    const { send } = await completeFirstStep(app, email)
    const lateReply = await send(phone.code())
    expect([lateReply.statusCode, lateReply.body]).toEqual([
      429,
      expect.stringContaining('Too many wrong codes today.'),
    ])
    expect((await send(phone.recoveryCodes[0] ?? '')).statusCode).toBe(303)
  })

  test('are limited separately from passwords', async ({ app, email, phone }) => {
    const { send } = await completeFirstStep(app, email)
    for (const address of [newAddress(), newAddress()]) {
      for (let count = 0; count < 6; count += 1) {
        await trySignIn(app, { email, password: 'a guess' }, { address })
      }
    }
    expect((await send(phone.code())).statusCode).toBe(303)
  })

  test('also count in the console', async ({ app, email, person, phone }) => {
    const statuses: number[] = []
    for (let count = 0; count < 6; count += 1) {
      const fields = { codesProof: phone.wrongCode() }
      statuses.push((await person.send(`${SETTINGS}/codes/remove`, fields)).statusCode)
    }
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
    await completeFirstStep(app, email)
  })
})

test('a wrong password does not reveal whether the user has a second factor, and a correct password does not reveal the code', async ({
  app,
  make,
  email,
  phone: _,
}) => {
  const withoutFactor = (await make.owner()).account.email
  const bodies = []
  for (const [enteredEmail, address] of [
    [email, newAddress()],
    [withoutFactor, newAddress()],
  ] as const) {
    const reply = await trySignIn(app, { email: enteredEmail, password: 'a guess' }, { address })
    expect([reply.statusCode, pendingCookieOf(reply)]).toEqual([422, ''])
    bodies.push(
      reply.body
        .replace(/name="csrf" value="[^"]+"/, '')
        .replaceAll(/nonce="[^"]+"/g, '')
        .replace(enteredEmail, ''),
    )
  }
  expect(bodies[0]).toBe(bodies[1])
})

test('a reset link sets the password and continues to the second step', async ({
  app,
  owner,
  email,
  person,
  phone,
}) => {
  const { url } = await createPasswordReset(app.services, app.services.db, owner.account.id)
  const path = new URL(url).pathname
  const form = formOf(await app.request({ url: path }))
  const fields = { csrf: form.csrf, newPassword: NEW_PASSWORD }
  const reply = await postForm(app, path, fields, { cookie: form.cookie, address: newAddress() })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, VERIFY])
  expect(sessionCookieOf(reply)).toBe('')
  expect((await person.open('/console')).statusCode).toBe(303)
  const { send } = await openSecondStep(app, pendingCookieOf(reply))
  expect((await send(phone.wrongCode())).statusCode).toBe(422)
  const verified = await send(phone.code())
  const signedIn = openSession(app, sessionCookieOf(verified))
  expect((await signedIn.open('/console')).statusCode).toBe(200)
  const rejected = await trySignIn(app, { email, password: PASSWORD }, { address: newAddress() })
  expect(rejected.statusCode).toBe(422)
})

test('an API key works without the second factor but cannot remove it', async ({
  app,
  owner,
  email,
  phone,
}) => {
  const headers = { authorization: `Bearer ${owner.key}` }
  expect((await app.request({ url: '/api/account', headers })).statusCode).toBe(200)
  const update = await app.request({
    method: 'PUT',
    url: '/api/account/update',
    headers,
    payload: { email, password: NEW_PASSWORD },
  })
  expect(update.statusCode).toBe(200)
  const { send } = await completeFirstStep(app, email, { password: NEW_PASSWORD })
  expect((await send(phone.code())).statusCode).toBe(303)
})

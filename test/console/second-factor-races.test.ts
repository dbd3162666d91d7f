import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { addFactor } from '../../src/identity/second-factor/change-factor.ts'
import { storeOneTimeCodes } from '../../src/identity/second-factor/one-time-codes.queries.ts'
import { generateSecret } from '../../src/identity/second-factor/one-time-codes.service.ts'
import { findSession, listSessions, signIn } from '../../src/identity/session.service.ts'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn as signInAs } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { isWaitingForLock } from '../support/lock-waits.ts'
import { createPasswordReset } from '../support/password-reset.ts'
import {
  completeFirstStep,
  createAuthenticatorApp,
  openSecondStep,
  pendingCookieOf,
  SETTINGS,
  secretIn,
  turnOnCodes,
} from '../support/second-factor.ts'
import { signInTest } from '../support/sign-in-test.ts'

const test = signInTest()
  .extend('person', ({ app, email }) => signInAs(app, email, newAddress()))
  .extend('phone', async ({ app, person }) => {
    const phone = await turnOnCodes(app, person)
    app.clock.advance(60)
    return phone
  })

/** Returns the session of a cookie. */
async function findSessionOf({ services }: TestApp, cookie: string) {
  const session = await findSession(services, services.db, cookie.slice(cookie.indexOf('=') + 1))
  if (!session) throw new Error('the session has ended')
  return session
}

test('rejects a sign-in whose password was checked before the factor was added', async ({
  app,
  email,
  person,
}) => {
  const { services } = app
  const session = await findSessionOf(app, person.cookie)
  const credentials = { email, password: PASSWORD, address: newAddress() }
  let concurrentSignIn: ReturnType<typeof signIn> | undefined
  await addFactor(services.db, session, async (tx) => {
    concurrentSignIn = signIn(services, services.db, credentials)
    while (!(await isWaitingForLock(services.database.pool))) await wait(10)
    const setup = { secret: generateSecret(), lastStep: 0, now: services.clock() }
    await storeOneTimeCodes(tx, session.user.id, setup)
  })
  expect(await concurrentSignIn).toMatchObject({ pending: expect.any(String), user: { email } })
  const sessions = await listSessions(services, services.db, session.user.id)
  expect(sessions.map(({ id }) => id)).toEqual([session.id])
})

test('a second concurrent setup does not replace the first', async ({ app, email, person }) => {
  const secondSetup = await person.send(`${SETTINGS}/codes`, { codesPassword: PASSWORD })
  const secondPhone = createAuthenticatorApp(app, secretIn(secondSetup.body))
  const { services } = app
  const session = await findSessionOf(app, person.cookie)
  const firstPhone = createAuthenticatorApp(app, generateSecret())
  await addFactor(services.db, session, async (tx) => {
    const setup = { secret: firstPhone.secret, lastStep: 0, now: services.clock() }
    await storeOneTimeCodes(tx, session.user.id, setup)
  })
  const reply = await person.send(`${SETTINGS}/codes/confirm`, { code: secondPhone.code() })
  expect(reply.statusCode).toBe(403)
  const { send } = await completeFirstStep(app, email)
  expect((await send(firstPhone.code())).statusCode).toBe(303)
})

describe('a sign-in between its two steps ends', () => {
  const newPassword = 'another good password'

  test('with all other sessions', async ({ app, email, person, phone }) => {
    const { send } = await completeFirstStep(app, email)
    await person.send('/console/account/sessions/end-others')
    expect((await send(phone.code())).statusCode).toBe(403)
  })

  test('when the password changes after its reset link', async ({ app, owner, phone }) => {
    const resetPassword = async (password: string) => {
      const { url } = await createPasswordReset(app.services, app.services.db, owner.account.id)
      const path = new URL(url).pathname
      const form = formOf(await app.request({ url: path }))
      const fields = { csrf: form.csrf, newPassword: password }
      const from = { cookie: form.cookie, address: newAddress() }
      return openSecondStep(app, pendingCookieOf(await postForm(app, path, fields, from)))
    }
    const attackersStep = await resetPassword('a password of an attacker')
    const ownStep = await resetPassword(newPassword)
    expect((await attackersStep.send(phone.code())).statusCode).toBe(403)
    expect((await ownStep.send(phone.code())).statusCode).toBe(303)
  })

  test('when its user is deleted', async ({ app, make, owner, email, phone }) => {
    await make.owner()
    const { send } = await completeFirstStep(app, email)
    await app.services.database.pool.query('delete from accounts where id = $1', [owner.account.id])
    await app.services.database.pool.query('delete from users where email = $1', [email])
    expect((await send(phone.code())).statusCode).toBe(403)
  })
})

test('turning codes off while signing in with one does not deadlock', async ({
  app,
  email,
  person,
  phone,
}) => {
  for (let round = 0; round < 3; round += 1) {
    const { send } = await completeFirstStep(app, email)
    const [removal, signInReply] = await Promise.all([
      person.send(`${SETTINGS}/codes/remove`, { codesProof: PASSWORD }),
      send(phone.code()),
    ])
    expect(removal.statusCode).toBe(303)
    expect([303, 403]).toContain(signInReply.statusCode)
    // In either order, the sign-in with the code has no session in the end.
    const otherSession = openSession(app, sessionCookieOf(signInReply))
    expect((await otherSession.open('/console')).statusCode).toBe(303)
    phone = { ...phone, ...(await turnOnCodes(app, person)) }
    app.clock.advance(60)
  }
})

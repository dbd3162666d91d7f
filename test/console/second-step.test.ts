import { describe, expect } from 'vitest'
import { deleteExpired } from '../../src/identity/expired-rows.queries.ts'
import { newAddress } from '../support/addresses.ts'
import { PASSWORD, sessionCookieOf, signIn, trySignIn } from '../support/console.ts'
import {
  completeFirstStep,
  openSecondStep,
  pendingCookieOf,
  SETTINGS,
  turnOnCodes,
} from '../support/second-factor.ts'
import { signInTest } from '../support/sign-in-test.ts'

const test = signInTest()
  .extend('person', ({ app, email }) => signIn(app, email, newAddress()))
  .extend('phone', async ({ app, person }) => {
    const phone = await turnOnCodes(app, person)
    app.clock.advance(60)
    return phone
  })

describe('the state between password and code', () => {
  test('allows only the second step', async ({ app, email, phone: _ }) => {
    const { cookie } = await completeFirstStep(app, email)
    const token = cookie.slice(cookie.indexOf('=') + 1)
    for (const value of [cookie, `brevis_session=${token}`]) {
      for (const url of ['/console', '/console/links', SETTINGS, '/console/account']) {
        const reply = await app.request({ url, headers: { cookie: value } })
        expect([url, reply.statusCode]).toEqual([url, 303])
        expect(String(reply.headers.location)).toMatch(/^\/console\/sign-in/)
      }
    }
  })

  test('has a cookie for sign-in pages only, which expires after ten minutes', async ({
    app,
    email,
    phone,
  }) => {
    const reply = await trySignIn(app, { email, password: PASSWORD }, { address: newAddress() })
    const cookie = String(
      [reply.headers['set-cookie']].flat().find((each) => /sign_in=/.test(String(each))),
    )
    expect(cookie).toMatch(
      /^brevis_sign_in=[\w-]{43}; Max-Age=600; Path=\/console\/sign-in; HttpOnly; SameSite=Lax$/,
    )
    const { send } = await openSecondStep(app, pendingCookieOf(reply))
    app.clock.advance(601)
    const expired = await send(phone.code())
    expect([expired.statusCode, expired.body]).toEqual([
      403,
      expect.stringContaining('Sign in again'),
    ])
    expect(String(expired.headers['set-cookie'])).toMatch(/^brevis_sign_in=; Max-Age=0; Path=/)
  })

  test('ends when the password changes', async ({ app, email, person, phone }) => {
    const { send } = await completeFirstStep(app, email)
    const fields = { currentPassword: PASSWORD, newPassword: 'another good password' }
    expect((await person.send('/console/account/password', fields)).statusCode).toBe(303)
    expect((await send(phone.code())).statusCode).toBe(403)
  })

  test('ends when the second factor is turned off', async ({ app, email, person, phone }) => {
    const { send } = await completeFirstStep(app, email)
    await person.send(`${SETTINGS}/codes/remove`, { codesProof: PASSWORD })
    expect((await send(phone.code())).statusCode).toBe(403)
    await signIn(app, email, newAddress())
  })

  test('requires the form token', async ({ app, email, phone }) => {
    const { send } = await completeFirstStep(app, email)
    const reply = await send(phone.code(), { csrf: 'x' })
    expect([reply.statusCode, sessionCookieOf(reply)]).toEqual([403, ''])
    expect((await send(phone.code())).statusCode).toBe(303)
  })

  test.for(['', 'x', 'A'.repeat(43), '%00'])(
    'is not reached with the unknown cookie %j',
    async (value, { app }) => {
      const { page, send } = await openSecondStep(app, `brevis_sign_in=${value}`)
      expect([page.statusCode, page.headers.location]).toEqual([303, '/console/sign-in'])
      const reply = await send('000000')
      expect([reply.statusCode, sessionCookieOf(reply)]).toEqual([403, ''])
    },
  )

  test('creates a session with a new token and ends the previous one', async ({
    app,
    make,
    email,
    phone,
  }) => {
    const previousSession = await signIn(app, (await make.owner()).account.email, newAddress())
    const { cookie } = await completeFirstStep(app, email)
    const { send } = await openSecondStep(app, `${cookie}; ${previousSession.cookie}`)
    const reply = await send(phone.code())
    expect(reply.statusCode).toBe(303)
    expect(sessionCookieOf(reply)).not.toBe(previousSession.cookie)
    expect(sessionCookieOf(reply)).not.toContain(cookie.slice(cookie.indexOf('=') + 1))
    expect((await previousSession.open('/console')).statusCode).toBe(303)
  })
})

test('unfinished sign-ins and setups are deleted an hour after they expire', async ({
  app,
  email,
  phone: _,
}) => {
  const { pool, db } = app.services.database
  await completeFirstStep(app, email)
  const readCounts = async () => {
    const counts = await pool.query(
      `select (select count(*)::int from pending_sign_ins) as pending,
              (select count(*)::int from factor_setups) as setups`,
    )
    return counts.rows[0]
  }
  await pool.query(
    `insert into factor_setups (session_id, kind, secret, expires_at)
     select id, 'codes', '', now() from sessions on conflict do nothing`,
  )
  await deleteExpired(db)
  expect(await readCounts()).toMatchObject({ setups: expect.toSatisfy((count) => count > 0) })
  for (const table of ['pending_sign_ins', 'factor_setups']) {
    await pool.query(`update ${table} set expires_at = now() - interval '61 minutes'`)
  }
  await deleteExpired(db)
  expect(await readCounts()).toEqual({ pending: 0, setups: 0 })
})

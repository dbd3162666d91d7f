import { describe, expect } from 'vitest'
import { listLogLines } from '../../src/operator-log/operator-log.service.ts'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { commandLine, runCommand } from '../support/command.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn, trySignIn } from '../support/console.ts'
import { postForm } from '../support/forms.ts'
import { canSignIn, NEW_PASSWORD, passwordResetTest } from '../support/password-reset.ts'

const test = passwordResetTest()

test('a reset link sets a new password, signs in and ends all other sessions', async ({
  app,
  owner,
  email,
  createReset,
  submitReset,
}) => {
  const before = await signIn(app, email, newAddress())
  const path = await createReset(owner)
  const page = await app.request({ url: path })
  expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining(email)])
  const reply = await submitReset(path)
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console'])
  const after = openSession(app, sessionCookieOf(reply))
  expect((await after.open('/console')).statusCode).toBe(200)
  expect((await before.open('/console')).statusCode).toBe(303)
  expect(await canSignIn(app, email, PASSWORD)).toBe(false)
  expect(await canSignIn(app, email, NEW_PASSWORD)).toBe(true)
  const subject = email
  const [line] = await listLogLines(app.services.db, { subject }, { limit: 1 })
  expect(line).toMatchObject({ action: 'user.reset-password', actor: 'command line' })
  expect(JSON.stringify(line)).not.toContain(path.slice(-43))
})

test.for(['', 'short', 'x'.repeat(201)])(
  'rejects the password %j and keeps the link valid',
  async (newPassword, { app, owner, createReset, submitReset }) => {
    const path = await createReset(owner)
    const reply = await submitReset(path, newPassword)
    expect(reply.statusCode).toBe(422)
    expect(reply.body).toMatch(/id="newPassword"[^>]*aria-invalid="true"[^>]*autofocus/)
    expect(reply.body).toMatch(/id="newPassword-error" role="alert">Must be 8 to 200 characters/)
    expect(await canSignIn(app, owner.account.email, PASSWORD)).toBe(true)
    expect((await submitReset(path)).statusCode).toBe(303)
  },
)

test('rejects a form without its token, and the link stays valid', async ({
  app,
  owner,
  createReset,
  submitReset,
}) => {
  const path = await createReset(owner)
  const fields = { csrf: 'x', newPassword: NEW_PASSWORD }
  const reply = await postForm(app, path, fields)
  expect([reply.statusCode, sessionCookieOf(reply)]).toEqual([403, ''])
  expect(reply.body).toContain('This form has expired.')
  expect((await submitReset(path)).statusCode).toBe(303)
})

test('the token appears in no header, log or table', async ({ app, owner, createReset }) => {
  const path = await createReset(owner)
  const token = path.slice(-43)
  const page = await app.request({ url: path })
  expect(page.headers).toMatchObject({
    'referrer-policy': 'strict-origin',
    'cache-control': 'private, no-store',
    'x-robots-tag': 'noindex',
  })
  expect(JSON.stringify(page.headers)).not.toContain(token)
  expect(page.body).not.toContain(token)
  const { rows } = await app.services.database.pool.query(
    `select coalesce(string_agg(t::text, ' '), '') as text from (
       select r::text as t from password_resets r union all select l::text from operator_log l
       union all select s::text from sessions s union all select w::text from rate_windows w) all_rows`,
  )
  expect(rows[0]?.text).not.toBe('')
  expect(rows[0]?.text).not.toContain(token)
})

test('the command rejects unknown accounts and CONSOLE=off', async ({ app, email }) => {
  const env = commandLine(app).settings()
  const unknown = await runCommand(['account', 'reset-password', 'no@example.com'], { env })
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    'brevis: There is no user with the email no@example.com.\n',
  ])
  const closed = { ...env, CONSOLE: 'off' }
  const rejected = await runCommand(['account', 'reset-password', email], { env: closed })
  expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining('CONSOLE=off')])
})

describe('while others guess passwords', () => {
  /** Uses up an account's attempts per minute from two IP addresses. */
  async function guessFromTwoAddresses(app: TestApp, email: string): Promise<void> {
    for (const address of [newAddress(), newAddress()]) {
      for (let count = 0; count < 6; count += 1) {
        await trySignIn(app, { email, password: 'a guess' }, { address })
      }
    }
    const lateReply = await trySignIn(app, { email, password: PASSWORD }, { address: newAddress() })
    expect(lateReply.statusCode).toBe(429)
  }

  test('a reset link works from any IP address, as do later sign-ins from that IP address', async ({
    app,
    owner,
    email,
    createReset,
    submitReset,
  }) => {
    const path = await createReset(owner)
    await guessFromTwoAddresses(app, email)
    const address = newAddress()
    const reply = await submitReset(path, NEW_PASSWORD, { address })
    const person = openSession(app, sessionCookieOf(reply), address)
    expect((await person.open('/console')).statusCode).toBe(200)
    const signInReply = await trySignIn(app, { email, password: NEW_PASSWORD }, { address })
    expect(signInReply.statusCode).toBe(303)
    // Forms that require the password accept it, too.
    const fields = { name: 'Mine', scope: 'full', currentPassword: NEW_PASSWORD }
    expect((await person.send('/console/keys', fields)).statusCode).toBe(200)
    const elsewhere = { address: newAddress() }
    expect((await trySignIn(app, { email, password: NEW_PASSWORD }, elsewhere)).statusCode).toBe(
      429,
    )
  })

  test('invalid new passwords do not count as guesses', async ({
    app,
    owner,
    email,
    createReset,
    submitReset,
  }) => {
    const path = await createReset(owner)
    const address = newAddress()
    for (let count = 0; count < 15; count += 1) {
      expect((await submitReset(path, 'short', { address })).statusCode).toBe(422)
    }
    expect((await submitReset(path, NEW_PASSWORD, { address })).statusCode).toBe(303)
    expect(await canSignIn(app, email, NEW_PASSWORD)).toBe(true)
  })
})

test("a reset link ends another user's session in the same browser", async ({
  app,
  make,
  owner,
  createReset,
  submitReset,
}) => {
  const otherOwner = await make.owner()
  const { cookie, open } = await signIn(app, otherOwner.account.email, newAddress())
  const reply = await submitReset(await createReset(owner), NEW_PASSWORD, { cookie })
  expect(sessionCookieOf(reply)).not.toBe('')
  expect((await open('/console')).statusCode).toBe(303)
})

import { describe, expect } from 'vitest'
import { getAccount, updateAccount } from '../../src/accounts/account.service.ts'
import { deleteOwnAccount } from '../../src/accounts/account-deletion.ts'
import { listLogLines } from '../../src/operator/operator-log.service.ts'
import { setSuspended } from '../support/accounts.ts'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { commandLine, runCommand } from '../support/command.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn, trySignIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import type { Owner } from '../support/make.ts'
import { signInTest } from '../support/sign-in-test.ts'

const NEW_PASSWORD = 'another good password'
const LINK_EXPIRED = 'This link has expired or was already used. Request a new one.'

const test = signInTest()
  .extend('createReset', { scope: 'file' }, ({ app }) => {
    const { brevisJson } = commandLine(app)
    /** Creates a reset link with the command line and returns its path. */
    return async ({ account }: Owner): Promise<string> => {
      const enteredEmail = account.email.toUpperCase()
      const created = await brevisJson(['account', 'reset-password', enteredEmail])
      expect(created).toEqual({
        email: account.email,
        url: expect.stringMatching(/^http:\/\/brev\.test\/console\/reset-password\/[\w-]{43}$/),
        expires: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      })
      return new URL(created.url).pathname
    }
  })
  .extend('submitReset', { scope: 'file' }, ({ app }) => {
    /** Opens a reset link, submits its form and returns the reply. */
    return async (path: string, newPassword = NEW_PASSWORD, from: From = {}) => {
      const { cookie = '', address = newAddress() } = from
      const page = await app.request({ url: path, remoteAddress: address, headers: { cookie } })
      const form = formOf(page)
      return postForm(
        app,
        path,
        { csrf: form.csrf, newPassword },
        { cookie: [form.cookie, cookie].filter(Boolean).join('; '), address },
      )
    }
  })

type From = { cookie?: string; address?: string }

/** Returns whether the password signs in from a new IP address. */
async function canSignIn(app: TestApp, email: string, password: string): Promise<boolean> {
  const reply = await trySignIn(app, { email, password }, { address: newAddress() })
  return reply.statusCode === 303
}

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

describe('a reset link is invalid', () => {
  const expectInvalid = async (app: TestApp, path: string) => {
    const page = await app.request({ url: path })
    const form = formOf(await app.request({ url: '/console/sign-in' }))
    const fields = { csrf: form.csrf, newPassword: 'a password of a thief' }
    const sent = await postForm(app, path, fields, { cookie: form.cookie, address: newAddress() })
    for (const reply of [page, sent]) {
      expect([reply.statusCode, reply.body]).toEqual([410, expect.stringContaining(LINK_EXPIRED)])
      expect(sessionCookieOf(reply)).toBe('')
      expect(reply.headers['cache-control']).toBe('private, no-store')
    }
  }

  test('after it was used', async ({ app, owner, email, createReset, submitReset }) => {
    const path = await createReset(owner)
    expect((await submitReset(path)).statusCode).toBe(303)
    await expectInvalid(app, path)
    expect(await canSignIn(app, email, NEW_PASSWORD)).toBe(true)
  })

  test('after an hour', async ({ app, owner, email, createReset }) => {
    // The command uses the machine's clock.
    app.clock.set(new Date().toISOString())
    const path = await createReset(owner)
    app.clock.advance(3500)
    expect((await app.request({ url: path })).statusCode).toBe(200)
    app.clock.advance(700)
    await expectInvalid(app, path)
    app.clock.set(new Date().toISOString())
    expect(await canSignIn(app, email, PASSWORD)).toBe(true)
  })

  test('if a newer link was created, which works', async ({
    app,
    owner,
    createReset,
    submitReset,
  }) => {
    const first = await createReset(owner)
    const second = await createReset(owner)
    await expectInvalid(app, first)
    expect((await submitReset(second)).statusCode).toBe(303)
  })

  test('if the email or the password has changed', async ({ app, owner, createReset }) => {
    for (const change of [{ email: `new-${owner.account.email}` }, { password: NEW_PASSWORD }]) {
      const path = await createReset({
        ...owner,
        account: await getAccount(app.services.db, owner.account.id),
      })
      await updateAccount(app.services, app.services.db, owner.account.id, change)
      await expectInvalid(app, path)
    }
  })

  test.for(['A'.repeat(43), 'x', 'A'.repeat(20_000), '%00', '%F0%9F%91%8D', '..%2f', '%zz'])(
    'if it was never issued: %s',
    async (token, { app }) => {
      const reply = await app.request({ url: `/console/reset-password/${token}` })
      expect([400, 404, 410, 414]).toContain(reply.statusCode)
      expect(sessionCookieOf(reply)).toBe('')
    },
  )
})

test('a reset link works only once for concurrent requests', async ({
  app,
  owner,
  createReset,
  submitReset,
}) => {
  const path = await createReset(owner)
  const passwords = ['the password of one', 'the password of two']
  const replies = await Promise.all(passwords.map((password) => submitReset(path, password)))
  expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([303, 410])
  const winner = replies.findIndex(({ statusCode }) => statusCode === 303)
  expect(await canSignIn(app, owner.account.email, passwords[winner] ?? '')).toBe(true)
  expect(await canSignIn(app, owner.account.email, passwords[1 - winner] ?? '')).toBe(false)
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

test('a suspended account gets no reset link, and existing links stop working', async ({
  app,
  owner,
  email,
  createReset,
  submitReset,
}) => {
  const path = await createReset(owner)
  await setSuspended(app.services, owner.account.id, true)
  for (const reply of [await app.request({ url: path }), await submitReset(path)]) {
    expect([reply.statusCode, reply.body]).toEqual([403, expect.stringContaining('suspended')])
  }
  const env = commandLine(app).settings()
  const { code, stderr } = await runCommand(['account', 'reset-password', email], { env })
  expect([code, stderr]).toEqual([1, 'brevis: This account has been suspended.\n'])
  await setSuspended(app.services, owner.account.id, false)
  expect(await canSignIn(app, email, PASSWORD)).toBe(true)
  expect((await submitReset(path)).statusCode).toBe(303)
})

test('a link is invalid after its account is marked for deletion', async ({
  app,
  owner,
  createReset,
}) => {
  const path = await createReset(owner)
  await app.make.owner()
  await deleteOwnAccount(app.services, app.services.db, owner.account.id)
  expect((await app.request({ url: path })).statusCode).toBe(410)
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
  /** Uses up an account's attempts per minute from two addresses. */
  async function guessFromTwoAddresses(app: TestApp, email: string): Promise<void> {
    for (const address of [newAddress(), newAddress()]) {
      for (let count = 0; count < 6; count += 1) {
        await trySignIn(app, { email, password: 'a guess' }, { address })
      }
    }
    const lateReply = await trySignIn(app, { email, password: PASSWORD }, { address: newAddress() })
    expect(lateReply.statusCode).toBe(429)
  }

  test('a reset link works from any address, and so do later sign-ins from that address', async ({
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
    const again = await trySignIn(app, { email, password: NEW_PASSWORD }, { address })
    expect(again.statusCode).toBe(303)
    // Forms that require the password accept it, too.
    const fields = { name: 'Mine', scope: 'full', currentPassword: NEW_PASSWORD }
    expect((await person.send('/console/keys', fields)).statusCode).toBe(200)
    const other = { address: newAddress() }
    expect((await trySignIn(app, { email, password: NEW_PASSWORD }, other)).statusCode).toBe(429)
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

test("ends another user's session in the browser", async ({
  app,
  make,
  owner,
  createReset,
  submitReset,
}) => {
  const other = await make.owner()
  const { cookie, open } = await signIn(app, other.account.email, newAddress())
  const reply = await submitReset(await createReset(owner), NEW_PASSWORD, { cookie })
  expect(sessionCookieOf(reply)).not.toBe('')
  expect((await open('/console')).statusCode).toBe(303)
})

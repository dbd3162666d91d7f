import { describe, expect } from 'vitest'
import { deleteOwnAccount } from '../../src/account-deletion/account-deletion.ts'
import { getAccount, updateAccount } from '../../src/identity/account.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from '../support/accounts.ts'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { commandLine, runCommand } from '../support/command.ts'
import { PASSWORD, sessionCookieOf } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { canSignIn, NEW_PASSWORD, passwordResetTest } from '../support/password-reset.ts'

const LINK_EXPIRED = 'This link has expired or was already used. Request a new one.'

const test = passwordResetTest()

describe('a reset link is invalid', () => {
  const expectInvalid = async (app: TestApp, path: string) => {
    const page = await app.request({ url: path })
    const form = formOf(await app.request({ url: '/console/sign-in' }))
    const fields = { csrf: form.csrf, newPassword: 'a password of a thief' }
    const formReply = await postForm(app, path, fields, {
      cookie: form.cookie,
      address: newAddress(),
    })
    for (const reply of [page, formReply]) {
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
  await deleteOwnAccount(scopeOf(app.services, owner.account.id))
  expect((await app.request({ url: path })).statusCode).toBe(410)
})

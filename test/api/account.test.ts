import { describe, expect } from 'vitest'
import {
  getAccountByEmailOrUsername,
  setPlan,
  updateAccount,
} from '../../src/identity/account.service.ts'
import { trySignIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

describe('a request to /api/account', () => {
  test.for(['GET', 'POST'] as const)(
    "by %s returns the key's account",
    async (method, { make, request }) => {
      const { account, headers } = await make.owner({ username: `anna-${method}` })
      const reply = await request({ method, url: '/api/account', headers })
      expect(reply.statusCode).toBe(200)
      expect(reply.json()).toEqual({
        error: 0,
        data: {
          id: account.id,
          email: account.email,
          username: `anna-${method}`,
          avatar: `http://brev.test/avatar/anna-${method}.svg`,
          status: 'free',
          expires: '9999-12-31 23:59:59',
          registered: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        },
      })
    },
  )

  test('returns the plan and whether it has expired', async ({ app, make, request }) => {
    const { account, headers } = await make.owner()
    const expiresAt = new Date(app.clock().getTime() + 60_000)
    await setPlan(app.services.db, account.id, 'pro', expiresAt)
    const before = await request({ url: '/api/account', headers })
    expect(before.json().data.status).toBe('pro')
    app.clock.advance(61)
    const after = await request({ url: '/api/account', headers })
    expect(after.json().data.status).toBe('expired')
  })
})

describe('PUT /api/account/update', () => {
  test('changes the email address and the password', async ({ app, make, request }) => {
    const { account, headers } = await make.owner()
    const reply = await request({
      method: 'PUT',
      url: '/api/account/update',
      headers,
      payload: { email: 'New@Example.com', password: 'another long one' },
    })
    expect(reply.json()).toEqual({ error: 0, message: 'Account has been updated successfully.' })
    const stored = await getAccountByEmailOrUsername(app.services.db, 'new@example.com')
    expect(stored).toMatchObject({ id: account.id, email: 'New@Example.com' })
    const fields = { email: stored.email, password: 'another long one' }
    expect((await trySignIn(app, fields)).headers.location).toBe('/console')
  })

  test.for([
    [{}, 400, 'email or password is required'],
    [{ email: '', password: null }, 400, 'email or password is required'],
    [{ email: 'nonsense' }, 400, 'email must be a valid email address'],
    [{ email: 5 }, 400, 'email must be a string'],
    [{ password: 'short' }, 400, 'password must be 8 to 200 characters long'],
    [{ password: 'x'.repeat(201) }, 400, 'password must be 8 to 200 characters long'],
    [[{ email: 'a@example.com' }], 400, 'The request body must be a JSON object.'],
  ] as const)('rejects %j', async ([payload, status, message], { make, request }) => {
    const { headers } = await make.owner()
    const reply = await request({ method: 'PUT', url: '/api/account/update', headers, payload })
    expect(reply.statusCode).toBe(status)
    expect(reply.json()).toEqual({ error: 1, message })
  })

  test('rejects another account’s email regardless of case', async ({ make, request }) => {
    await make.owner({ email: 'taken@example.com' })
    const { headers } = await make.owner()
    const reply = await request({
      method: 'PUT',
      url: '/api/account/update',
      headers,
      payload: { email: 'TAKEN@example.com' },
    })
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toEqual({ error: 1, message: 'That email address is already in use.' })
  })

  test('fails for an account that no longer exists', async ({ app }) => {
    await expect(
      updateAccount(app.services, app.services.db, 2_000_000_000, { email: 'a@example.org' }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(
      getAccountByEmailOrUsername(app.services.db, 'unknown@example.org'),
    ).rejects.toThrow('There is no account with the email unknown@example.org.')
  })
})

import { expect } from 'vitest'
import { updateAccount } from '../../src/identity/account.service.ts'
import { createSession, findSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { newAddress } from '../support/addresses.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn, trySignIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { listOwnerSessions } from '../support/members.ts'
import { signInTest } from '../support/sign-in-test.ts'

const test = signInTest()

test('the database stores only hashes of tokens', async ({ app, email }) => {
  const person = await signIn(app, email)
  const token = person.cookie.split('=')[1] ?? ''
  const rows = await app.services.database.db.selectFrom('sessions').selectAll().execute()
  expect(rows.length).toBeGreaterThan(0)
  for (const { hash } of rows) {
    expect(hash).toHaveLength(32)
    expect([hash.toString(), hash.toString('base64url')]).not.toContain(token)
  }
})

test('a session expires after 30 days without use, or after 90 days', async ({
  app,
  email,
  owner,
}) => {
  const day = 86_400
  const used = await signIn(app, email, newAddress())
  const unused = await signIn(app, email, newAddress())
  for (let days = 29; days < 90; days += 29) {
    app.clock.advance(29 * day)
    expect((await used.open('/console')).statusCode).toBe(200)
  }
  expect((await unused.open('/console')).statusCode).toBe(303)
  expect(await listOwnerSessions(app, owner)).toHaveLength(1)
  app.clock.advance(3 * day - 1)
  expect((await used.open('/console')).statusCode).toBe(200)
  expect(await listOwnerSessions(app, owner)).toHaveLength(1)
  app.clock.advance(1)
  expect((await used.open('/console')).statusCode).toBe(303)
  expect(await listOwnerSessions(app, owner)).toEqual([])
})

test("records a session's use at most once a minute", async ({ app, email, owner }) => {
  const person = await signIn(app, email, newAddress())
  const getLastUse = async () => {
    const { last_used_at } = await app.services.database.db
      .selectFrom('sessions')
      .select('last_used_at')
      .where('account_id', '=', owner.account.id)
      .executeTakeFirstOrThrow()
    return last_used_at.getTime()
  }
  const lastUsedBefore = await getLastUse()
  app.clock.advance(60)
  await person.open('/console')
  expect(await getLastUse()).toBe(lastUsedBefore)
  app.clock.advance(1)
  await person.open('/console')
  expect(await getLastUse()).toBe(lastUsedBefore + 61_000)
})

test('keeps only the twenty most recently used sessions', async ({ app, owner }) => {
  const tokens: string[] = []
  for (let count = 0; count < 21; count += 1) {
    app.clock.advance(1)
    tokens.push(await createSession(scopeOf(app.services, owner.account.id)))
  }
  const replies = await Promise.all(
    tokens.map((token) => findSession(app.services, app.services.db, token)),
  )
  expect(replies.map((session) => session !== undefined)).toEqual([false, ...Array(20).fill(true)])
})

test('a new password set by the API ends every session', async ({ app, email, owner }) => {
  const person = await signIn(app, email, newAddress())
  const reply = await app.request({
    method: 'PUT',
    url: '/api/account/update',
    headers: owner.headers,
    payload: { password: 'another horse battery' },
  })
  expect(reply.json().error).toBe(0)
  expect((await person.open('/console')).statusCode).toBe(303)
  const signInReply = await trySignIn(app, { email, password: PASSWORD }, { address: newAddress() })
  expect(signInReply.statusCode).toBe(422)
})

test('a new email address ends no sessions; a new password ends all but the current one', async ({
  app,
  email,
  owner,
}) => {
  const person = await signIn(app, email, newAddress())
  const otherSession = await signIn(app, owner.account.email, newAddress())
  await updateAccount(app.services, app.services.db, owner.account.id, {
    email: 'moved@example.com',
  })
  expect((await person.open('/console')).statusCode).toBe(200)
  const session = await findSession(
    app.services,
    app.services.db,
    person.cookie.split('=')[1] ?? '',
  )
  await updateAccount(
    app.services,
    app.services.db,
    owner.account.id,
    { password: 'third horse battery' },
    session?.id,
  )
  expect((await person.open('/console')).statusCode).toBe(200)
  expect((await otherSession.open('/console')).statusCode).toBe(303)
})

test('signing in ends the previous session and does not adopt a planted cookie', async ({
  app,
  email,
}) => {
  const planted = `brevis_session=${'x'.repeat(43)}`
  const reply = await trySignIn(
    app,
    { email, password: PASSWORD },
    { cookie: planted, address: newAddress() },
  )
  expect(sessionCookieOf(reply)).not.toBe(planted)
  expect((await openSession(app, planted).open('/console')).statusCode).toBe(303)
  const otherOwner = await signIn(app, (await app.make.owner()).account.email, newAddress())
  // A signed-in user would be redirected, so the form comes from another browser.
  const form = formOf(await app.request({ url: '/console/sign-in' }))
  const cookie = `${form.cookie}; ${otherOwner.cookie}`
  await postForm(
    app,
    '/console/sign-in',
    { csrf: form.csrf, email, password: PASSWORD },
    { cookie, address: newAddress() },
  )
  expect((await otherOwner.open('/console')).statusCode).toBe(303)
})

import { expect } from 'vitest'
import { finishDeletion } from '../../src/account-deletion/account-deletion.ts'
import { getAccount, getAccountByEmailOrUsername } from '../../src/identity/account.service.ts'
import { createSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { newAddress } from '../support/addresses.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn, trySignIn } from '../support/console.ts'
import type { Owner } from '../support/make.ts'
import { listOwnerSessions } from '../support/members.ts'
import { newOwnerTest } from '../support/test.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'
const NEW_PASSWORD = 'another good password'

/** Each test has its own account and IP address, because attempts are limited to ten per minute. */
const test = newOwnerTest()
  .extend('address', () => newAddress())
  .extend('person', ({ app, owner, address }) => signIn(app, owner.account.email, address))
  .extend(
    'trySignInAs',
    ({ app, address }) =>
      (owner: Owner, password: string) =>
        trySignIn(app, { email: owner.account.email, password }, { address }),
  )

test("the page shows the user's email and sessions", async ({ person, owner }) => {
  const { statusCode, body } = await person.open('/console/account')
  expect(statusCode).toBe(200)
  expect(body).toContain(`value="${owner.account.email}"`)
  expect(body).toContain('This browser')
  expect(body).not.toContain('Sign out all other sessions')
  expect(body).toContain('aria-current="page">Account')
})

test('shows only predefined confirmations from a URL', async ({ person }) => {
  for (const value of ['constructor', '__proto__', 'toString']) {
    const { statusCode, body } = await person.open(`/console/account?done=${value}`)
    expect([statusCode, body.includes('native code')]).toEqual([200, false])
  }
})

test('changing the email address requires the password and takes effect at sign-in', async ({
  app,
  person,
  owner,
  address,
}) => {
  const email = `new-${owner.account.email}`
  const reply = await person.send('/console/account/email', { email, yourPassword: PASSWORD })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console/account?done=email'])
  expect((await person.open('/console/account?done=email')).body).toContain('Email updated.')
  const signInReply = await trySignIn(app, { email, password: PASSWORD }, { address })
  expect(signInReply.headers.location).toBe('/console')
})

test.for([
  ['email', { email: 'new@example.com', yourPassword: 'not this one' }, 'yourPassword'],
  ['email', { email: 'new@example.com', yourPassword: '' }, 'yourPassword'],
  ['email', { email: 'not-an-email', yourPassword: PASSWORD }, 'email'],
  ['email', { email: 'taken@example.com', yourPassword: PASSWORD }, 'email'],
  ['password', { currentPassword: 'no', newPassword: NEW_PASSWORD }, 'currentPassword'],
  ['password', { currentPassword: PASSWORD, newPassword: 'short' }, 'newPassword'],
  ['password', { newPassword: NEW_PASSWORD }, 'currentPassword'],
  ['password', { currentPassword: PASSWORD, newPassword: PASSWORD }, 'newPassword'],
  ['delete', { username: '' }, 'username'],
  ['delete', { username: 'another-user', deletionPassword: PASSWORD }, 'username'],
] as [string, Record<string, string>, string][])(
  'the form %s with %j shows an error at the field %s and changes nothing',
  async ([form, fields, fieldId], { app, make, person, owner, trySignInAs }) => {
    // Fails if an earlier case has created this owner.
    await make.owner({ email: 'taken@example.com', username: 'taken' }).catch(() => {})
    const reply = await person.send(`/console/account/${form}`, fields)
    expect(reply.statusCode).toBe(422)
    expect(reply.body).toMatch(new RegExp(`id="${fieldId}"[^>]*aria-invalid="true"[^>]*autofocus`))
    expect(reply.body.match(/ autofocus/g)).toHaveLength(1)
    expect(reply.body).not.toContain(PASSWORD)
    expect(reply.body).not.toContain(NEW_PASSWORD)
    expect((await trySignInAs(owner, PASSWORD)).headers.location).toBe('/console')
    expect(await getAccountByEmailOrUsername(app.services.db, owner.account.email)).toEqual(
      owner.account,
    )
  },
)

test('deleting an account requires the password and limits guesses', async ({
  app,
  person,
  owner,
}) => {
  const { id, username } = owner.account
  const tryDeletion = (deletionPassword: string) =>
    person.send('/console/account/delete', { username, deletionPassword })
  for (const deletionPassword of ['', 'not this one']) {
    const reply = await tryDeletion(deletionPassword)
    expect(reply.statusCode).toBe(422)
    expect(reply.body).toMatch(/id="deletionPassword"[^>]*aria-invalid="true"[^>]*autofocus/)
    expect(reply.body).toMatch(/class="open-popup" id="delete-account"/)
    expect(reply.body).toContain(`value="${username}"`)
    expect(reply.body).not.toContain('not this one')
  }
  for (let count = 0; count < 5; count += 1) await tryDeletion('a guess')
  const lateAttempt = await tryDeletion(PASSWORD)
  expect([lateAttempt.statusCode, Number(lateAttempt.headers['retry-after']) > 0]).toEqual([
    429,
    true,
  ])
  expect(await getAccount(app.services.db, id)).toEqual(owner.account)
  expect((await person.open('/console')).statusCode).toBe(200)
})

test('reports no change if the email is already stored', async ({ app, person, owner }) => {
  const { email } = owner.account
  const fields = { email: ` ${email} `, yourPassword: PASSWORD }
  const reply = await person.send('/console/account/email', fields)
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console/account?done=nothing'])
  expect((await person.open(String(reply.headers.location))).body).toContain('No changes to save.')
  expect(await getAccountByEmailOrUsername(app.services.db, email)).toEqual(owner.account)
})

test('a new password ends all other sessions', async ({ app, person, owner, trySignInAs }) => {
  const otherSession = openSession(app, sessionCookieOf(await trySignInAs(owner, PASSWORD)))
  const fields = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
  const reply = await person.send('/console/account/password', fields)
  expect(reply.headers.location).toBe('/console/account?done=password')
  expect((await otherSession.open('/console')).statusCode).toBe(303)
  expect((await person.open('/console')).statusCode).toBe(200)
  expect((await trySignInAs(owner, PASSWORD)).statusCode).toBe(422)
  expect((await trySignInAs(owner, NEW_PASSWORD)).headers.location).toBe('/console')
})

test('password guesses in a session are limited', async ({ person }) => {
  const guess = (currentPassword: string) =>
    person.send('/console/account/password', { currentPassword, newPassword: NEW_PASSWORD })
  const statuses = []
  for (let count = 0; count < 10; count += 1) statuses.push((await guess('wrong')).statusCode)
  const lateReply = await guess(PASSWORD)
  expect([
    statuses.at(0),
    lateReply.statusCode,
    Number(lateReply.headers['retry-after']) > 0,
  ]).toEqual([422, 429, true])
})

test('sessions show browser and system, and can be ended individually or together', async ({
  app,
  person,
  owner,
}) => {
  const startSession = async () =>
    openSession(
      app,
      `brevis_session=${await createSession(scopeOf(app.services, owner.account.id), 'Firefox on Linux')}`,
    )
  const first = await startSession()
  const second = await startSession()
  const page = (await person.open('/console/account')).body
  expect(page.match(/>Firefox on Linux</g)).toHaveLength(2)
  const [{ id } = { id: 0 }] = await listOwnerSessions(app, owner)
  expect((await person.send(`/console/account/sessions/${id}/end`)).statusCode).toBe(303)
  const sessionStatuses = async () =>
    Promise.all([first, second].map(async (each) => (await each.open('/console')).statusCode))
  expect((await sessionStatuses()).sort()).toEqual([200, 303])
  expect((await person.send('/console/account/sessions/end-others')).statusCode).toBe(303)
  expect(await sessionStatuses()).toEqual([303, 303])
  expect((await person.open('/console')).statusCode).toBe(200)
})

test('a session shows the browser and system of its sign-in', async ({
  app,
  request,
  owner,
  address,
}) => {
  const form = await request({ url: '/console/sign-in' })
  const csrf = /name="csrf" value="([^"]+)"/.exec(form.body)?.[1] ?? ''
  for (const [agent, name] of [
    [FIREFOX, 'Firefox on Windows 10'],
    ['<script>alert(1)</script>', null],
    ['', null],
  ] as const) {
    await request({
      method: 'POST',
      url: '/console/sign-in',
      remoteAddress: address,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': agent,
        cookie: form.cookies.map((cookie) => `${cookie.name}=${cookie.value}`).join('; '),
      },
      payload: new URLSearchParams({
        csrf,
        email: owner.account.email,
        password: PASSWORD,
      }).toString(),
    })
    const [lastSession] = await listOwnerSessions(app, owner)
    expect(lastSession?.browser).toBe(name)
    app.clock.advance(1)
  }
})

test("exports only the account's links", async ({ make, person, request, owner }) => {
  const metaTitle = 'Ünï "quoted"'
  await make.link(owner, { alias: `mine-${owner.account.id}`, tags: ['one'], metaTitle })
  await make.link(await make.owner(), { alias: `theirs-${owner.account.id}` })
  for (const [format, type] of [
    ['jsonl', 'application/x-ndjson'],
    ['csv', 'text/csv'],
  ]) {
    const url = `/console/export?format=${format}`
    const moved = await person.open(`/console/account/links.${format}`)
    expect([moved.statusCode, moved.headers.location]).toEqual([303, url])
    const reply = await person.open(url)
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([
      200,
      expect.stringContaining(String(type)),
    ])
    expect(reply.headers).toMatchObject({
      'content-disposition': expect.stringMatching(/^attachment; filename="brevis-links-.*"$/),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(reply.body).toContain(`mine-${owner.account.id}`)
    expect(reply.body).toContain('Ünï')
    expect(reply.body).not.toContain('theirs-')
    expect((await request({ url })).headers.location).toContain('/console/sign-in')
  }
  const [line = ''] = (await person.open('/console/export?format=jsonl')).body.trim().split('\n')
  expect(JSON.parse(line)).toMatchObject({ tags: ['one'] })
})

test('sessions of other users cannot be ended', async ({ app, make, person }) => {
  const otherOwner = await make.owner()
  const token = await createSession(scopeOf(app.services, otherOwner.account.id))
  const [session] = await listOwnerSessions(app, otherOwner)
  await person.send(`/console/account/sessions/${session?.id}/end`)
  expect((await openSession(app, `brevis_session=${token}`).open('/console')).statusCode).toBe(200)
  expect((await person.send('/console/account/sessions/x/end')).statusCode).toBe(404)
})

test('deleting an account by username and password removes links, keys and sessions', async ({
  app,
  make,
  person,
  request,
  owner,
  trySignInAs,
}) => {
  const { alias } = await make.link(owner)
  const { username } = owner.account
  const fields = { username, deletionPassword: PASSWORD }
  const reply = await person.send('/console/account/delete', fields)
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console/deleted'])
  expect(String(reply.headers['set-cookie'])).toMatch(/^brevis_session=; Max-Age=0/)
  expect((await request({ url: '/console/deleted' })).body).toContain('Your account is deleted')
  expect((await person.open('/console')).statusCode).toBe(303)
  // Links stop working immediately. Their rows are deleted later.
  expect((await request({ url: `/${alias}` })).statusCode).toBe(410)
  expect((await request({ url: '/api/account', headers: owner.headers })).statusCode).toBe(401)
  expect((await trySignInAs(owner, PASSWORD)).statusCode).not.toBe(303)
  expect(await finishDeletion({ db: app.services.db, accountId: owner.account.id })).toBe(true)
  expect((await request({ url: `/${alias}` })).statusCode).toBe(404)
})

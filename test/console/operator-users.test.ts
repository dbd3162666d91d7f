import { describe, expect } from 'vitest'
import { listKeys } from '../../src/identity/key.service.ts'
import { listMembers } from '../../src/identity/member.service.ts'
import { getUserByEmail } from '../../src/identity/user.service.ts'
import { isOwnerAdmin, setOwnerAdmin } from '../support/accounts.ts'
import { PASSWORD, sessionCookieOf, trySignIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { addMember } from '../support/members.ts'
import { HOME, operatorTest } from '../support/operator.ts'

const NEW_PASSWORD = 'chosen by the user'

const test = operatorTest()
  .extend('openReset', ({ app }) => async (body: string) => {
    // Setting a password by the link also signs in.
    const [, path = ''] = /id="user-link">http:\/\/brev\.test([^<]+)</.exec(body) ?? []
    const { csrf, cookie } = formOf(await app.request({ url: path }))
    const fields = { csrf, newPassword: NEW_PASSWORD }
    return { path, reply: await postForm(app, path, fields, { cookie }) }
  })
  .extend(
    'getUser',
    ({ app }) =>
      (email: string) =>
        getUserByEmail(app.services.db, email),
  )

describe('an account that an admin creates', () => {
  test('lets its owner choose a password and has no keys', async ({
    app,
    openReset,
    adminConsole: { admin, getLastLogLine },
  }) => {
    const fields = { email: 'anna@example.org', username: 'anna', plan: 'pro' }
    const created = await admin.send(`${HOME}/accounts`, { ...fields, ownPassword: PASSWORD })
    expect([created.statusCode, created.headers['cache-control']]).toEqual([
      200,
      'private, no-store',
    ])
    const withoutPassword = { email: fields.email, password: '' }
    expect((await trySignIn(app, withoutPassword)).statusCode).toBe(422)
    const { reply, path } = await openReset(created.body)
    expect([reply.statusCode, sessionCookieOf(reply)]).toEqual([303, expect.stringMatching(/=/)])
    expect((await app.request({ url: path })).statusCode).toBe(410)
    const { id, ...account } = await app.services.db
      .selectFrom('accounts')
      .selectAll()
      .where('username', '=', 'anna')
      .executeTakeFirstOrThrow()
    expect(account).toMatchObject({ email: fields.email, plan: 'pro' })
    expect(await listKeys({ db: app.services.db, accountId: id })).toEqual([])
    expect(await getLastLogLine('anna')).toMatchObject({
      actor: 'owner1@example.com',
      action: 'account.create',
      detail: 'owner anna@example.org',
    })
    expect(await getLastLogLine('anna@example.org')).toMatchObject({ action: 'user.create' })
  })

  test('belongs to the existing user with its email address', async ({
    app,
    make,
    adminConsole,
  }) => {
    const owner = await make.owner()
    const fields = { email: owner.account.email.toUpperCase(), username: 'second-one' }
    const reply = await adminConsole.admin.send(`${HOME}/accounts`, {
      ownPassword: PASSWORD,
      ...fields,
    })
    const location = String(reply.headers.location)
    expect([reply.statusCode, location]).toEqual([303, expect.stringMatching(/\?done=created$/)])
    expect((await adminConsole.admin.open(location)).body).toContain('Account created.')
    const signInReply = await trySignIn(app, { email: owner.account.email, password: PASSWORD })
    expect(signInReply.statusCode).toBe(303)
  })

  test.for([
    [{ email: 'nothing', username: 'fine' }, 'email-error', 422],
    [{ email: 'a@example.org', username: '-' }, 'username-error', 422],
    [{ email: 'a@example.org', username: 'ORDINARY' }, 'username-error', 422],
    [{ email: 'a@example.org', username: 'fine', plan: 'gold' }, 'role="alert"', 400],
  ] as const)('is rejected with %j', async ([fields, text, status], { adminConsole, getUser }) => {
    const reply = await adminConsole.admin.send(`${HOME}/accounts`, {
      ownPassword: PASSWORD,
      ...fields,
    })
    expect([reply.statusCode, reply.body.includes(text)]).toEqual([status, true])
    await expect(getUser('a@example.org')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('members of an account', () => {
  test('are shown to admins, who can add existing and new users', async ({
    app,
    make,
    openReset,
    adminConsole: { admin, getLastLogLine },
  }) => {
    const { account } = await make.owner({ username: 'team' })
    const otherOwner = await make.owner()
    const path = `${HOME}/accounts/${account.id}`
    const add = (email: string, role: string, memberPassword = PASSWORD) =>
      admin.send(`${path}/members`, { email, role, memberPassword })
    const added = await add(otherOwner.account.email, 'owner')
    expect([added.statusCode, added.headers.location]).toEqual([303, `${path}?done=added`])
    const createdUser = await add('fresh@example.org', 'viewer')
    expect((await openReset(createdUser.body)).reply.statusCode).toBe(303)
    const members = await listMembers({ db: app.services.db, accountId: account.id })
    expect(members.map(({ email, role }) => [email, role])).toEqual([
      [account.email, 'owner'],
      [otherOwner.account.email, 'owner'],
      ['fresh@example.org', 'viewer'],
    ])
    const { body } = await admin.open(path)
    for (const { email } of members) expect(body).toContain(`>${email}</a>`)
    expect(await getLastLogLine('team')).toMatchObject({
      action: 'user.add',
      detail: 'fresh@example.org as viewer',
    })
    for (const [email, role, password, status] of [
      ['fresh@example.org', 'viewer', PASSWORD, 422],
      ['new@example.org', 'viewer', 'wrong password', 422],
      ['new@example.org', 'admin', PASSWORD, 400],
      ['@', 'viewer', PASSWORD, 422],
    ] as const) {
      expect([email, (await add(email, role, password)).statusCode]).toEqual([email, status])
    }
    expect(await listMembers({ db: app.services.db, accountId: account.id })).toHaveLength(3)
  })
})

describe('the page of a user', () => {
  test('creates a reset link after confirming the admin’s password', async ({
    app,
    make,
    openReset,
    getUser,
    adminConsole: { admin, getLastLogLine },
  }) => {
    const { account } = await make.owner()
    const { id } = await getUser(account.email)
    const path = `${HOME}/users/${id}/reset-link`
    for (const resetPassword of ['', 'not this one']) {
      const rejected = await admin.send(path, { resetPassword })
      expect([rejected.statusCode, rejected.body.includes('id="resetPassword-error"')]).toEqual([
        422,
        true,
      ])
    }
    const linkPage = await admin.send(path, { resetPassword: PASSWORD })
    expect((await openReset(linkPage.body)).reply.statusCode).toBe(303)
    const signInReply = await trySignIn(app, { email: account.email, password: NEW_PASSWORD })
    expect(signInReply.statusCode).toBe(303)
    const line = { actor: 'owner1@example.com', action: 'user.reset-password' }
    expect(await getLastLogLine(account.email)).toMatchObject(line)
  })

  test("grants and revokes admin access, except the last admin's", async ({
    make,
    owner,
    getUser,
    adminConsole: { admin, getLastLogLine, signedIn },
  }) => {
    const { account } = await make.owner()
    const ownUserUrl = `${HOME}/users/${(await getUser(owner.account.email)).id}`
    const otherUserUrl = `${HOME}/users/${(await getUser(account.email)).id}`
    const otherAdmin = await signedIn(account.id)
    const send = (browser: typeof admin, path: string, state: string) =>
      browser.send(`${path}/admin`, { admin: state, adminPassword: PASSWORD })
    const onlyAdmin = await send(admin, ownUserUrl, 'off')
    expect([onlyAdmin.statusCode, onlyAdmin.body]).toEqual([
      409,
      expect.stringContaining('This is the only admin.'),
    ])
    const rejected = await admin.send(`${otherUserUrl}/admin`, {
      admin: 'on',
      adminPassword: 'wrong one',
    })
    expect(rejected.statusCode).toBe(422)
    expect((await otherAdmin.open(`${HOME}/accounts`)).statusCode).toBe(404)
    const granted = await send(admin, otherUserUrl, 'on')
    expect(granted.headers.location).toBe(`${otherUserUrl}?done=admin`)
    expect((await otherAdmin.open(`${HOME}/accounts`)).statusCode).toBe(200)
    expect(await getLastLogLine()).toMatchObject({ action: 'user.admin', detail: 'on' })
    expect((await send(admin, otherUserUrl, 'on')).headers.location).toBe(
      `${otherUserUrl}?done=nothing`,
    )
    const revoked = await send(admin, ownUserUrl, 'off')
    expect([revoked.statusCode, revoked.headers.location]).toEqual([303, '/console'])
    expect((await admin.open(`${HOME}/accounts`)).statusCode).toBe(404)
    await send(otherAdmin, ownUserUrl, 'on')
    await send(admin, otherUserUrl, 'off')
    expect((await otherAdmin.open(`${HOME}/accounts`)).statusCode).toBe(404)
  })

  test('keeps one of two admins who concurrently revoke each other', async ({
    app,
    make,
    owner,
    getUser,
    adminConsole: { admin, signedIn },
  }) => {
    const { account } = await make.owner()
    await setOwnerAdmin(app.services, account.id, true)
    const otherAdmin = await signedIn(account.id)
    const getPath = async (email: string) => `${HOME}/users/${(await getUser(email)).id}/admin`
    const fields = { admin: 'off', adminPassword: PASSWORD }
    const replies = await Promise.all([
      admin.send(await getPath(account.email), fields),
      otherAdmin.send(await getPath(owner.account.email), fields),
    ])
    expect(replies.map(({ statusCode }) => statusCode)).toContain(303)
    const remaining = [
      await isOwnerAdmin(app.services, account.id),
      await isOwnerAdmin(app.services, owner.account.id),
    ]
    expect(remaining.filter(Boolean)).toHaveLength(1)
    await setOwnerAdmin(app.services, owner.account.id, true)
    await setOwnerAdmin(app.services, account.id, false)
  })

  test('keeps the last admin in their only account', async ({
    app,
    owner,
    adminConsole: { admin },
  }) => {
    // Another owner, so that the account would still have an owner.
    const otherOwner = await addMember(app, owner, 'owner')
    for (const [path, fields] of [
      ['/console/account/leave', {}],
      ['/console/account/delete-user', { userPassword: PASSWORD }],
    ] as const) {
      const reply = await admin.send(path, fields)
      expect([reply.statusCode, reply.body]).toEqual([
        409,
        expect.stringContaining('This is the only admin.'),
      ])
    }
    expect((await admin.open(`${HOME}/users`)).body).toContain(`>${otherOwner.user.email}</a>`)
  })

  test.for(['0', 'x', '999999999', '9'.repeat(30)])(
    'returns 404 for the user %s',
    async (id, { adminConsole }) => {
      expect((await adminConsole.admin.open(`${HOME}/users/${id}`)).statusCode).toBe(404)
      const fields = { admin: 'on', adminPassword: PASSWORD }
      expect((await adminConsole.admin.send(`${HOME}/users/${id}/admin`, fields)).statusCode).toBe(
        404,
      )
    },
  )
})

test('filters the list of users by email and by admin role', async ({ make, adminConsole }) => {
  const { account } = await make.owner({ email: 'Findable@example.org' })
  const find = async (query: string) =>
    (await adminConsole.admin.open(`${HOME}/users${query}`)).body
  expect(await find('?q=FINDABLE')).toContain(`>${account.email}</a>`)
  expect(await find('?q=findable&admins=on')).toContain('No users match.')
  expect(await find('?admins=on')).toContain('>owner1@example.com</a> <span class="badge">Admin')
  for (const invalid of ['?q=%00', '?q=%ED%A0%80', '?before=x', '?q=a&q=b']) {
    expect(await find(invalid)).toContain('<h1>Users</h1>')
  }
})

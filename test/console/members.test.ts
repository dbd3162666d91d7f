import { describe, expect } from 'vitest'
import { getAccount } from '../../src/accounts/account.service.ts'
import { deleteOwnAccount, finishDeletion } from '../../src/accounts/account-deletion.ts'
import { createSession } from '../../src/accounts/session.service.ts'
import { removeMember } from '../../src/people/member.service.ts'
import { getOwner } from '../../src/people/user.service.ts'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { openSession, PASSWORD, sessionCookieOf, trySignIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import type { Owner } from '../support/make.ts'
import { addMember, inviteTo, signInMember } from '../support/members.ts'
import { signInTest } from '../support/sign-in-test.ts'

const HOME = '/console/members'
const INVITATION_EXPIRED = 'This invitation has expired or was already used. Ask for a new one.'

const test = signInTest({ env: { REGISTRATION: 'closed' } }).extend(
  'person',
  async ({ app, owner }) => openBrowser(app, owner),
)

/** Signs in the owner of an account without the sign-in form. */
async function openBrowser(app: TestApp, { account }: Owner) {
  const token = await createSession(app.services, app.services.db, account.id)
  return openSession(app, `brevis_session=${token}`, newAddress())
}

/** Opens an invitation, submits its form and returns the reply. */
async function accept(
  app: TestApp,
  path: string,
  fields: Record<string, string> = {},
  cookie = '',
) {
  const page = await app.request({ url: path, headers: { cookie } })
  const form = formOf(page)
  const cookies = [form.cookie, cookie].filter(Boolean).join('; ')
  return postForm(
    app,
    path,
    { csrf: form.csrf, ...fields },
    { cookie: cookies, address: newAddress() },
  )
}

/** Returns the path of the invitation link on a page. */
const readLink = (body: string) =>
  new URL(/http:\/\/brev\.test\/console\/invitations\/[\w-]{43}/.exec(body)?.[0] ?? '').pathname

describe('an invitation', () => {
  test('works for new users even if registration is closed', async ({ app, owner, person }) => {
    const reply = await person.send(`${HOME}/invite`, { email: 'new@example.org', role: 'editor' })
    expect(reply.statusCode).toBe(200)
    const path = readLink(reply.body)
    expect((await person.open(HOME)).body).toContain('new@example.org')
    const page = await app.request({ url: path })
    expect(page.headers['referrer-policy']).toBe('strict-origin')
    expect(page.headers['cache-control']).toBe('private, no-store')
    expect(page.body).toContain(`Join ${owner.account.username}`)
    expect((await accept(app, path, { password: 'short' })).statusCode).toBe(422)
    const accepted = await accept(app, path, { password: PASSWORD })
    expect([accepted.statusCode, accepted.headers.location]).toEqual([303, '/console'])
    const member = openSession(app, sessionCookieOf(accepted), newAddress())
    expect((await member.open('/console')).body).toContain(owner.account.username)
    const created = await member.send('/console/links/new', {
      url: 'https://example.com/by-editor',
    })
    expect(created.statusCode).toBe(303)
    expect((await member.open('/console/keys')).statusCode).toBe(403)
    const again = await accept(app, path, { password: PASSWORD })
    expect([again.statusCode, again.body]).toEqual([
      410,
      expect.stringContaining(INVITATION_EXPIRED),
    ])
    const signedIn = await trySignIn(
      app,
      { email: 'new@example.org', password: PASSWORD },
      { address: newAddress() },
    )
    expect(signedIn.statusCode).toBe(303)
  })

  test('requires the password of an existing user and adds the account', async ({
    app,
    make,
    owner,
  }) => {
    const other = await make.owner()
    const { path } = await inviteTo(app, owner, 'viewer', other.account.email)
    const wrong = await accept(app, path, { password: 'not the password' })
    expect([wrong.statusCode, wrong.body]).toEqual([
      422,
      expect.stringContaining('Incorrect password.'),
    ])
    expect(sessionCookieOf(wrong)).toBe('')
    const reply = await accept(app, path, { password: PASSWORD })
    const existingUser = openSession(app, sessionCookieOf(reply), newAddress())
    const { body } = await existingUser.open('/console/accounts')
    expect(body).toContain(owner.account.username)
    expect(body).toContain(other.account.username)
    const switched = await existingUser.send('/console/accounts/switch', {
      account: String(other.account.id),
    })
    expect(switched.statusCode).toBe(303)
    expect((await existingUser.open('/console/keys')).statusCode).toBe(200)
  })

  test('can be accepted by the signed-in user', async ({ app, make, owner }) => {
    const other = await make.owner()
    const otherPerson = await openBrowser(app, other)
    const { path } = await inviteTo(app, owner, 'editor')
    const reply = await accept(app, path, {}, otherPerson.cookie)
    expect(reply.statusCode).toBe(303)
    expect((await otherPerson.open('/console')).body).toContain(owner.account.username)
    const { path: again } = await inviteTo(app, owner, 'owner')
    const repeated = await accept(app, again, {}, otherPerson.cookie)
    expect([repeated.statusCode, repeated.body]).toEqual([
      409,
      expect.stringContaining('already a member'),
    ])
  })

  test.for(['expired', 'withdrawn', 'renewed', 'repeated', 'of a deleted account'])(
    'is invalid if %s',
    async (reason, { app, owner, person }) => {
      const { id, path, email } = await inviteTo(app, owner, 'editor')
      if (reason === 'expired') app.clock.advance(7 * 86_400)
      if (reason === 'withdrawn') await person.send(`${HOME}/invitations/${id}/withdraw`)
      if (reason === 'renewed') {
        const { body } = await person.send(`${HOME}/invitations/${id}/link`)
        expect((await app.request({ url: readLink(body) })).statusCode).toBe(200)
      }
      if (reason === 'repeated') await person.send(`${HOME}/invite`, { email, role: 'viewer' })
      if (reason === 'of a deleted account') {
        await deleteOwnAccount(app.services, app.services.db, owner.account.id)
      }
      for (const reply of [
        await app.request({ url: path }),
        await accept(app, path, { password: PASSWORD }),
      ]) {
        expect(reply.statusCode).toBe(410)
        expect(sessionCookieOf(reply)).toBe('')
      }
    },
  )

  test('for an owner is not renewed without the password', async ({ app, owner, person }) => {
    const { id, path } = await inviteTo(app, owner, 'owner')
    expect((await person.open(HOME)).body).not.toContain(`${HOME}/invitations/${id}/link`)
    expect((await person.send(`${HOME}/invitations/${id}/link`)).statusCode).toBe(404)
    expect((await app.request({ url: path })).statusCode).toBe(200)
  })

  test('is accepted only once by concurrent requests', async ({ app, owner }) => {
    const { path } = await inviteTo(app, owner, 'editor')
    const replies = await Promise.all(
      ['a', 'b'].map((suffix) => accept(app, path, { password: `${PASSWORD} ${suffix}` })),
    )
    expect(replies.filter(({ statusCode }) => statusCode === 303)).toHaveLength(1)
  })

  test('to an owner requires the password', async ({ app, owner, person }) => {
    const fields = { email: 'boss@example.org', role: 'owner' }
    expect((await person.send(`${HOME}/invite`, fields)).statusCode).toBe(422)
    const reply = await person.send(`${HOME}/invite`, { ...fields, currentPassword: PASSWORD })
    expect(reply.statusCode).toBe(200)
    const viewer = await signInMember(app, owner, 'viewer')
    const rolePath = `${HOME}/${viewer.user.id}/role`
    const rejected = await person.send(rolePath, { role: 'owner' })
    expect(rejected.statusCode).toBe(422)
    const created = await person.send(rolePath, {
      role: 'owner',
      [`password-${viewer.user.id}`]: PASSWORD,
    })
    expect(created.statusCode).toBe(303)
    expect((await viewer.open(HOME)).statusCode).toBe(200)
  })

  test.for([
    ['not an email', 'editor'],
    ['a@b.test\r\nBcc: c@d.test', 'editor'],
    ['a@b.test', 'admin'],
    ['a@b.test', ''],
  ])('to %j as %j is rejected', async ([email = '', role = ''], { person }) => {
    expect((await person.send(`${HOME}/invite`, { email, role })).statusCode).toBe(422)
  })

  test('to a member is rejected', async ({ owner, person }) => {
    const email = owner.account.email.toUpperCase()
    const reply = await person.send(`${HOME}/invite`, { email, role: 'viewer' })
    expect(reply.body).toContain('This person is already a member.')
  })

  test('is limited to twenty per hour', async ({ person }) => {
    for (let count = 0; count < 20; count += 1) {
      const email = `many${count}@example.org`
      expect((await person.send(`${HOME}/invite`, { email, role: 'viewer' })).statusCode).toBe(200)
    }
    const reply = await person.send(`${HOME}/invite`, { email: 'x@example.org', role: 'viewer' })
    expect(reply.statusCode).toBe(429)
  })
})

describe('a member', () => {
  test('loses access immediately when removed, even on open pages', async ({
    app,
    owner,
    person,
  }) => {
    const member = await signInMember(app, owner, 'editor')
    const { csrf } = formOf(await member.open('/console'))
    const reply = await person.send(`${HOME}/${member.user.id}/remove`)
    expect([reply.statusCode, reply.headers.location]).toEqual([303, `${HOME}?done=removed`])
    expect((await member.open('/console')).statusCode).toBe(303)
    const posted = await postForm(
      app,
      '/console/links/new',
      { csrf, url: 'https://example.com/' },
      { cookie: member.cookie },
    )
    expect([posted.statusCode, posted.headers.location]).toEqual([303, '/console/sign-in'])
    const signIn = await trySignIn(
      app,
      { email: member.user.email, password: PASSWORD },
      { address: newAddress() },
    )
    expect([signIn.statusCode, signIn.body]).toEqual([
      403,
      expect.stringContaining('a member of any account'),
    ])
  })

  test('of another account cannot be removed or changed', async ({ app, make, person }) => {
    const other = await addMember(app, await make.owner(), 'viewer')
    for (const form of ['remove', 'role']) {
      const reply = await person.send(`${HOME}/${other.user.id}/${form}`, { role: 'viewer' })
      expect(reply.statusCode).toBe(404)
    }
  })
})

test('the account has the email of its oldest owner, including in the API', async ({
  app,
  owner,
  request,
}) => {
  const { db } = app.services
  const { user } = await addMember(app, owner, 'owner')
  const getEmail = async () =>
    (await request({ url: '/api/account', headers: owner.headers })).json().data.email
  expect(await getEmail()).toBe(owner.account.email)
  const update = { method: 'PUT', url: '/api/account/update', headers: owner.headers } as const
  await request({ ...update, payload: { email: 'first@example.org' } })
  expect(await getEmail()).toBe('first@example.org')
  await removeMember(db, owner.account.id, (await getOwner(db, owner.account.id)).id)
  expect(await getEmail()).toBe(user.email)
  const address = newAddress()
  await request({ ...update, payload: { password: 'a new password of it' } })
  const reply = await trySignIn(
    app,
    { email: user.email, password: 'a new password of it' },
    { address },
  )
  expect(reply.statusCode).toBe(303)
})

test("deleting a user keeps the account's links", async ({ app, make, owner }) => {
  const link = await make.link(owner)
  const member = await signInMember(app, owner, 'owner', newAddress())
  const wrong = await member.send('/console/account/delete-user', { userPassword: 'wrong' })
  expect(wrong.statusCode).toBe(422)
  const reply = await member.send('/console/account/delete-user', { userPassword: PASSWORD })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console/sign-in'])
  expect((await member.open('/console')).statusCode).toBe(303)
  expect((await app.request({ url: `/${link.alias}` })).statusCode).toBe(302)
  const signIn = await trySignIn(
    app,
    { email: member.user.email, password: PASSWORD },
    { address: newAddress() },
  )
  expect(signIn.statusCode).toBe(422)
})

test('deleting an account deletes users without another account', async ({ app, make, owner }) => {
  const { db } = app.services
  const other = await make.owner()
  const memberWithoutAccount = await addMember(app, owner, 'viewer')
  const { path } = await inviteTo(app, owner, 'viewer', other.account.email)
  await accept(app, path, { password: PASSWORD })
  await deleteOwnAccount(app.services, db, owner.account.id)
  await finishDeletion(db, owner.account.id)
  const remaining = await db.selectFrom('users').select('email').execute()
  const emails = remaining.map(({ email }) => email)
  expect(emails).toContain(other.account.email)
  expect(emails).not.toContain(memberWithoutAccount.user.email)
  expect(emails).not.toContain(owner.account.email)
  expect(await getAccount(db, other.account.id)).toMatchObject({ username: other.account.username })
})

test('rejects switching to a foreign or suspended account', async ({ make, person }) => {
  const other = await make.owner()
  for (const account of [String(other.account.id), '0', 'x', '']) {
    const reply = await person.send('/console/accounts/switch', { account })
    expect([account, reply.statusCode]).toEqual([account, 404])
  }
})

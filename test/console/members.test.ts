import { describe, expect } from 'vitest'
import { deleteOwnAccount, finishDeletion } from '../../src/account-deletion/account-deletion.ts'
import { getAccount } from '../../src/identity/account.service.ts'
import { removeMember } from '../../src/identity/member.service.ts'
import { getOwner } from '../../src/identity/user.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { newAddress } from '../support/addresses.ts'
import { PASSWORD, trySignIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import {
  addMember,
  inviteTo,
  MEMBERS,
  membersTest,
  signInMember,
  submitInvitation,
} from '../support/members.ts'

const test = membersTest()

describe('a member', () => {
  test('loses access immediately when removed, even on open pages', async ({
    app,
    owner,
    person,
  }) => {
    const member = await signInMember(app, owner, 'editor')
    const { csrf } = formOf(await member.open('/console'))
    const reply = await person.send(`${MEMBERS}/${member.user.id}/remove`)
    expect([reply.statusCode, reply.headers.location]).toEqual([303, `${MEMBERS}?done=removed`])
    expect((await member.open('/console')).statusCode).toBe(303)
    const formReply = await postForm(
      app,
      '/console/links/new',
      { csrf, url: 'https://example.com/' },
      { cookie: member.cookie },
    )
    expect([formReply.statusCode, formReply.headers.location]).toEqual([303, '/console/sign-in'])
    const signInReply = await trySignIn(
      app,
      { email: member.user.email, password: PASSWORD },
      { address: newAddress() },
    )
    expect([signInReply.statusCode, signInReply.body]).toEqual([
      403,
      expect.stringContaining('a member of any account'),
    ])
  })

  test('of another account cannot be removed or changed', async ({ app, make, person }) => {
    const { user } = await addMember(app, await make.owner(), 'viewer')
    for (const form of ['remove', 'role']) {
      const reply = await person.send(`${MEMBERS}/${user.id}/${form}`, { role: 'viewer' })
      expect(reply.statusCode).toBe(404)
    }
  })
})

test('a member of two accounts keeps the role and the membership in the other one', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { db } = app.services
  const { user } = await addMember(app, owner, 'editor')
  const other = await make.owner()
  const { path } = await inviteTo(app, other, 'editor', user.email)
  await submitInvitation(app, path, { password: PASSWORD })
  const listRoles = () =>
    db
      .selectFrom('members')
      .select(['account_id', 'role'])
      .where('user_id', '=', user.id)
      .orderBy('account_id')
      .execute()
  const inOther = { account_id: other.account.id, role: 'editor' }
  await person.send(`${MEMBERS}/${user.id}/role`, { role: 'viewer' })
  expect(await listRoles()).toEqual([{ account_id: owner.account.id, role: 'viewer' }, inOther])
  await person.send(`${MEMBERS}/${user.id}/remove`)
  expect(await listRoles()).toEqual([inOther])
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
  await removeMember(
    { db, accountId: owner.account.id },
    (await getOwner({ db, accountId: owner.account.id })).id,
  )
  expect(await getEmail()).toBe(user.email)
  const address = newAddress()
  await request({ ...update, payload: { password: 'a new password' } })
  const reply = await trySignIn(app, { email: user.email, password: 'a new password' }, { address })
  expect(reply.statusCode).toBe(303)
})

test("deleting a user keeps the account's links", async ({ app, make, owner }) => {
  const link = await make.link(owner)
  const member = await signInMember(app, owner, 'owner', newAddress())
  const rejected = await member.send('/console/account/delete-user', { userPassword: 'wrong' })
  expect(rejected.statusCode).toBe(422)
  const reply = await member.send('/console/account/delete-user', { userPassword: PASSWORD })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console/sign-in'])
  expect((await member.open('/console')).statusCode).toBe(303)
  expect((await app.request({ url: `/${link.alias}` })).statusCode).toBe(302)
  const signInReply = await trySignIn(
    app,
    { email: member.user.email, password: PASSWORD },
    { address: newAddress() },
  )
  expect(signInReply.statusCode).toBe(422)
})

test('deleting an account deletes users without another account', async ({ app, make, owner }) => {
  const { db } = app.services
  const other = await make.owner()
  const memberWithoutAccount = await addMember(app, owner, 'viewer')
  const { path } = await inviteTo(app, owner, 'viewer', other.account.email)
  await submitInvitation(app, path, { password: PASSWORD })
  await deleteOwnAccount(scopeOf(app.services, owner.account.id))
  await finishDeletion({ db, accountId: owner.account.id })
  const remaining = await db.selectFrom('users').select('email').execute()
  const emails = remaining.map(({ email }) => email)
  expect(emails).toContain(other.account.email)
  expect(emails).not.toContain(memberWithoutAccount.user.email)
  expect(emails).not.toContain(owner.account.email)
  expect(await getAccount(db, other.account.id)).toMatchObject({ username: other.account.username })
})

test('rejects switching to a foreign or unknown account', async ({ make, person }) => {
  const other = await make.owner()
  for (const account of [String(other.account.id), '0', 'x', '']) {
    const reply = await person.send('/console/accounts/switch', { account })
    expect([account, reply.statusCode]).toEqual([account, 404])
  }
})

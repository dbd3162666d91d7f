import { describe, expect } from 'vitest'
import { changeRole, deleteUser, removeMember } from '../../src/identity/member.service.ts'
import { createSession } from '../../src/identity/session.service.ts'
import { getOwner } from '../../src/identity/user.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { newAddress } from '../support/addresses.ts'
import { openSession, PASSWORD } from '../support/console.ts'
import { addMember, signInMember } from '../support/members.ts'
import { signInTest } from '../support/sign-in-test.ts'

const PAGE = '/console/members'
const LAST_OWNER_ERROR = 'An account needs an owner. Make someone else an owner first.'

const test = signInTest().extend('person', async ({ app, owner }) => {
  const token = await createSession(scopeOf(app.services, owner.account.id))
  return openSession(app, `brevis_session=${token}`, newAddress())
})

test('demoting or removing another owner requires the password', async ({ app, owner, person }) => {
  const other = await signInMember(app, owner, 'owner')
  const path = `${PAGE}/${other.user.id}`
  const passwordField = `password-${other.user.id}`
  const body = (await person.open(PAGE)).body
  expect(body).toMatch(new RegExp(`name="${passwordField}"[^>]* required`))
  for (const rejectedInput of [{}, { [passwordField]: 'not the password' }]) {
    for (const reply of [
      await person.send(`${path}/role`, { role: 'viewer', ...rejectedInput }),
      await person.send(`${path}/remove`, rejectedInput),
    ]) {
      expect([reply.statusCode, reply.body]).toEqual([
        422,
        expect.stringContaining('Incorrect password.'),
      ])
    }
  }
  expect((await other.open(PAGE)).statusCode).toBe(200)
  const demoted = await person.send(`${path}/role`, { role: 'editor', [passwordField]: PASSWORD })
  expect(demoted.statusCode).toBe(303)
  expect((await other.open(PAGE)).statusCode).toBe(403)
  expect((await person.send(`${path}/role`, { role: 'viewer' })).statusCode).toBe(303)
  const promoted = await person.send(`${path}/role`, { role: 'owner', [passwordField]: PASSWORD })
  expect(promoted.statusCode).toBe(303)
  const removed = await person.send(`${path}/remove`, { [passwordField]: PASSWORD })
  expect(removed.statusCode).toBe(303)
  expect((await other.open('/console')).statusCode).toBe(303)
})

test('an owner can step down without the password', async ({ app, owner, person }) => {
  await addMember(app, owner, 'owner')
  const { id } = await getOwner({ db: app.services.db, accountId: owner.account.id })
  const reply = await person.send(`${PAGE}/${id}/role`, { role: 'viewer' })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console'])
})

test('rejects a change if the member’s role has changed', async ({ app, owner }) => {
  const { db } = app.services
  const { user } = await addMember(app, owner, 'owner')
  const scope = { db, accountId: owner.account.id }
  await expect(removeMember(scope, user.id, 'editor')).rejects.toMatchObject({
    code: 'member_changed',
  })
  await expect(changeRole(scope, user.id, 'viewer', 'editor')).rejects.toMatchObject({
    status: 409,
  })
  await removeMember(scope, user.id, 'owner')
})

describe('the last owner', () => {
  test('cannot leave, be demoted, removed or deleted', async ({ app, owner, person }) => {
    await addMember(app, owner, 'editor')
    const { id } = await getOwner({ db: app.services.db, accountId: owner.account.id })
    expect((await person.open('/console/account')).body).not.toContain('Leave account')
    for (const [form, fields] of [
      [`${PAGE}/${id}/role`, { role: 'viewer' }],
      [`${PAGE}/${id}/remove`, {}],
      ['/console/account/leave', {}],
      ['/console/account/delete-user', { userPassword: PASSWORD }],
    ] as const) {
      const reply = await person.send(form, fields)
      expect([form, reply.statusCode, reply.body.includes(LAST_OWNER_ERROR)]).toEqual([
        form,
        409,
        true,
      ])
    }
    expect((await person.open(PAGE)).statusCode).toBe(200)
  })

  test('remains if two owners leave concurrently', async ({ app, owner }) => {
    const { db } = app.services
    const first = await getOwner({ db, accountId: owner.account.id })
    const { user: second } = await addMember(app, owner, 'owner')
    for (const removeOwner of [
      (id: number) => removeMember({ db, accountId: owner.account.id }, id),
      (id: number) => changeRole({ db, accountId: owner.account.id }, id, 'viewer'),
      (id: number) => deleteUser(db, id),
    ]) {
      const results = await Promise.allSettled([removeOwner(first.id), removeOwner(second.id)])
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      Object.assign(first, await getOwner({ db, accountId: owner.account.id }))
      Object.assign(second, (await addMember(app, owner, 'owner')).user)
    }
  })
})

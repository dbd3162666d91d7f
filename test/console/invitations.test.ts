import { describe, expect } from 'vitest'
import { deleteOwnAccount } from '../../src/account-deletion/account-deletion.ts'
import { inTransaction, type Tx } from '../../src/db/transaction.ts'
import { consumeInvitationsFor } from '../../src/identity/invitation.queries.ts'
import { suspendAccount } from '../../src/operator/account-actions.service.ts'
import { COMMAND_LINE } from '../../src/operator-log/operator-log.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { newAddress } from '../support/addresses.ts'
import { openSession, PASSWORD, sessionCookieOf, signedIn, trySignIn } from '../support/console.ts'
import {
  inviteTo,
  MEMBERS,
  membersTest,
  signInMember,
  submitInvitation,
} from '../support/members.ts'

const INVITATION_EXPIRED = 'This invitation has expired or was already used. Ask for a new one.'

const test = membersTest()

/** Returns the path of the invitation link on a page. */
const readLink = (body: string) =>
  new URL(/http:\/\/brev\.test\/console\/invitations\/[\w-]{43}/.exec(body)?.[0] ?? '').pathname

describe('an invitation', () => {
  test('works for new users even if registration is closed', async ({ app, owner, person }) => {
    const reply = await person.send(`${MEMBERS}/invite`, {
      email: 'new@example.org',
      role: 'editor',
    })
    expect(reply.statusCode).toBe(200)
    const path = readLink(reply.body)
    expect((await person.open(MEMBERS)).body).toContain('new@example.org')
    const page = await app.request({ url: path })
    expect(page.headers['referrer-policy']).toBe('strict-origin')
    expect(page.headers['cache-control']).toBe('private, no-store')
    expect(page.body).toContain(`Join the account ${owner.account.username}`)
    expect((await submitInvitation(app, path, { password: 'short' })).statusCode).toBe(422)
    const accepted = await submitInvitation(app, path, { password: PASSWORD })
    expect([accepted.statusCode, accepted.headers.location]).toEqual([303, '/console'])
    const member = openSession(app, sessionCookieOf(accepted), newAddress())
    expect((await member.open('/console')).body).toContain(owner.account.username)
    const created = await member.send('/console/links/new', {
      url: 'https://example.com/by-editor',
    })
    expect(created.statusCode).toBe(303)
    expect((await member.open('/console/keys')).statusCode).toBe(403)
    const secondReply = await submitInvitation(app, path, { password: PASSWORD })
    expect([secondReply.statusCode, secondReply.body]).toEqual([
      410,
      expect.stringContaining(INVITATION_EXPIRED),
    ])
    const signInReply = await trySignIn(
      app,
      { email: 'new@example.org', password: PASSWORD },
      { address: newAddress() },
    )
    expect(signInReply.statusCode).toBe(303)
  })

  test('requires the password of an existing user and adds the account', async ({
    app,
    make,
    owner,
  }) => {
    const other = await make.owner()
    const { path } = await inviteTo(app, owner, 'viewer', other.account.email)
    const wrong = await submitInvitation(app, path, { password: 'not the password' })
    expect([wrong.statusCode, wrong.body]).toEqual([
      422,
      expect.stringContaining('Incorrect password.'),
    ])
    expect(sessionCookieOf(wrong)).toBe('')
    const reply = await submitInvitation(app, path, { password: PASSWORD })
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
    const otherPerson = await signedIn(app, other, newAddress())
    const { path } = await inviteTo(app, owner, 'editor')
    const reply = await submitInvitation(app, path, {}, otherPerson.cookie)
    expect(reply.statusCode).toBe(303)
    expect((await otherPerson.open('/console')).body).toContain(owner.account.username)
    const { path: secondPath } = await inviteTo(app, owner, 'owner')
    const rejected = await submitInvitation(app, secondPath, {}, otherPerson.cookie)
    expect([rejected.statusCode, rejected.body]).toEqual([
      409,
      expect.stringContaining('already a member'),
    ])
  })

  test.for([
    'it has expired',
    'it was withdrawn',
    'its link was renewed',
    'the person was invited again',
    'its account is deleted',
    'its account is suspended',
  ])('is invalid if %s', async (reason, { app, owner, person }) => {
    const { id, path, email } = await inviteTo(app, owner, 'editor')
    if (reason === 'it has expired') app.clock.advance(7 * 86_400)
    if (reason === 'it was withdrawn') await person.send(`${MEMBERS}/invitations/${id}/withdraw`)
    if (reason === 'its link was renewed') {
      const { body } = await person.send(`${MEMBERS}/invitations/${id}/link`)
      expect((await app.request({ url: readLink(body) })).statusCode).toBe(200)
    }
    if (reason === 'the person was invited again')
      await person.send(`${MEMBERS}/invite`, { email, role: 'viewer' })
    if (reason === 'its account is deleted') {
      await deleteOwnAccount(scopeOf(app.services, owner.account.id))
    }
    if (reason === 'its account is suspended') {
      const { db } = app.services
      await suspendAccount(app.services, db, COMMAND_LINE, owner.account.id, { suspended: true })
    }
    for (const reply of [
      await app.request({ url: path }),
      await submitInvitation(app, path, { password: PASSWORD }),
    ]) {
      expect(reply.statusCode).toBe(410)
      expect(sessionCookieOf(reply)).toBe('')
    }
  })

  test('of another account is not listed, renewed, withdrawn or replaced', async ({
    app,
    make,
    owner,
    person,
  }) => {
    const other = await make.owner()
    const { id, path, email } = await inviteTo(app, other, 'editor')
    const otherPerson = await signedIn(app, other, newAddress())
    expect((await otherPerson.open(MEMBERS)).body).toContain(email)
    expect((await person.open(MEMBERS)).body).not.toContain(email)
    for (const form of ['link', 'withdraw']) {
      const reply = await person.send(`${MEMBERS}/invitations/${id}/${form}`)
      expect([form, reply.statusCode]).toEqual([form, 404])
    }
    await inviteTo(app, owner, 'viewer', email)
    expect((await app.request({ url: path })).statusCode).toBe(200)
  })

  test('that has expired is not listed, renewed or accepted by a sign-in', async ({
    app,
    owner,
    person,
  }) => {
    const { db } = app.services
    const { id, email } = await inviteTo(app, owner, 'editor')
    expect((await person.open(MEMBERS)).body).toContain(email)
    app.clock.advance(7 * 86_400)
    expect((await person.open(MEMBERS)).body).not.toContain(email)
    expect((await person.send(`${MEMBERS}/invitations/${id}/link`)).statusCode).toBe(404)
    const consume = (tx: Tx) => consumeInvitationsFor(tx, email, app.clock())
    expect(await inTransaction(db, consume)).toEqual([])
  })

  test('for an owner is not renewed without the password', async ({ app, owner, person }) => {
    const { id, path } = await inviteTo(app, owner, 'owner')
    expect((await person.open(MEMBERS)).body).not.toContain(`${MEMBERS}/invitations/${id}/link`)
    expect((await person.send(`${MEMBERS}/invitations/${id}/link`)).statusCode).toBe(404)
    expect((await app.request({ url: path })).statusCode).toBe(200)
  })

  test('is accepted only once by concurrent requests', async ({ app, owner }) => {
    const { path } = await inviteTo(app, owner, 'editor')
    const replies = await Promise.all(
      ['a', 'b'].map((suffix) =>
        submitInvitation(app, path, { password: `${PASSWORD} ${suffix}` }),
      ),
    )
    expect(replies.filter(({ statusCode }) => statusCode === 303)).toHaveLength(1)
  })

  test('as an owner requires the password, as does a promotion to owner', async ({
    app,
    owner,
    person,
  }) => {
    const fields = { email: 'boss@example.org', role: 'owner' }
    expect((await person.send(`${MEMBERS}/invite`, fields)).statusCode).toBe(422)
    const reply = await person.send(`${MEMBERS}/invite`, { ...fields, currentPassword: PASSWORD })
    expect(reply.statusCode).toBe(200)
    const viewer = await signInMember(app, owner, 'viewer')
    const rolePath = `${MEMBERS}/${viewer.user.id}/role`
    const rejected = await person.send(rolePath, { role: 'owner' })
    expect(rejected.statusCode).toBe(422)
    const promoted = await person.send(rolePath, {
      role: 'owner',
      [`password-${viewer.user.id}`]: PASSWORD,
    })
    expect(promoted.statusCode).toBe(303)
    expect((await viewer.open(MEMBERS)).statusCode).toBe(200)
  })

  test.for([
    ['not an email', 'editor'],
    ['a@b.test\r\nBcc: c@d.test', 'editor'],
    ['a@b.test', 'admin'],
    ['a@b.test', ''],
  ])('to %j as %j is rejected', async ([email = '', role = ''], { person }) => {
    expect((await person.send(`${MEMBERS}/invite`, { email, role })).statusCode).toBe(422)
  })

  test('to a member is rejected', async ({ owner, person }) => {
    const email = owner.account.email.toUpperCase()
    const reply = await person.send(`${MEMBERS}/invite`, { email, role: 'viewer' })
    expect(reply.body).toContain('This person is already a member.')
  })

  test('is limited to twenty per hour', async ({ person }) => {
    for (let count = 0; count < 20; count += 1) {
      const email = `many${count}@example.org`
      expect((await person.send(`${MEMBERS}/invite`, { email, role: 'viewer' })).statusCode).toBe(
        200,
      )
    }
    const reply = await person.send(`${MEMBERS}/invite`, { email: 'x@example.org', role: 'viewer' })
    expect(reply.statusCode).toBe(429)
  })
})

import { describe, expect } from 'vitest'
import { getAccount } from '../../src/identity/account.service.ts'
import { removeMember } from '../../src/identity/member.service.ts'
import { getOwner } from '../../src/identity/user.service.ts'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn } from '../support/console.ts'
import type { Owner } from '../support/make.ts'
import { addMember, inviteTo, submitInvitation } from '../support/members.ts'
import {
  addPasskey,
  openSecondStep,
  pendingCookieOf,
  turnOnCodes,
  VERIFY,
} from '../support/second-factor.ts'
import { signInTest } from '../support/sign-in-test.ts'

const test = signInTest({ env: { BASE_URL: 'https://brev.test' } })
  .extend('person', ({ app, email }) => signIn(app, email, newAddress()))
  .extend('phone', async ({ app, person }) => {
    const phone = await turnOnCodes(app, person)
    app.clock.advance(60)
    return phone
  })
  .extend('host', ({ make, phone: _ }) => make.owner())

/** Submits the form of an invitation with the password, and opens the second step. */
async function acceptFirstStep(app: TestApp, path: string) {
  const reply = await submitInvitation(app, path, { password: PASSWORD })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, VERIFY])
  expect(sessionCookieOf(reply)).toBe('')
  return openSecondStep(app, pendingCookieOf(reply))
}

/** Returns the email addresses of an account's members in the order in which they joined. */
async function listMemberEmails({ services }: TestApp, { account }: Owner): Promise<string[]> {
  const rows = await services.db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('email')
    .where('account_id', '=', account.id)
    .orderBy('members.created_at')
    .execute()
  return rows.map(({ email }) => email)
}

describe('an invitation accepted with the password by a user with a second factor', () => {
  test('adds the user after the second step', async ({ app, host, email, phone }) => {
    const { path } = await inviteTo(app, host, 'viewer', email)
    const { send } = await acceptFirstStep(app, path)
    expect((await send(phone.wrongCode())).statusCode).toBe(422)
    expect(await listMemberEmails(app, host)).toEqual([host.account.email])
    expect((await app.request({ url: path })).statusCode).toBe(200)
    const guest = openSession(app, sessionCookieOf(await send(phone.code())))
    expect((await guest.open('/console')).body).toContain(host.account.username)
    expect(await listMemberEmails(app, host)).toEqual([host.account.email, email])
    expect((await app.request({ url: path })).statusCode).toBe(410)
  })

  test('works with a passkey', async ({ app, host, email, person }) => {
    const authenticator = createAuthenticator()
    await addPasskey(person, authenticator)
    const { path } = await inviteTo(app, host, 'viewer', email)
    const { options, sendPasskey } = await acceptFirstStep(app, path)
    expect((await sendPasskey(authenticator.get(options))).statusCode).toBe(303)
    expect(await listMemberEmails(app, host)).toContain(email)
  })

  test('works for a user who has left every account', async ({
    app,
    owner,
    host,
    email,
    phone,
  }) => {
    const { db } = app.services
    await addMember(app, owner, 'owner')
    await removeMember(
      { db, accountId: owner.account.id },
      (await getOwner({ db, accountId: owner.account.id })).id,
    )
    const { path } = await inviteTo(app, host, 'editor', email)
    const { send } = await acceptFirstStep(app, path)
    const guest = openSession(app, sessionCookieOf(await send(phone.code())))
    expect((await guest.open('/console')).body).toContain(host.account.username)
    expect(await getAccount(db, owner.account.id)).not.toMatchObject({ email })
  })

  test('is rejected if the invitation is withdrawn between the steps', async ({
    app,
    host,
    email,
    phone,
  }) => {
    const { path, id } = await inviteTo(app, host, 'viewer', email)
    const { send } = await acceptFirstStep(app, path)
    await app.services.db.deleteFrom('invitations').where('id', '=', id).execute()
    const reply = await send(phone.code())
    expect([reply.statusCode, sessionCookieOf(reply)]).toEqual([410, ''])
    expect(reply.body).toContain('This invitation has expired or was already used.')
    expect(await listMemberEmails(app, host)).toEqual([host.account.email])
  })

  test('is accepted only once by concurrent second steps', async ({ app, host, email, phone }) => {
    const { path } = await inviteTo(app, host, 'viewer', email)
    const steps = [await acceptFirstStep(app, path), await acceptFirstStep(app, path)]
    const codes = [phone.code(), phone.recoveryCodes[0] ?? '']
    const replies = await Promise.all(steps.map(({ send }, index) => send(codes[index] ?? '')))
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([303, 410])
    expect(await listMemberEmails(app, host)).toEqual([host.account.email, email])
  })
})

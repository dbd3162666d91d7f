import { describe, expect } from 'vitest'
import { updateUser } from '../../src/identity/user.service.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn } from '../support/console.ts'
import { formOf, postForm, submitPageForm } from '../support/forms.ts'
import { inviteTo } from '../support/members.ts'
import { createPasswordReset } from '../support/password-reset.ts'
import { providerTest } from '../support/provider-test.ts'

const test = providerTest({ REGISTRATION: 'closed' })

const createPerson = (sub: string) => ({ sub, email: `${sub}@example.org`, email_verified: true })

describe('while registration is closed', () => {
  test('does not create a user without an invitation', async ({ signInAs, getUser }) => {
    const reply = await signInAs(createPerson('stranger'))
    expect([reply.statusCode, reply.body]).toEqual([
      403,
      expect.stringContaining('Ask an admin for an invitation.'),
    ])
    expect(await getUser('stranger')).toBeUndefined()
  })

  test('adds only people whose verified email was invited', async ({
    app,
    owner,
    signInAs,
    getUser,
  }) => {
    await inviteTo(app, owner, 'viewer', 'Invited@example.org')
    const other = { ...createPerson('other'), email: 'invited@example.org', email_verified: false }
    expect((await signInAs(other)).statusCode).toBe(403)
    const reply = await signInAs(createPerson('invited'))
    expect(reply.statusCode).toBe(303)
    expect(await getUser('invited')).toBeDefined()
    const page = await openSession(app, sessionCookieOf(reply)).open('/console/accounts')
    expect(page.body).toContain(owner.account.username)
    expect(page.body).toContain('Viewer')
    const { rows } = await app.services.database.pool.query('select from invitations')
    expect(rows).toHaveLength(0)
  })

  test('adds a person with an invitation link who confirms the form', async ({
    app,
    owner,
    provider,
    followSignIn,
    getUser,
  }) => {
    const { path } = await inviteTo(app, owner, 'editor')
    const page = await app.request({ url: path })
    expect(page.body).toContain('Accept with Corp')
    const { csrf, cookie } = formOf(page)
    const forged = await postForm(app, `${path}/provider`, {}, { cookie })
    expect(forged.statusCode).toBe(403)
    const started = await postForm(app, `${path}/provider`, { csrf }, { cookie })
    const [, url = ''] = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(started.body) ?? []
    expect(started.headers['content-security-policy']).toContain("form-action 'self'")
    provider.state.person = { sub: 'holder', email: 'holder@example.org' }
    const { finish } = await followSignIn(started, url.replaceAll('&amp;', '&'))
    expect((await finish()).statusCode).toBe(303)
    expect(await getUser('holder')).toMatchObject({ email_verified: false })
    expect((await app.request({ url: path })).statusCode).toBe(410)
  })
})

describe('a user with a password', () => {
  test('connects the provider in the settings and signs in with it', async ({
    app,
    make,
    provider,
    followSignIn,
    signInAs,
    getUser,
  }) => {
    const { account } = await make.owner()
    const { open, send, cookie } = await signIn(app, account.email, '198.51.100.251')
    provider.state.person = { sub: 'own', email: account.email, email_verified: true }
    expect((await open('/console/settings')).body).toContain('Connect Corp')
    const wrong = await send('/console/settings/connect', { currentPassword: 'not this one' })
    expect([wrong.statusCode, wrong.body.includes('currentPassword-error')]).toEqual([422, true])
    const started = await send('/console/settings/connect', { currentPassword: PASSWORD })
    const [, url = ''] = /content="0; url=([^"]*)"/.exec(started.body) ?? []
    const { finish, cookie: pending } = await followSignIn(started, url.replaceAll('&amp;', '&'))
    // Another user's browser, which did not start this sign-in.
    const attacker = await signIn(app, (await make.owner()).account.email, '198.51.100.252')
    const foreign = await finish({ cookie: `${pending}; ${attacker.cookie}` })
    expect(foreign.statusCode).toBe(403)
    expect(await getUser('own')).toBeUndefined()
    const again = await send('/console/settings/connect', { currentPassword: PASSWORD })
    const [, next = ''] = /content="0; url=([^"]*)"/.exec(again.body) ?? []
    const browser = await followSignIn(again, next.replaceAll('&amp;', '&'))
    const connected = await browser.finish({ cookie: `${browser.cookie}; ${cookie}` })
    expect([connected.statusCode, connected.headers.location]).toEqual([303, '/console/settings'])
    expect(await getUser('own')).toMatchObject({ email: account.email, email_verified: true })
    expect((await open('/console/settings')).body).toContain('Connected to Corp.')
    expect((await signInAs(provider.state.person)).statusCode).toBe(303)
  })

  test('is matched by an email that an admin confirmed', async ({ make, signInAs, confirm }) => {
    const { account } = await make.owner()
    const identity = { sub: 'confirmed', email: account.email, email_verified: true }
    expect((await signInAs(identity)).statusCode).toBe(403)
    await confirm(account.email)
    expect((await signInAs(identity)).statusCode).toBe(303)
  })

  test('is not matched by an email for which an admin created a reset link', async ({
    app,
    make,
    createUser,
    signInAs,
  }) => {
    const { db } = app.services
    const { account } = await make.owner()
    const created = await createUser('handed@example.org', 'handed')
    const links = [
      await createPasswordReset(app.services, db, account.id),
      await createPasswordReset(app.services, db, created.account.id),
    ]
    for (const { url } of links) {
      const fields = { newPassword: 'a password of a stranger' }
      expect((await submitPageForm(app, new URL(url).pathname, fields)).statusCode).toBe(303)
    }
    for (const email of [account.email, 'handed@example.org']) {
      const identity = { sub: `owner-of-${email}`, email, email_verified: true }
      const reply = await signInAs(identity)
      expect([reply.statusCode, reply.body]).toEqual([
        403,
        expect.stringContaining('never confirmed here'),
      ])
    }
  })

  test('is not matched by an unconfirmed new email', async ({ app, createUser, signInAs }) => {
    const { user } = await createUser('mover@example.org', 'mover')
    await updateUser(app.services, app.services.db, user.id, { email: 'victim@example.org' })
    expect((await signInAs(createPerson('victim'))).statusCode).toBe(403)
  })
})

test('a user without a password confirms changes by signing in again', async ({
  app,
  createUser,
  signInAs,
  startSignIn,
}) => {
  await createUser('nopass@example.org', 'nopass')
  const reply = await signInAs(createPerson('nopass'))
  const user = openSession(app, sessionCookieOf(reply))
  const page = await user.open('/console/account')
  expect(page.body).not.toContain('type="password"')
  expect(page.body).toContain('/console/oidc/start?again=1&amp;next=%2Fconsole%2Faccount')
  const change = { email: 'renamed@example.org' }
  app.clock.advance(601_000)
  const lateChange = await user.send('/console/account/email', change)
  expect([lateChange.statusCode, lateChange.body.includes('Sign in again to confirm')]).toEqual([
    403,
    true,
  ])
  const { finish, start } = await startSignIn('/console/oidc/start?again=1&next=/console/account')
  expect(String(start.headers.location)).toContain('prompt=login')
  const fresh = openSession(app, sessionCookieOf(await finish()))
  expect((await fresh.send('/console/account/email', change)).statusCode).toBe(303)
})

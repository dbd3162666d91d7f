import { expect } from 'vitest'
import { startPasskeySignIn } from '../../src/identity/second-factor/passkeys.service.ts'
import { createSession, signIn } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { commandLine, runCommand } from '../support/command.ts'
import { openSession, PASSWORD, sessionCookieOf } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { inviteTo } from '../support/members.ts'
import { createPasswordReset } from '../support/password-reset.ts'
import { providerTest } from '../support/provider-test.ts'

const MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'brevis@brev.test' }

const test = providerTest({ ...MAIL, PASSWORD_SIGN_IN: 'off' })

test('pages offer only sign-in with the provider', async ({ app, owner }) => {
  const { body } = await app.request({ url: '/console/sign-in' })
  expect(body).toContain('Continue with Corp')
  expect(body).not.toMatch(/type="password"|forgot|register/i)
  const register = await app.request({ url: '/register' })
  expect([register.statusCode, register.headers.location]).toEqual([303, '/console/sign-in'])
  const { path } = await inviteTo(app, owner, 'editor')
  const invitation = await app.request({ url: path })
  expect(invitation.body).toContain('Accept with Corp')
  expect(invitation.body).not.toContain('type="password"')
  const token = await createSession(scopeOf(app.services, owner.account.id))
  const person = openSession(app, `brevis_session=${token}`)
  for (const page of [
    '/console/account',
    '/console/keys',
    '/console/members',
    '/console/settings',
  ]) {
    const opened = await person.open(page)
    expect([page, opened.statusCode, opened.body.includes('type="password"')]).toEqual([
      page,
      200,
      false,
    ])
  }
})

test('forms reject passwords', async ({ app, owner }) => {
  const { email, id } = owner.account
  const { csrf, cookie } = formOf(await app.request({ url: '/console/sign-in' }))
  const post = (url: string, fields: Record<string, string>) =>
    postForm(app, url, { csrf, ...fields }, { cookie })
  const { path } = await inviteTo(app, owner, 'editor')
  const replies = {
    signIn: await post('/console/sign-in', { email, password: PASSWORD }),
    register: await post('/register', { email: 'a@b.test', username: 'ab', password: PASSWORD }),
    invitation: await post(path, { password: PASSWORD }),
    forgot: await post('/console/forgot-password', { email }),
    reset: await post(`/console/reset-password/${'a'.repeat(43)}`, { newPassword: PASSWORD }),
  }
  const statuses = Object.entries(replies).map(([name, { statusCode }]) => [name, statusCode])
  expect(Object.fromEntries(statuses)).toEqual({
    signIn: 403,
    register: 403,
    invitation: 403,
    forgot: 404,
    reset: 404,
  })
  for (const reply of Object.values(replies)) expect(sessionCookieOf(reply)).toBe('')
  const token = await createSession(scopeOf(app.services, id))
  const person = openSession(app, `brevis_session=${token}`)
  const fields = { currentPassword: PASSWORD, newPassword: 'another password' }
  const changed = await person.send('/console/account/password', fields)
  expect([changed.statusCode, changed.body.includes('Passwords are turned off')]).toEqual([
    403,
    true,
  ])
})

test('services reject passwords and passkeys', async ({ app, owner }) => {
  const { services } = app
  const code = { code: 'password_sign_in_off' }
  const credentials = { email: owner.account.email, password: PASSWORD, address: '198.51.100.1' }
  await expect(signIn(services, services.db, credentials)).rejects.toMatchObject(code)
  // A passkey alone would bypass the provider.
  const passkey = startPasskeySignIn(services, services.db, '198.51.100.1')
  await expect(passkey).rejects.toMatchObject(code)
  await expect(createPasswordReset(services, services.db, owner.account.id)).rejects.toMatchObject(
    code,
  )
})

test('the API changes the email but no password', async ({ app, owner }) => {
  const update = (payload: object) =>
    app.request({
      method: 'PUT',
      url: '/api/account/update',
      headers: owner.headers,
      payload,
    })
  const rejected = await update({ password: 'another password' })
  expect([rejected.statusCode, rejected.json()]).toEqual([
    403,
    { error: 1, message: 'Passwords are turned off here. Sign in another way.' },
  ])
  expect((await update({ email: owner.account.email })).statusCode).toBe(200)
  expect((await app.request({ url: '/api/account', headers: owner.headers })).statusCode).toBe(200)
})

test('the command line does not create reset links', async ({ app, owner, provider }) => {
  const env = { ...commandLine(app).settings(), ...provider.settings, PASSWORD_SIGN_IN: 'off' }
  const rejected = await runCommand(['account', 'reset-password', owner.account.email], { env })
  expect([rejected.code, rejected.stderr]).toEqual([
    1,
    expect.stringContaining('PASSWORD_SIGN_IN=off'),
  ])
})

test('users created by admins are matched by email and need no reset link', async ({
  createUser,
  signInAs,
}) => {
  const { welcome } = await createUser('new@example.org', 'newcomer')
  expect(welcome).toEqual({ url: 'http://brev.test/console/sign-in' })
  const person = { sub: 'newcomer', email: 'new@example.org', email_verified: true }
  expect((await signInAs(person)).statusCode).toBe(303)
})

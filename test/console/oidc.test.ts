import { describe, expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { openSession, sessionCookieOf } from '../support/console.ts'
import { openIdentityProvider, type ProviderPerson } from '../support/identity-provider.ts'
import { providerTest } from '../support/provider-test.ts'

const test = providerTest({ OIDC_ADMIN_GROUP: 'brevis-admins' })

test('creates an account at the first sign-in and finds it by the subject later', async ({
  app,
  signInAs,
  getUser,
}) => {
  const person = {
    sub: 'anna',
    email: 'Anna.Müller@example.org',
    email_verified: true,
    preferred_username: 'anna',
    zoneinfo: 'Europe/Berlin',
  }
  const first = await signInAs(person)
  expect([first.statusCode, first.headers.location]).toEqual([303, '/console'])
  const user = await getUser('anna')
  expect(user).toMatchObject({
    email: person.email,
    time_zone: 'Europe/Berlin',
    password_hash: null,
    email_verified: true,
  })
  const page = await openSession(app, sessionCookieOf(first)).open('/console/account')
  expect(page.body).toMatch(
    /<span class="user-name">Anna.Müller@example.org<span class="[^"]*">Account anna · Owner</,
  )
  // A changed email at the provider changes nothing here, even if another user has it.
  const again = await signInAs({ ...person, email: 'new@example.org' })
  expect(again.statusCode).toBe(303)
  expect(await getUser('anna')).toEqual(user)
})

test('redirects to the provider and back to the requested page', async ({
  app,
  provider,
  startSignIn,
}) => {
  const { body } = await app.request({ url: '/console/sign-in?next=/console/keys' })
  expect(body).toContain('href="/console/oidc/start?next=%2Fconsole%2Fkeys">Continue with Corp<')
  provider.state.person = { sub: 'next', email: 'next@example.org', email_verified: true }
  const { finish } = await startSignIn('/console/oidc/start?next=/console/keys')
  expect((await finish()).headers.location).toBe('/console/keys')
  for (const next of ['https://evil.example/', '//evil.example/console', '/api', '/console/../x']) {
    const external = await startSignIn(`/console/oidc/start?${new URLSearchParams({ next })}`)
    expect((await external.finish()).headers.location).toBe('/console')
  }
})

describe('rejects', () => {
  const pastSeconds = Math.floor(Date.now() / 1000) - 3600
  test.for([
    ['a wrong audience', { aud: 'another-client' }],
    ['a wrong issuer', { iss: 'https://evil.example' }],
    ['a wrong nonce', { nonce: 'another nonce' }],
    ['no nonce', { nonce: undefined }],
    ['an expired token', { iat: pastSeconds - 60, exp: pastSeconds }],
    ['a token from the future', { iat: Math.floor(Date.UTC(2999, 0) / 1000) }],
    ['a token for another party', { aud: ['brevis', 'other'], azp: 'other' }],
    ['no subject', { sub: '' }],
  ] as const)('%s', async ([, changes], { provider, startSignIn, listUsers }) => {
    const usersBefore = await listUsers()
    provider.state.person = { sub: 'mallory', email: 'mallory@example.org', email_verified: true }
    provider.state.tamper = (claims) => ({ ...claims, ...changes })
    const { finish } = await startSignIn()
    const reply = await finish()
    provider.state.tamper = undefined
    expectRejected(reply, 'Sign-in failed.')
    expect(await listUsers()).toEqual(usersBefore)
  })

  test('a token signed by another key', async ({ provider, startSignIn }) => {
    provider.state.person = { sub: 'mallory', email: 'mallory@example.org', email_verified: true }
    provider.state.usesWrongKey = true
    const { finish } = await startSignIn()
    const reply = await finish()
    provider.state.usesWrongKey = false
    expectRejected(reply, 'Sign-in failed.')
  })

  test('a wrong state and a response from another issuer', async ({ startSignIn }) => {
    const { finish, callbackUrl } = await startSignIn()
    for (const [name, value] of [
      ['state', 'another state'],
      ['iss', 'https://evil.example'],
    ] as const) {
      const changed = new URL(callbackUrl)
      changed.searchParams.set(name, value)
      expectRejected(await finish({ callbackUrl: changed.href }), 'Sign-in failed.')
    }
  })

  test('a response in a browser that did not start the sign-in', async ({ startSignIn }) => {
    const attempt = await startSignIn()
    const other = await startSignIn()
    expectRejected(await attempt.finish({ cookie: '' }), 'This sign-in has expired.')
    expectRejected(await attempt.finish({ cookie: 'brevis_oidc=e30' }), 'This sign-in has expired.')
    expectRejected(await attempt.finish({ cookie: other.cookie }), 'Sign-in failed.')
  })

  test('a code that was used before', async ({ provider, startSignIn }) => {
    provider.state.person = { sub: 'replay', email: 'replay@example.org', email_verified: true }
    const { finish } = await startSignIn()
    expect((await finish()).statusCode).toBe(303)
    expectRejected(await finish(), 'Sign-in failed.')
  })

  test('an error of the provider, whose text is not shown', async ({ startSignIn }) => {
    const { finish, callbackUrl } = await startSignIn()
    const url = new URL(callbackUrl)
    url.searchParams.delete('code')
    url.searchParams.set('error', 'access_denied')
    url.searchParams.set('error_description', 'Call 555 to pay')
    const reply = await finish({ callbackUrl: url.href })
    expectRejected(reply, 'Sign-in failed.')
    expect(reply.body).not.toContain('555')
  })
})

describe('an email', () => {
  const createPerson = (sub: string, email: string, verified?: unknown): ProviderPerson => ({
    sub,
    email,
    ...(verified !== undefined && { email_verified: verified }),
  })

  test('that is verified matches a user created by an admin', async ({
    createUser,
    signInAs,
    getUser,
  }) => {
    const { user } = await createUser('known@example.org', 'known')
    expect((await signInAs(createPerson('k1', 'KNOWN@example.org', true))).statusCode).toBe(303)
    expect(await getUser('k1')).toMatchObject({ id: user.id })
  })

  test.for([[undefined], [false], ['false'], [1], [null]] as const)(
    'that is not verified (%j) matches no user',
    async ([verified], { createUser, signInAs, getUser }) => {
      const name = `unverified-${typeof verified}-${String(verified)}`
      const { user } = await createUser(`${name}@example.org`, name)
      const reply = await signInAs(createPerson(`u-${verified}`, user.email, verified))
      expectRejected(reply, 'hasn&#39;t verified the email')
      expect(await getUser(`u-${verified}`)).toBeUndefined()
    },
  )

  test('registered by another person does not share their account', async ({
    make,
    signInAs,
    getUser,
  }) => {
    const { account } = await make.owner()
    const reply = await signInAs(createPerson('victim', account.email, true))
    expectRejected(reply, 'was never confirmed here')
    expect(await getUser('victim')).toBeUndefined()
  })

  test('reassigned by the provider does not sign in as the former user', async ({
    createUser,
    signInAs,
  }) => {
    await createUser('reused@example.org', 'reused')
    expect((await signInAs(createPerson('before', 'reused@example.org', true))).statusCode).toBe(
      303,
    )
    const reply = await signInAs(createPerson('after', 'reused@example.org', true))
    expectRejected(reply, 'belongs to another person')
  })

  test('that is malformed or missing creates no user', async ({ signInAs, getUser }) => {
    for (const email of ['not an email', 'a\nb@example.org', undefined]) {
      const reply = await signInAs({ sub: 'odd', email_verified: true, ...(email && { email }) })
      expect([email, reply.statusCode < 500, reply.statusCode >= 400]).toEqual([email, true, true])
      expect(await getUser('odd')).toBeUndefined()
    }
  })

  test('of a person signing in twice concurrently creates one user', async ({
    provider,
    startSignIn,
    listUsers,
  }) => {
    provider.state.person = createPerson('twice', 'twice@example.org', true)
    const attempts = [await startSignIn(), await startSignIn()]
    const replies = await Promise.all(attempts.map(({ finish }) => finish()))
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([303, 303])
    expect((await listUsers()).filter(({ email }) => email === 'twice@example.org')).toHaveLength(1)
  })
})

test('the admin group grants and revokes the admin role', async ({
  app,
  signInAs,
  getLastLogLine,
}) => {
  const person = { sub: 'admin', email: 'admin@example.org', email_verified: true }
  const status = async (groups: unknown) => {
    const reply = await signInAs({ ...person, ...(groups !== undefined && { groups }) })
    const { open } = openSession(app, sessionCookieOf(reply))
    return (await open('/console/operator/users')).statusCode
  }
  expect(await status(['others'])).toBe(404)
  expect(await status(['others', 'brevis-admins'])).toBe(200)
  expect(await getLastLogLine(person.email)).toMatchObject({
    actor: 'identity provider',
    action: 'user.admin',
    detail: 'on',
  })
  expect(await status(['Brevis-admins'])).toBe(404)
  expect(await getLastLogLine(person.email)).toMatchObject({ detail: 'off' })
  expect(await status('brevis-admins')).toBe(200)
  expect(await status(undefined)).toBe(404)
})

describe('while the provider is unavailable', () => {
  const expectUnreachable = (reply: { statusCode: number; body: string }) =>
    expect([reply.statusCode, reply.body]).toEqual([
      503,
      expect.stringContaining('can&#39;t be reached'),
    ])

  test('sign-in shows an error, and works again afterward', async ({
    provider,
    signInAs,
    startSignIn,
  }) => {
    const person = { sub: 'retry', email: 'retry@example.org', email_verified: true }
    const { finish } = await startSignIn()
    provider.state.status = 502
    expectUnreachable(await finish())
    provider.state.status = undefined
    expect((await signInAs(person)).statusCode).toBe(303)
  })

  test('startup is not delayed, also if the provider is slow', async ({ openApp }) => {
    const provider = await openIdentityProvider({
      redirectUri: 'http://brev.test/console/oidc/callback',
    })
    let open: () => void = () => {}
    provider.state.gate = new Promise((resolve) => {
      open = resolve
    })
    const app: TestApp = await openApp(provider.settings)
    expect((await app.request({ url: '/console/sign-in' })).statusCode).toBe(200)
    expect(provider.state.requests).toEqual([])
    const slow = app.request({ url: '/console/oidc/start' })
    await expect.poll(() => provider.state.requests.length).toBe(1)
    expect((await app.request({ url: '/health/ready' })).statusCode).toBe(200)
    open()
    expect((await slow).statusCode).toBe(303)
    await provider.close()
    const unreachable = await openApp({ ...provider.settings, OIDC_ISSUER: 'http://127.0.0.1:9' })
    expectUnreachable(await unreachable.request({ url: '/console/oidc/start' }))
  })
})

/** Expects the sign-in page with an error, and no session. */
function expectRejected(
  reply: { statusCode: number; body: string; cookies: unknown[] },
  text: string,
) {
  expect([reply.statusCode, reply.body]).toEqual([403, expect.stringContaining(text)])
  expect(sessionCookieOf(reply as never)).toBe('')
}

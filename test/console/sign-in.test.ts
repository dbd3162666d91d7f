import { expect } from 'vitest'
import { getAccountByEmailOrUsername } from '../../src/identity/account.service.ts'
import { createRateLimiter } from '../../src/identity/rate-limiter.ts'
import * as sessions from '../../src/identity/session.service.ts'
import { setSuspended } from '../support/accounts.ts'
import { newAddress } from '../support/addresses.ts'
import { testApp } from '../support/app.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn, trySignIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { signInTest } from '../support/sign-in-test.ts'

const test = signInTest()

test('signs in with a session cookie, shows the overview, and signs out', async ({
  app,
  email,
  owner,
}) => {
  const reply = await trySignIn(app, { email: ` ${email.toUpperCase()} `, password: PASSWORD })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console'])
  const cookie = String(
    [reply.headers['set-cookie']].flat().find((each) => /session=/.test(String(each))),
  )
  expect(cookie).toMatch(
    /^brevis_session=[\w-]{43}; Max-Age=7776000; Path=\/console; HttpOnly; SameSite=Lax$/,
  )
  const person = openSession(app, sessionCookieOf(reply))
  const page = await person.open('/console')
  expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining('<h1>Overview</h1>')])
  expect(page.body).toContain(owner.account.username)
  const signedOut = await person.send('/console/sign-out')
  expect([signedOut.statusCode, signedOut.headers.location]).toEqual([303, '/console/sign-in'])
  expect(String(signedOut.headers['set-cookie'])).toMatch(
    /^brevis_session=; Max-Age=0; Path=\/console/,
  )
  expect((await person.open('/console')).headers.location).toBe('/console/sign-in')
})

test('a wrong password and an unknown email get the same reply', async ({ app, email }) => {
  const wrong = await trySignIn(app, { email, password: 'not this one' })
  const unknown = await trySignIn(app, { email: 'nobody@example.com', password: PASSWORD })
  const withoutToken = (body: string, enteredEmail: string) =>
    body
      .replace(/name="csrf" value="[^"]+"/, '')
      .replaceAll(/nonce="[^"]+"/g, '')
      .replace(enteredEmail, '')
  expect([wrong.statusCode, unknown.statusCode]).toEqual([422, 422])
  expect(withoutToken(wrong.body, email)).toBe(withoutToken(unknown.body, 'nobody@example.com'))
  expect(wrong.body).toContain('Incorrect email or password.')
  expect(wrong.body).toMatch(/id="password"[^>]*aria-invalid="true"[^>]*autofocus/)
  expect(wrong.body).not.toContain('not this one')
  expect(sessionCookieOf(wrong)).toBe('')
})

test.for(['', '\0', '\ud800', `${'a'.repeat(60_000)}@example.com`, "' or 1=1 --"])(
  'rejects the email %j',
  async (email, { app }) => {
    const reply = await trySignIn(app, { email, password: PASSWORD }, { address: newAddress() })
    expect(reply.statusCode).toBe(422)
  },
)

test('limits attempts from one IP address to ten per minute', async ({ app, email }) => {
  const from = { address: newAddress() }
  for (let count = 0; count < 10; count += 1) {
    const reply = await trySignIn(app, { email: `a${count}@example.com`, password: PASSWORD }, from)
    expect(reply.statusCode).toBe(422)
  }
  const lateReply = await trySignIn(app, { email, password: PASSWORD }, from)
  expect([lateReply.statusCode, Number(lateReply.headers['retry-after'])]).toEqual([
    429,
    expect.any(Number),
  ])
  expect(lateReply.body).toContain('Too many attempts. Try again in a minute.')
  expect(sessionCookieOf(lateReply)).toBe('')
  // Over the limit, requests are rejected without a database query.
  expect((await trySignIn(app, { email, password: PASSWORD }, from)).statusCode).toBe(429)
  const { rows } = await app.services.database.pool.query(
    "select max(hits) as hits from rate_windows where subject like 'sign-in:%'",
  )
  expect(rows).toEqual([{ hits: 11 }])
  // The account has not reached its own limit.
  await signIn(app, email, newAddress())
})

test('limits attempts for one account to ten per minute', async ({ app, email }) => {
  for (let count = 0; count < 10; count += 1) {
    const enteredEmail = count % 2 === 0 ? email : email.toUpperCase()
    const from = { address: newAddress() }
    expect(
      (await trySignIn(app, { email: enteredEmail, password: 'guess' }, from)).statusCode,
    ).toBe(422)
  }
  const reply = await trySignIn(app, { email, password: PASSWORD }, { address: newAddress() })
  expect(reply.statusCode).toBe(429)
})

test('successful sign-ins do not count', async ({ app, email }) => {
  const home = { address: newAddress() }
  const guess = async (from: { address: string }) =>
    (await trySignIn(app, { email, password: 'guess' }, from)).statusCode
  for (let count = 0; count < 15; count += 1) await signIn(app, email, home.address)
  for (let count = 0; count < 15; count += 1) await signIn(app, email, newAddress())
  // All unknown IP addresses share ten guesses. The owner's IP address has five of its own.
  const first = newAddress()
  const second = newAddress()
  const third = newAddress()
  for (const address of [first, second]) {
    for (let count = 0; count < 5; count += 1) expect(await guess({ address })).toBe(422)
  }
  expect(await guess({ address: third })).toBe(429)
  for (let count = 0; count < 5; count += 1) expect(await guess(home)).toBe(422)
  expect(await guess(home)).toBe(429)
})

test('signing in to one’s own account does not allow more guesses for other accounts', async ({
  app,
  make,
}) => {
  const ownAccount = await make.owner()
  const address = newAddress()
  const statuses = []
  for (let count = 0; count < 12; count += 1) {
    await sessions.signIn(app.services, app.services.db, {
      email: ownAccount.account.email,
      password: PASSWORD,
      address,
    })
    const guess = { email: `victim${count}@example.com`, password: 'guess' }
    statuses.push((await trySignIn(app, guess, { address })).statusCode)
  }
  expect(statuses).toEqual([...Array(10).fill(422), 429, 429])
})

test('a sign-in that succeeds after its window has ended does not reduce the next window’s count', async ({
  app,
}) => {
  const { db } = app.services.database
  const limiter = createRateLimiter({ db })
  const lateAttempt = await limiter.attempt('sign-in:late', 10)
  await db
    .updateTable('rate_windows')
    .set({ started_at: new Date(Date.now() - 61_000) })
    .where('subject', '=', 'sign-in:late')
    .execute()
  await limiter.attempt('sign-in:late', 10)
  if ('undo' in lateAttempt) await lateAttempt.undo()
  const stored = await db
    .selectFrom('rate_windows')
    .select('hits')
    .where('subject', '=', 'sign-in:late')
    .execute()
  expect(stored).toEqual([{ hits: 1 }])
})

test("one IP address cannot use up an account's attempts or lock out a known IP address", async ({
  app,
  email,
}) => {
  const home = newAddress()
  await signIn(app, email, home)
  const guess = async (from: string) =>
    (await trySignIn(app, { email, password: 'guess' }, { address: from })).statusCode
  const attackerAddress = newAddress()
  const statuses = []
  for (let count = 0; count < 8; count += 1) statuses.push(await guess(attackerAddress))
  expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429, 429])
  await signIn(app, email, newAddress())
  for (let count = 0; count < 6; count += 1) await guess(newAddress())
  expect(await guess(newAddress())).toBe(429)
  await signIn(app, email, home)
  const homeStatuses = []
  for (let count = 0; count < 6; count += 1) homeStatuses.push(await guess(home))
  expect(homeStatuses).toEqual([422, 422, 422, 422, 422, 429])
})

test('rejects a suspended account and its sessions', async ({ app, email }) => {
  const person = await signIn(app, email, newAddress())
  const { id } = await getAccountByEmailOrUsername(app.services.db, email)
  await setSuspended(app.services, id, true)
  expect((await person.open('/console')).statusCode).toBe(303)
  const reply = await trySignIn(app, { email, password: PASSWORD }, { address: newAddress() })
  expect([reply.statusCode, reply.body]).toEqual([403, expect.stringContaining('suspended')])
  const guess = await trySignIn(app, { email, password: 'guess' }, { address: newAddress() })
  expect(guess.body).not.toContain('suspended')
})

test.for([
  ['/console/keys', '/console/keys'],
  ['/console?made=1', '/console?made=1'],
  ['https://evil.example/console', '/console'],
  ['//evil.example/console', '/console'],
  ['/console/../..//evil.example', '/console'],
  ['/\\evil.example', '/console'],
  ['/consoles', '/console'],
  ['javascript:alert(1)', '/console'],
] as const)('with the next page %s, redirects to %s', async ([next, location], { app, email }) => {
  const reply = await trySignIn(app, { email, password: PASSWORD, next }, { address: newAddress() })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, location])
})

test('a page that requires a session redirects to sign-in and back', async ({ app }) => {
  const reply = await app.request({ url: '/console/keys?x=1' })
  expect([reply.statusCode, reply.headers.location]).toEqual([
    303,
    '/console/sign-in?next=%2Fconsole%2Fkeys%3Fx%3D1',
  ])
  const page = await app.request({ url: String(reply.headers.location) })
  expect(page.body).toContain('name="next" value="/console/keys?x=1"')
})

test('registration signs in to the overview, which shows the API key once', async ({ app }) => {
  const form = formOf(await app.request({ url: '/register' }))
  const fields = {
    csrf: form.csrf,
    email: 'n@example.com',
    username: 'newcomer',
    password: PASSWORD,
  }
  const reply = await postForm(app, '/register', fields, { cookie: form.cookie })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console'])
  const newKey = reply.cookies.find(({ name }) => name === 'brevis_new_key')
  expect(newKey).toMatchObject({ path: '/console', httpOnly: true, sameSite: 'Lax', maxAge: 300 })
  const cookies = `${sessionCookieOf(reply)}; brevis_new_key=${newKey?.value}`
  const page = await openSession(app, cookies).open('/console')
  expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining('newcomer')])
  expect(page.body).toContain(`<code id="key">${newKey?.value}</code>`)
  expect(page.body).toContain('First steps')
  const account = await app.request({
    url: '/api/account',
    headers: { authorization: `Bearer ${newKey?.value}` },
  })
  expect(account.statusCode).toBe(200)
  const cleared = page.cookies.find(({ name }) => name === 'brevis_new_key')
  expect(cleared).toMatchObject({ value: '', path: '/console' })
  const later = await openSession(app, sessionCookieOf(reply)).open('/console')
  expect(later.body).not.toContain('brv_')
  const forged = `${sessionCookieOf(reply)}; brevis_new_key=%3Cscript%3E`
  expect((await openSession(app, forged).open('/console')).body).not.toContain('new-key')
})

test('with https, the cookie has a prefixed name and is Secure', async () => {
  const httpsApp = await testApp({ env: { BASE_URL: 'https://brev.test' } })
  try {
    const { account } = await httpsApp.make.owner()
    const reply = await trySignIn(httpsApp, { email: account.email, password: PASSWORD })
    expect(String(reply.headers['set-cookie'])).toMatch(
      /__Secure-brevis_session=[^;]+; [^,]*Secure/,
    )
    const person = openSession(httpsApp, sessionCookieOf(reply))
    expect((await person.open('/console')).statusCode).toBe(200)
  } finally {
    await httpsApp.close()
  }
})

import { describe, expect } from 'vitest'
import { setSuspended } from '../support/accounts.ts'
import { newAddress } from '../support/addresses.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn } from '../support/console.ts'
import {
  addPasskey,
  completeFirstStep,
  passkeyOptionsIn,
  recoveryCodesIn,
  SETTINGS,
  startPasskeySignIn,
  turnOnCodes,
} from '../support/second-factor.ts'
import { signInTest } from '../support/sign-in-test.ts'

const test = signInTest({ env: { BASE_URL: 'https://brev.test' } })
  .extend('person', ({ app, email }) => signIn(app, email, newAddress()))
  .extend('device', async ({ person }) => {
    const device = createAuthenticator()
    expect((await addPasskey(person, device)).statusCode).toBe(200)
    return device
  })

describe('adding a passkey', () => {
  test('requires the password and a name, ends other sessions, and shows recovery codes', async ({
    app,
    email,
    person,
  }) => {
    const otherSession = await signIn(app, email, newAddress())
    const rejected = await person.send(`${SETTINGS}/passkeys`, {
      passkeyName: 'Phone',
      passkeyPassword: 'a guess',
    })
    expect([rejected.statusCode, passkeyOptionsIn(rejected.body)]).toEqual([422, {}])
    expect(rejected.body).toMatch(/value="Phone" id="passkeyName" name="passkeyName"/)
    expect(rejected.body).toMatch(/id="passkeyPassword-error"[^>]*>Incorrect password\./)
    const reply = await addPasskey(person, createAuthenticator(), 'My <b>phone</b>')
    expect(recoveryCodesIn(reply.body)).toHaveLength(10)
    expect((await otherSession.open('/console')).statusCode).toBe(303)
    const page = await person.open(SETTINGS)
    expect(page.body).toContain('My &lt;b&gt;phone&lt;/b&gt;')
    expect(page.body).toContain('Never')
  })

  test('requests a discoverable passkey for the host of BASE_URL', async ({ person, email }) => {
    const fields = { passkeyName: 'Phone', passkeyPassword: PASSWORD }
    const page = await person.send(`${SETTINGS}/passkeys`, fields)
    expect(passkeyOptionsIn(page.body)).toMatchObject({
      rp: { id: 'brev.test' },
      user: { name: email },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    })
  })

  test.for(['', ' ', 'x'.repeat(51), '\0'])('rejects the name %j', async (name, { person }) => {
    const fields = { passkeyName: name, passkeyPassword: PASSWORD }
    const reply = await person.send(`${SETTINGS}/passkeys`, fields)
    expect([reply.statusCode, reply.body]).toEqual([
      422,
      expect.stringContaining('id="passkeyName-error"'),
    ])
  })

  test('stores several passkeys, and each only once', async ({ app, email, person, device }) => {
    const secondDevice = createAuthenticator()
    expect((await addPasskey(person, secondDevice, 'Laptop')).headers.location).toBe(
      `${SETTINGS}?done=passkey`,
    )
    const rejected = await addPasskey(person, device, 'Again')
    expect([rejected.statusCode, rejected.body]).toEqual([
      422,
      expect.stringContaining('Already registered.'),
    ])
    for (const authenticator of [device, secondDevice]) {
      const { options, sendPasskey } = await startPasskeySignIn(app)
      expect((await sendPasskey(authenticator.get(options))).statusCode).toBe(303)
    }
    const { options } = await completeFirstStep(app, email)
    expect(options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([
      device.id,
      secondDevice.id,
    ])
  })

  test('rejects a passkey of another user', async ({ app, make, device }) => {
    const { account } = await make.owner()
    const attacker = await signIn(app, account.email, newAddress())
    const reply = await addPasskey(attacker, device)
    expect([reply.statusCode, reply.body]).toEqual([
      422,
      expect.stringContaining('Already registered.'),
    ])
    await signIn(app, account.email, newAddress())
  })

  test('is limited to twenty', async ({ app, person, device }) => {
    await app.services.database.pool.query(
      `insert into passkeys (user_id, credential_id, public_key, counter, transports, name, created_at)
       select user_id, n::text::bytea || credential_id, public_key, 0, '{}', 'Key ' || n, created_at
       from passkeys, generate_series(1, 19) n where credential_id = $1`,
      [Buffer.from(device.id, 'base64url')],
    )
    const fields = { passkeyName: 'One more', passkeyPassword: PASSWORD }
    const reply = await person.send(`${SETTINGS}/passkeys`, fields)
    expect([reply.statusCode, reply.body]).toEqual([
      403,
      expect.stringContaining('Remove one first'),
    ])
  })
})

describe('a passkey', () => {
  test('signs in without a password', async ({ app, email, device }) => {
    const { page, options, sendPasskey } = await startPasskeySignIn(app)
    expect([page.statusCode, options.allowCredentials]).toEqual([200, []])
    expect(page.body).not.toContain(email)
    const reply = await sendPasskey(device.get(options))
    expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console'])
    const signedIn = openSession(app, sessionCookieOf(reply))
    expect((await signedIn.open('/console')).statusCode).toBe(200)
    expect((await signedIn.open(SETTINGS)).body).not.toContain('Never')
  })

  test('is requested after the password is entered', async ({ app, email, device }) => {
    const { page, options, sendPasskey } = await completeFirstStep(app, email)
    expect(page.body).toContain('Use your passkey')
    expect(options.allowCredentials).toHaveLength(1)
    const reply = await sendPasskey(device.get(options))
    expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console'])
    const signedIn = openSession(app, sessionCookieOf(reply))
    expect((await signedIn.open('/console')).statusCode).toBe(200)
  })

  test('can be used instead of one-time codes and vice versa', async ({
    app,
    email,
    person,
    device,
  }) => {
    const phone = await turnOnCodes(app, person)
    app.clock.advance(60)
    const signedInByCode = await completeFirstStep(app, email)
    expect((await signedInByCode.send(phone.code())).statusCode).toBe(303)
    const signedInByPasskey = await completeFirstStep(app, email)
    expect(
      (await signedInByPasskey.sendPasskey(device.get(signedInByPasskey.options))).statusCode,
    ).toBe(303)
  })

  test('can be replaced by a recovery code', async ({ app, email, person, device: _ }) => {
    const reply = await person.send(`${SETTINGS}/recovery-codes`, { recoveryProof: PASSWORD })
    const [code = ''] = recoveryCodesIn(reply.body)
    expect((await (await completeFirstStep(app, email)).send(code)).statusCode).toBe(303)
  })

  test('of a suspended user is rejected', async ({ app, owner, device }) => {
    await setSuspended(app.services, owner.account.id, true)
    const { options, sendPasskey } = await startPasskeySignIn(app)
    const reply = await sendPasskey(device.get(options))
    expect([reply.statusCode, reply.body]).toEqual([403, expect.stringContaining('suspended')])
    expect(sessionCookieOf(reply)).toBe('')
  })

  test('without a counter signs in repeatedly', async ({ app, person }) => {
    const device = createAuthenticator({ hasCounter: false })
    await addPasskey(person, device)
    for (let count = 0; count < 2; count += 1) {
      const { options, sendPasskey } = await startPasskeySignIn(app)
      expect((await sendPasskey(device.get(options))).statusCode).toBe(303)
    }
  })
})

describe('removing a passkey', () => {
  const readPasskeyPath = (body: string) =>
    /action="([^"]*\/passkeys\/\d+\/remove)"/.exec(body)?.[1] ?? ''

  test('requires the password and ends all other sessions', async ({
    app,
    email,
    person,
    device,
  }) => {
    const { options, sendPasskey } = await startPasskeySignIn(app)
    const otherSession = openSession(app, sessionCookieOf(await sendPasskey(device.get(options))))
    const path = readPasskeyPath((await person.open(SETTINGS)).body)
    const id = /(\d+)\/remove/.exec(path)?.[1]
    const rejected = await person.send(path, { [`proof-${id}`]: 'a guess' })
    expect([rejected.statusCode, rejected.body]).toEqual([
      422,
      expect.stringContaining(`id="proof-${id}-error"`),
    ])
    const reply = await person.send(path, { [`proof-${id}`]: PASSWORD })
    expect(reply.headers.location).toBe(`${SETTINGS}?done=removed`)
    expect((await otherSession.open('/console')).statusCode).toBe(303)
    await signIn(app, email, newAddress())
    const attempt = await startPasskeySignIn(app)
    expect((await attempt.sendPasskey(device.get(attempt.options))).statusCode).toBe(422)
    expect((await person.send(path, { [`proof-${id}`]: PASSWORD })).statusCode).toBe(404)
  })

  test('returns 404 for other users', async ({ app, make, person, device }) => {
    const path = readPasskeyPath((await person.open(SETTINGS)).body)
    const otherOwner = await signIn(app, (await make.owner()).account.email, newAddress())
    const id = /(\d+)\/remove/.exec(path)?.[1]
    expect((await otherOwner.send(path, { [`proof-${id}`]: PASSWORD })).statusCode).toBe(404)
    const { options, sendPasskey } = await startPasskeySignIn(app)
    expect((await sendPasskey(device.get(options))).statusCode).toBe(303)
  })
})

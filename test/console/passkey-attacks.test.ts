import { describe, expect } from 'vitest'
import { newAddress } from '../support/addresses.ts'
import { createAuthenticator, encodeAttestation } from '../support/authenticator.ts'
import { PASSWORD, sessionCookieOf, signIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import {
  addPasskey,
  completeFirstStep,
  passkeyOptionsIn,
  SETTINGS,
  startPasskeySignIn,
} from '../support/second-factor.ts'
import { signInTest } from '../support/sign-in-test.ts'

const test = signInTest({ env: { BASE_URL: 'https://brev.test', OWN_HOSTS: 'alt.test' } })
  .extend('person', ({ app, email }) => signIn(app, email, newAddress()))
  .extend('device', async ({ person }) => {
    const device = createAuthenticator()
    expect((await addPasskey(person, device)).statusCode).toBe(200)
    return device
  })

const OTHER_ID = Buffer.alloc(32, 1).toString('base64url')

describe('rejects a sign-in with a passkey', () => {
  test.for([
    ['with another challenge', { challenge: OTHER_ID }],
    ['from another site', { origin: 'https://evil.example' }],
    ['from the site without https', { origin: 'http://brev.test' }],
    ['from another name of the service', { origin: 'https://alt.test' }],
    ['for another site', { rpId: 'evil.example' }],
    ['as a creation', { type: 'webauthn.create' }],
    ['without verifying the user', { userVerified: false }],
    ['with a wrong signature', { signature: Buffer.alloc(70, 1) }],
    ['with an empty signature', { signature: Buffer.alloc(0) }],
    ['for another user', { userHandle: Buffer.from('1').toString('base64url') }],
  ] as const)('%s', async ([, forged], { app, make, device }) => {
    // Ensures that there is a user with the id 1.
    await make.owner()
    const { options, sendPasskey } = await startPasskeySignIn(app)
    const reply = await sendPasskey(device.get(options, forged))
    expect([reply.statusCode, sessionCookieOf(reply)]).toEqual([422, ''])
    expect(reply.body).toContain('This passkey was not accepted. Try again.')
    const newOptions = passkeyOptionsIn(reply.body)
    expect(newOptions.challenge).not.toBe(options.challenge)
    expect((await sendPasskey(device.get(newOptions))).statusCode).toBe(303)
  })

  test('with a counter that has not increased, as with a cloned authenticator', async ({
    app,
    device,
  }) => {
    for (const [counter, status] of [
      [50, 303],
      [50, 422],
      [49, 422],
      [0, 422],
      [51, 303],
    ] as const) {
      const { options, sendPasskey } = await startPasskeySignIn(app)
      const reply = await sendPasskey(device.get(options, { counter }))
      expect([counter, reply.statusCode]).toEqual([counter, status])
    }
  })

  test('when it is replayed, even concurrently and from another browser', async ({
    app,
    device,
  }) => {
    const { options, sendPasskey } = await startPasskeySignIn(app)
    const credential = device.get(options)
    const replies = await Promise.all([sendPasskey(credential), sendPasskey(credential)])
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([303, 403])
    expect((await sendPasskey(credential)).statusCode).toBe(403)
    const otherBrowser = await startPasskeySignIn(app)
    expect((await otherBrowser.sendPasskey(credential)).statusCode).toBe(422)
  })

  test('after a failed attempt with the same challenge', async ({ app, device }) => {
    const { options, sendPasskey } = await startPasskeySignIn(app)
    const invalidCredential = device.get(options, { type: 'x' })
    const validCredential = device.get(options)
    expect((await sendPasskey(invalidCredential)).statusCode).toBe(422)
    expect((await sendPasskey(validCredential)).statusCode).toBe(422)
  })

  test('after ten minutes', async ({ app, device }) => {
    const { options, sendPasskey } = await startPasskeySignIn(app)
    app.clock.advance(601)
    expect((await sendPasskey(device.get(options))).statusCode).toBe(403)
  })

  test('after entering the password of another user', async ({ app, make, email, device }) => {
    const { account } = await make.owner()
    const attacker = createAuthenticator()
    await addPasskey(await signIn(app, account.email, newAddress()), attacker)
    const { options, sendPasskey } = await completeFirstStep(app, email)
    const reply = await sendPasskey(attacker.get(options))
    expect([reply.statusCode, sessionCookieOf(reply)]).toEqual([422, ''])
    const newOptions = passkeyOptionsIn(reply.body)
    expect((await sendPasskey(device.get(newOptions))).statusCode).toBe(303)
  })

  test.for([
    '',
    '{}',
    'null',
    '[]',
    '{"response":null}',
    '{"id":{},"response":{}}',
    `{"id":"AAAA","response":{}}`,
    `{"id":"${'A'.repeat(3000)}","response":{}}`,
    'x'.repeat(30_000),
    '\0',
  ])('with the malformed response %#', async (credential, { app }) => {
    const { sendPasskey } = await startPasskeySignIn(app)
    const reply = await sendPasskey(credential)
    expect([reply.statusCode, sessionCookieOf(reply)]).toEqual([422, ''])
  })

  test('with invalid parts', async ({ app, device }) => {
    const { options, sendPasskey } = await startPasskeySignIn(app)
    let currentOptions = options
    const { response } = JSON.parse(device.get(options))
    for (const part of ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']) {
      for (const value of [null, 1, {}, '!', 'AA', Buffer.from('null').toString('base64url')]) {
        const complete = { ...JSON.parse(device.get(currentOptions)), response: { ...response } }
        const forged = { ...complete, response: { ...complete.response, [part]: value } }
        const reply = await sendPasskey(JSON.stringify(forged))
        expect([part, value, reply.statusCode]).toEqual([part, value, 422])
        currentOptions = passkeyOptionsIn(reply.body)
      }
    }
  })
})

describe('rejects the creation of a passkey', () => {
  test.for([
    ['with another challenge', { challenge: OTHER_ID }],
    ['from another site', { origin: 'https://evil.example' }],
    ['for another site', { rpId: 'evil.example' }],
    ['as a sign-in', { type: 'webauthn.get' }],
    ['without verifying the user', { userVerified: false }],
    ['without an attestation object', { attestation: Buffer.from('{}') }],
    ['without authenticator data', { attestation: encodeAttestation(Buffer.alloc(0)) }],
    ['with data that ends early', { attestation: encodeAttestation(Buffer.alloc(37, 0xff)) }],
  ] as const)('%s', async ([, forged], { app, email, person }) => {
    const fields = { passkeyName: 'Phone', passkeyPassword: PASSWORD }
    const page = await person.send(`${SETTINGS}/passkeys`, fields)
    const credential = createAuthenticator().create(passkeyOptionsIn(page.body), forged)
    const reply = await person.send(`${SETTINGS}/passkeys/add`, { credential })
    expect([reply.statusCode, reply.body]).toEqual([
      422,
      expect.stringContaining('Was not accepted.'),
    ])
    await signIn(app, email, newAddress())
  })

  test('from a session that did not enter the password, or when replayed', async ({
    app,
    email,
    person,
  }) => {
    const otherSession = await signIn(app, email, newAddress())
    const device = createAuthenticator()
    const fields = { passkeyName: 'Phone', passkeyPassword: PASSWORD }
    const page = await person.send(`${SETTINGS}/passkeys`, fields)
    const credential = device.create(passkeyOptionsIn(page.body))
    expect((await otherSession.send(`${SETTINGS}/passkeys/add`, { credential })).statusCode).toBe(
      403,
    )
    const replies = await Promise.all(
      [1, 2].map(() => person.send(`${SETTINGS}/passkeys/add`, { credential })),
    )
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, 403])
  })

  test('after 15 minutes', async ({ app, person }) => {
    const fields = { passkeyName: 'Phone', passkeyPassword: PASSWORD }
    const page = await person.send(`${SETTINGS}/passkeys`, fields)
    app.clock.advance(901)
    const credential = createAuthenticator().create(passkeyOptionsIn(page.body))
    expect((await person.send(`${SETTINGS}/passkeys/add`, { credential })).statusCode).toBe(403)
  })
})

test('does not verify the attestation of a passkey or request its certificates', async ({
  app,
  person,
}) => {
  const fields = { passkeyName: 'Key', passkeyPassword: PASSWORD }
  const page = await person.send(`${SETTINGS}/passkeys`, fields)
  const device = createAuthenticator()
  const options = passkeyOptionsIn(page.body)
  const valid = JSON.parse(device.create(options))
  const object = Buffer.from(valid.response.attestationObject, 'base64url')
  // In CBOR, the data follows its name and three bytes with its type and length.
  const authData = object.subarray(object.indexOf('authData') + 'authData'.length + 3)
  const attestation = encodeAttestation(authData, 'packed', Buffer.from([0xa1, 0x61, 0x78, 0x01]))
  const response = { ...valid.response, attestationObject: attestation.toString('base64url') }
  const credential = JSON.stringify({ ...valid, response })
  expect((await person.send(`${SETTINGS}/passkeys/add`, { credential })).statusCode).toBe(200)
  const { options: signInOptions, sendPasskey } = await startPasskeySignIn(app)
  expect((await sendPasskey(device.get(signInOptions))).statusCode).toBe(303)
})

test('creates passkeys for the host of BASE_URL, regardless of the Host header', async ({
  app,
  person,
}) => {
  const { cookie } = person
  const headers = { cookie, host: 'alt.test' }
  const { body } = await app.request({ url: '/console', headers })
  const csrf = /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? ''
  const payload = new URLSearchParams({
    csrf,
    passkeyName: 'Phone',
    passkeyPassword: PASSWORD,
  })
  const reply = await app.request({
    method: 'POST',
    url: `${SETTINGS}/passkeys`,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: payload.toString(),
  })
  expect(passkeyOptionsIn(reply.body).rp.id).toBe('brev.test')
})

test('limits sign-ins with a passkey to sixty per minute per IP address', async ({ app }) => {
  const address = newAddress()
  // Each attempt sends two requests.
  for (let count = 0; count < 30; count += 1) {
    const { sendPasskey } = await startPasskeySignIn(app, address)
    expect((await sendPasskey('')).statusCode).toBe(422)
  }
  const form = formOf(await app.request({ url: '/console/sign-in' }))
  const fields = { csrf: form.csrf }
  const path = '/console/sign-in/passkey'
  const lateReply = await postForm(app, path, fields, { cookie: form.cookie, address })
  expect(lateReply.statusCode).toBe(429)
})

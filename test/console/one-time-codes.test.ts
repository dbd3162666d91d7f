import { describe, expect } from 'vitest'
import { newAddress } from '../support/addresses.ts'
import { openSession, PASSWORD, sessionCookieOf, signIn, trySignIn } from '../support/console.ts'
import { postForm } from '../support/forms.ts'
import { addMember } from '../support/members.ts'
import {
  completeFirstStep,
  openSecondStep,
  pendingCookieOf,
  recoveryCodesIn,
  SETTINGS,
  secretIn,
  turnOnCodes,
  VERIFY,
} from '../support/second-factor.ts'
import { signInTest } from '../support/sign-in-test.ts'

const test = signInTest()
  .extend('person', ({ app, email }) => signIn(app, email, newAddress()))
  .extend('phone', async ({ app, person }) => {
    const phone = await turnOnCodes(app, person)
    // The code that confirmed the setup is used up.
    app.clock.advance(60)
    return phone
  })

describe('setting up one-time codes', () => {
  test('requires the password, shows the key with its QR code, and takes effect after a valid code', async ({
    app,
    email,
    person,
  }) => {
    const setup = await person.send(`${SETTINGS}/codes`, { codesPassword: PASSWORD })
    expect(setup.statusCode).toBe(200)
    expect(setup.body).toContain('src="data:image/svg+xml;base64,')
    expect(setup.headers['cache-control']).toBe('private, no-store, no-transform')
    const secret = secretIn(setup.body)
    // Before that, the password is enough to sign in.
    await signIn(app, email, newAddress())
    const rejected = await person.send(`${SETTINGS}/codes/confirm`, { code: '12345' })
    expect([rejected.statusCode, secretIn(rejected.body)]).toEqual([422, secret])
    expect(rejected.body).toMatch(
      /id="code-error" role="alert">This code is wrong or was used before\./,
    )
    const phone = await turnOnCodes(app, person)
    expect(phone.recoveryCodes).toHaveLength(10)
    expect(new Set(phone.recoveryCodes).size).toBe(10)
    const page = await person.open(SETTINGS)
    expect(page.body).toContain('10 recovery codes left.')
    expect(page.body).toContain('On since')
    expect(recoveryCodesIn(page.body)).toEqual([])
    expect(page.body).not.toMatch(/[A-Z2-7]{32}/)
    await completeFirstStep(app, email)
  })

  test('rejects a wrong password', async ({ person }) => {
    const reply = await person.send(`${SETTINGS}/codes`, { codesPassword: 'a guess' })
    expect([reply.statusCode, reply.body]).toEqual([
      422,
      expect.stringContaining('id="codesPassword-error"'),
    ])
    expect(reply.body).not.toMatch(/[A-Z2-7]{32}/)
  })

  test('does not show the key in other sessions of the user', async ({ app, email, person }) => {
    const otherSession = await signIn(app, email, newAddress())
    await person.send(`${SETTINGS}/codes`, { codesPassword: PASSWORD })
    for (const reply of [
      await otherSession.open(SETTINGS),
      await otherSession.send(`${SETTINGS}/codes/confirm`, { code: '000000' }),
    ]) {
      expect(reply.body).not.toMatch(/[A-Z2-7]{32}/)
    }
  })

  test('expires after 15 minutes', async ({ app, person }) => {
    const setup = await person.send(`${SETTINGS}/codes`, { codesPassword: PASSWORD })
    expect(setup.statusCode).toBe(200)
    app.clock.advance(901)
    const reply = await person.send(`${SETTINGS}/codes/confirm`, { code: '000000' })
    expect([reply.statusCode, reply.body]).toEqual([403, expect.stringContaining('expired')])
  })

  test('ends all other sessions', async ({ app, email, person }) => {
    const otherSession = await signIn(app, email, newAddress())
    await turnOnCodes(app, person)
    expect((await otherSession.open('/console')).statusCode).toBe(303)
    expect((await person.open('/console')).statusCode).toBe(200)
  })

  test('is available to every role', async ({ app, owner }) => {
    for (const role of ['editor', 'viewer'] as const) {
      const member = await addMember(app, owner, role)
      const person = openSession(app, await member.startSession(), newAddress())
      await turnOnCodes(app, person)
      await completeFirstStep(app, member.user.email)
    }
  })
})

describe('a sign-in with one-time codes', () => {
  test('requires the code after the password', async ({ app, email, phone }) => {
    const { page, send } = await completeFirstStep(app, email)
    expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining(email)])
    const wrong = await send(phone.wrongCode())
    expect([wrong.statusCode, sessionCookieOf(wrong)]).toEqual([422, ''])
    const reply = await send(` ${phone.code().slice(0, 3)} ${phone.code().slice(3)} `)
    expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console'])
    const person = openSession(app, sessionCookieOf(reply))
    expect((await person.open('/console')).statusCode).toBe(200)
  })

  test('continues to the requested page', async ({ app, email, phone }) => {
    const form = { email, password: PASSWORD, next: '/console/keys' }
    const reply = await trySignIn(app, form, { address: newAddress() })
    expect(reply.headers.location).toBe(`${VERIFY}?next=%2Fconsole%2Fkeys`)
    const { send } = await openSecondStep(app, pendingCookieOf(reply))
    const allowed = await send(phone.code(), { next: '/console/keys' })
    expect(allowed.headers.location).toBe('/console/keys')
    const external = await (await completeFirstStep(app, email)).send(phone.code(1), {
      next: '//evil.example/console',
    })
    expect(external.headers.location).toBe('/console')
  })

  test.for([-1, 1])(
    'accepts a code of a phone whose clock is %i step off',
    async (steps, { app, email, phone }) => {
      const { send } = await completeFirstStep(app, email)
      expect((await send(phone.code(steps))).statusCode).toBe(303)
    },
  )

  test.for([-2, 2])(
    'rejects a code of a phone whose clock is %i steps off',
    async (steps, { app, email, phone }) => {
      const { send } = await completeFirstStep(app, email)
      expect((await send(phone.code(steps))).statusCode).toBe(422)
    },
  )

  test('accepts a code once', async ({ app, email, phone }) => {
    const code = phone.code()
    expect((await (await completeFirstStep(app, email)).send(code)).statusCode).toBe(303)
    const { send } = await completeFirstStep(app, email)
    expect((await send(code)).statusCode).toBe(422)
    // An older, unused code is rejected, too.
    expect((await send(phone.code(-1))).statusCode).toBe(422)
    expect((await send(phone.code(1))).statusCode).toBe(303)
  })

  test('rejects the code that confirmed the setup', async ({ app, email, person }) => {
    const { code } = await turnOnCodes(app, person)
    const { send } = await completeFirstStep(app, email)
    expect((await send(code())).statusCode).toBe(422)
  })

  test('accepts a code only once from two concurrent requests', async ({ app, email, phone }) => {
    const session = await completeFirstStep(app, email)
    const replies = await Promise.all([session, session].map(({ send }) => send(phone.code())))
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([303, 403])
    const browsers = [await completeFirstStep(app, email), await completeFirstStep(app, email)]
    const otherReplies = await Promise.all(browsers.map(({ send }) => send(phone.code(1))))
    expect(otherReplies.map(({ statusCode }) => statusCode).sort()).toEqual([303, 422])
  })

  test('accepts each recovery code once', async ({ app, email, phone }) => {
    const [first = '', second = ''] = phone.recoveryCodes
    const { send } = await completeFirstStep(app, email)
    expect((await send(first.toUpperCase().replaceAll('-', ' '))).statusCode).toBe(303)
    const browsers = [await completeFirstStep(app, email), await completeFirstStep(app, email)]
    const replies = await Promise.all(browsers.map((browser) => browser.send(second)))
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([303, 422])
    expect((await (await completeFirstStep(app, email)).send(first)).statusCode).toBe(422)
  })

  test('rejects the codes of another user', async ({ app, make, email, phone }) => {
    const other = await make.owner()
    const otherPhone = await turnOnCodes(app, await signIn(app, other.account.email, newAddress()))
    app.clock.advance(60)
    const { send } = await completeFirstStep(app, email)
    for (const code of [otherPhone.code(), otherPhone.recoveryCodes[0] ?? '']) {
      expect((await send(code)).statusCode).toBe(422)
    }
    expect((await send(phone.code())).statusCode).toBe(303)
  })

  test.for(['', 'x', '0', '1'.repeat(200), '\0', '\ud800', '١٢٣٤٥٦', "' or 1=1 --"])(
    'rejects the code %j',
    async (code, { app, email, phone: _ }) => {
      const reply = await (await completeFirstStep(app, email)).send(code)
      expect([reply.statusCode, sessionCookieOf(reply)]).toEqual([422, ''])
    },
  )
})

describe('turning one-time codes off', () => {
  test.for(['password', 'code'])(
    'accepts the %s, and ends all other sessions',
    async (proofKind, { app, email, person, phone }) => {
      const signInReply = await (await completeFirstStep(app, email)).send(phone.code())
      const otherSession = openSession(app, sessionCookieOf(signInReply))
      const wrongProof = { codesProof: phone.wrongCode() }
      const rejected = await person.send(`${SETTINGS}/codes/remove`, wrongProof)
      expect([rejected.statusCode, rejected.body]).toEqual([
        422,
        expect.stringContaining('id="codesProof-error"'),
      ])
      expect((await otherSession.open('/console')).statusCode).toBe(200)
      const codesProof = proofKind === 'password' ? PASSWORD : phone.code(1)
      const reply = await person.send(`${SETTINGS}/codes/remove`, { codesProof })
      expect([reply.statusCode, reply.headers.location]).toEqual([303, `${SETTINGS}?done=off`])
      expect((await otherSession.open('/console')).statusCode).toBe(303)
      expect((await person.open('/console')).statusCode).toBe(200)
      await signIn(app, email, newAddress())
      const { rows } = await app.services.database.pool.query(
        `select (select count(*)::int from recovery_codes r join users u on u.id = r.user_id where u.email = $1) as codes,
              (select has_second_factor from users where email = $1) as factor`,
        [email],
      )
      expect(rows).toEqual([{ codes: 0, factor: false }])
    },
  )

  test('returns 404 for a user without codes', async ({ person }) => {
    const reply = await person.send(`${SETTINGS}/codes/remove`, { codesProof: PASSWORD })
    expect(reply.statusCode).toBe(404)
  })
})

test('new recovery codes replace the old codes', async ({ app, email, person, phone }) => {
  const reply = await person.send(`${SETTINGS}/recovery-codes`, { recoveryProof: PASSWORD })
  const codes = recoveryCodesIn(reply.body)
  expect(codes).toHaveLength(10)
  const { send } = await completeFirstStep(app, email)
  expect((await send(phone.recoveryCodes[0] ?? '')).statusCode).toBe(422)
  expect((await send(codes[0] ?? '')).statusCode).toBe(303)
  expect((await person.open(SETTINGS)).body).toContain('9 recovery codes left.')
})

test('recovery codes are stored as hashes only', async ({ app, email, phone }) => {
  const { rows } = await app.services.database.pool.query(
    `select r.hash from recovery_codes r join users u on u.id = r.user_id where u.email = $1`,
    [email],
  )
  expect(rows).toHaveLength(10)
  const stored = rows.map(({ hash }) => `${hash.toString('hex')} ${hash.toString('latin1')}`).join()
  for (const code of phone.recoveryCodes) expect(stored).not.toContain(code.replaceAll('-', ''))
})

test('a form from another site cannot change a second factor', async ({ app, person }) => {
  for (const path of ['/codes', '/codes/confirm', '/codes/remove', '/recovery-codes']) {
    const fields = { codesPassword: PASSWORD, code: '000000', codesProof: PASSWORD }
    const reply = await postForm(app, `${SETTINGS}${path}`, fields, { cookie: person.cookie })
    expect([path, reply.statusCode]).toEqual([path, 403])
  }
})

import { describe, expect } from 'vitest'
import { listLogLines } from '../../src/operator-log/operator-log.service.ts'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { commandLine, runCommand } from '../support/command.ts'
import { PASSWORD, signIn } from '../support/console.ts'
import type { Owner } from '../support/make.ts'
import { operatorTest } from '../support/operator.ts'
import { completeFirstStep, turnOnCodes } from '../support/second-factor.ts'

const test = operatorTest()

/** Turns on one-time codes for an owner. Returns the signed-in browser, the codes and the admin's page. */
async function turnOnCodesOf(app: TestApp, owner: Owner) {
  const { email } = owner.account
  const person = await signIn(app, email, newAddress())
  const phone = await turnOnCodes(app, person)
  app.clock.advance(60)
  const { rows } = await app.services.database.pool.query('select id from users where email = $1', [
    email,
  ])
  return { email, person, phone, path: `/console/operator/users/${rows[0]?.id}` }
}

describe('an admin', () => {
  test('removes a user’s second factor, ends their sessions and logs it', async ({
    app,
    make,
    adminConsole: { admin },
  }) => {
    const { email, person, phone, path } = await turnOnCodesOf(app, await make.owner())
    const firstStepOnly = await completeFirstStep(app, email)
    expect((await admin.open(path)).body).toContain('Remove second factor')
    const fields = { factorPassword: PASSWORD }
    const reply = await admin.send(`${path}/remove-second-factor`, fields)
    expect([reply.statusCode, reply.headers.location]).toEqual([303, `${path}?done=second-factor`])
    expect((await person.open('/console')).statusCode).toBe(303)
    expect((await firstStepOnly.send(phone.code())).statusCode).toBe(403)
    await signIn(app, email, newAddress())
    const [line] = await listLogLines(app.services.db, { subject: email }, { limit: 1 })
    expect(line).toMatchObject({ action: 'user.remove-second-factor', detail: null })
    expect(line?.actor).toContain('@')
    expect((await admin.open(path)).body).not.toContain('Remove second factor')
  })

  test('must confirm their password', async ({ app, make, adminConsole: { admin } }) => {
    const { email, path } = await turnOnCodesOf(app, await make.owner())
    const rejected = await admin.send(`${path}/remove-second-factor`, { factorPassword: 'a guess' })
    expect([rejected.statusCode, rejected.body]).toEqual([
      422,
      expect.stringContaining('id="factorPassword-error"'),
    ])
    await completeFirstStep(app, email)
  })

  test('gets 404 for a user without a second factor', async ({
    make,
    app,
    adminConsole: { admin },
  }) => {
    const { path } = await turnOnCodesOf(app, await make.owner())
    const fields = { factorPassword: PASSWORD }
    expect((await admin.send(`${path}/remove-second-factor`, fields)).statusCode).toBe(303)
    expect((await admin.send(`${path}/remove-second-factor`, fields)).statusCode).toBe(404)
  })
})

test('only admins can remove the second factor of another user', async ({ app, make }) => {
  const { email, path } = await turnOnCodesOf(app, await make.owner())
  const otherOwner = await signIn(app, (await make.owner()).account.email, newAddress())
  const reply = await otherOwner.send(`${path}/remove-second-factor`, { factorPassword: PASSWORD })
  expect(reply.statusCode).toBe(404)
  await completeFirstStep(app, email)
})

describe('the command account remove-second-factor', () => {
  test('removes the second factor of a locked-out owner and is logged', async ({ app, make }) => {
    const { email, person } = await turnOnCodesOf(app, await make.owner())
    const { brevisJson } = commandLine(app)
    const output = await brevisJson(['account', 'remove-second-factor', email.toUpperCase()])
    expect(output).toEqual({ email, removed: true })
    expect((await person.open('/console')).statusCode).toBe(303)
    await signIn(app, email, newAddress())
    const [line] = await listLogLines(app.services.db, { subject: email }, { limit: 1 })
    expect(line).toMatchObject({ actor: 'command line', action: 'user.remove-second-factor' })
  })

  test('rejects unknown users and users without a second factor', async ({ app, make }) => {
    const { account } = await make.owner()
    const env = commandLine(app).settings()
    const run = (email: string) => runCommand(['account', 'remove-second-factor', email], { env })
    expect(await run('no@example.com')).toMatchObject({
      code: 1,
      stderr: 'brevis: There is no user with the email no@example.com.\n',
    })
    expect(await run(account.email)).toMatchObject({
      code: 1,
      stderr: `brevis: ${account.email} has no second factor.\n`,
    })
  })
})

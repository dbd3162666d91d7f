import { describe, expect } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { createAccount, getAccount } from '../../src/identity/account.service.ts'
import { createSession } from '../../src/identity/session.service.ts'
import { suspendAccount } from '../../src/operator/account-actions.service.ts'
import { listOperatorUsers } from '../../src/operator/operator-users.service.ts'
import type { LogEntry } from '../../src/operator-log/operator-log.service.ts'
import {
  COMMAND_LINE,
  listLogLines,
  logAction,
} from '../../src/operator-log/operator-log.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { TestApp } from '../support/app.ts'
import { accountArguments, commandLine, runCommand } from '../support/command.ts'
import { openSession } from '../support/console.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('setup', { scope: 'file' }, async ({ app, owner }) => ({
  ...commandLine(app),
  admin: openSession(
    app,
    `brevis_session=${await createSession(scopeOf(app.services, owner.account.id))}`,
  ),
  listLines: (subject: string) => listLogLines(app.services.db, { subject }, { limit: 100 }),
}))

const PATH = '/console/operator/log'

/** Adds an entry to the log. */
function addLine({ services }: TestApp, entry: LogEntry): Promise<void> {
  return inTransaction(services.db, (tx) => logAction(services, tx, entry))
}

describe('the operator log', () => {
  test.for([
    "update operator_log set actor = 'nobody'",
    'delete from operator_log',
    'truncate operator_log',
    "insert into operator_log overriding system value select * from operator_log on conflict (id) do update set actor = 'x'",
  ])('cannot be changed by %s', async (statement, { app, setup }) => {
    const { database } = app.services
    const line = { actor: 'anna', action: 'account.suspend', subject: 'kept' } as const
    await addLine(app, line)
    const before = await setup.listLines('kept')
    await expect(database.pool.query(statement)).rejects.toThrow(
      'the operator log is only ever added to',
    )
    expect(await setup.listLines('kept')).toEqual(before)
  })

  test('has no entry for a failed action', async ({ app, make, owner, setup: { listLines } }) => {
    const { account } = await make.owner({ username: 'untouched' })
    const actor = owner.account.email
    const { database } = app.services
    await database.pool.query(
      `create function fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
       create trigger fail before insert on operator_log for each row execute function fail()`,
    )
    await expect(
      suspendAccount(app.services, app.services.db, actor, account.id, { suspended: true }),
    ).rejects.toThrow(/^no$/)
    await database.pool.query('drop function fail cascade')
    expect(await getAccount(app.services.db, account.id)).toMatchObject({ suspended: false })
    expect(await listLines('untouched')).toEqual([])
  })

  test('finds a short link in the form a person enters, and shows it decoded', async ({
    app,
    setup: { admin },
  }) => {
    const subject = 'http://brev.test/caf%C3%A9'
    await addLine(app, { actor: 'Dora', action: 'link.disable', subject })
    for (const input of [
      'café',
      'caf%C3%A9',
      'brev.test/café',
      subject,
      'https://BREV.test/café',
    ]) {
      const { body } = await admin.open(`${PATH}?${new URLSearchParams({ subject: input })}`)
      expect([input, body.includes('class="subject">brev.test/café<')]).toEqual([input, true])
    }
  })

  test('has pages and filters by actor, action and subject', async ({ app, setup: { admin } }) => {
    for (let number = 1; number <= 60; number += 1) {
      const detail = number === 60 ? '<script>alert(1)</script>' : null
      const action = number % 2 ? 'link.disable' : 'link.enable'
      await addLine(app, {
        actor: 'Berta',
        action,
        subject: `brev.test/${number}`,
        detail,
      })
    }
    const listSubjects = (body: string) =>
      [...body.matchAll(/class="subject">([^<]+)</g)].map(([, subject]) => subject)
    const first = await admin.open(`${PATH}?actor=berta`)
    expect(first.body).toContain('&lt;script&gt;')
    const next = /rel="next" href="([^"]+)"/.exec(first.body)?.[1]?.replaceAll('&amp;', '&')
    const second = await admin.open(String(next))
    expect([...listSubjects(first.body), ...listSubjects(second.body)]).toEqual(
      Array.from({ length: 60 }, (_, index) => `brev.test/${60 - index}`),
    )
    expect(second.body).not.toContain('rel="next"')
    const mixedCase = await admin.open(`${PATH}?action=link.disable&actor=BERTA`)
    expect(listSubjects(mixedCase.body)).toHaveLength(30)
    const single = await admin.open(`${PATH}?subject=BREV.test/7`)
    expect(listSubjects(single.body)).toEqual(['brev.test/7'])
    expect((await admin.open(`${PATH}?subject=nothing`)).body).toContain('No matches')
    expect((await admin.open(`${PATH}?subject=%00&action=x&before=-1`)).statusCode).toBe(200)
  })

  test('is exported as filtered CSV', async ({ app, setup: { admin } }) => {
    const line = { actor: 'carla', subject: 'x', detail: '=cmd()\n"y"' }
    await addLine(app, { ...line, action: 'account.suspend' })
    const file = await admin.open(`${PATH}.csv?actor=carla`)
    expect([file.statusCode, file.headers['content-type']]).toEqual([
      200,
      'text/csv; charset=utf-8',
    ])
    expect(file.headers['content-disposition']).toMatch(/^attachment; filename="admin-log-/)
    expect(file.body.replace(/^\d+,[\d: -]+/m, '#')).toBe(
      `\ufeffid,date,actor,action,subject,detail\n#,carla,account.suspend,x,"'=cmd()\n""y"""\n`,
    )
  })
})

describe('commands are logged', () => {
  test('with changes of accounts', async ({ setup: { brevis, listLines } }) => {
    const email = 'logged@example.net'
    await brevis([
      'account',
      'create',
      '--email',
      email,
      '--username',
      'logged',
      '--password',
      'correct horse battery',
    ])
    await brevis(['account', 'suspend', '--email', email, '--reason', 'spam'])
    await brevis(['account', 'resume', '--email', email])
    await brevis(['account', 'plan', '--email', email, '--plan', 'pro'])
    await brevis(['account', 'delete', email, '--yes'])
    const lines = await listLines('logged')
    expect(lines.map(({ actor }) => actor)).toEqual(lines.map(() => COMMAND_LINE))
    expect(lines.map(({ action, detail }) => [action, detail]).reverse()).toEqual([
      ['account.create', null],
      ['account.suspend', 'spam'],
      ['account.resume', null],
      ['account.plan', 'pro'],
      ['account.delete', null],
    ])
  })

  test('with changes of keys and links', async ({
    make,
    setup: { brevis, brevisJson, listLines },
  }) => {
    const owner = await make.owner({ username: 'keyholder' })
    const { id, key } = await brevisJson(accountArguments('key create', owner))
    await brevis(accountArguments('key expire', owner, '--id', String(id), '--at', '2999-01-31'))
    await brevis(accountArguments('key rotate', owner, '--id', String(id), '--overlap', '1h'))
    await brevis(accountArguments('key revoke', owner, '--id', String(id)))
    const lines = await listLines('keyholder')
    expect(lines.map(({ action }) => action).reverse()).toEqual([
      'key.create',
      'key.expire',
      'key.rotate',
      'key.revoke',
    ])
    expect(lines[0]?.detail).toBe(`${key.slice(0, 10)}… full`)
    const splash = await brevisJson(
      accountArguments(
        'splash add',
        owner,
        '--name',
        'Hi',
        '--title',
        'Hello',
        '--message',
        'Going on.',
      ),
    )
    await brevis(accountArguments('splash delete', owner, '--id', String(splash.id)))
    const [deleted, added] = await listLines('keyholder')
    expect([deleted, added]).toMatchObject([
      { action: 'splash.delete', detail: String(splash.id) },
      { action: 'splash.add', detail: String(splash.id) },
    ])
    const { shortUrl } = await make.link(owner)
    await brevis(['link', 'disable', shortUrl, '--reason', 'malware'])
    await brevis(['link', 'enable', shortUrl])
    const [enabled, disabled] = await listLines(shortUrl)
    expect([enabled, disabled]).toMatchObject([
      { action: 'link.enable', detail: null },
      { action: 'link.disable', detail: 'malware' },
    ])
  })
})

describe('user admin', () => {
  test("grants and revokes a user's access", async ({
    app,
    make,
    setup: { brevisJson, listLines },
  }) => {
    const { account } = await make.owner({ username: 'deputy', email: 'deputy@example.net' })
    const token = await createSession(scopeOf(app.services, account.id))
    const person = openSession(app, `brevis_session=${token}`)
    const status = async () => (await person.open(PATH)).statusCode
    expect(await status()).toBe(404)
    const expected = { email: 'deputy@example.net', admin: true }
    expect(await brevisJson(['user', 'admin', 'Deputy@example.net', 'on'])).toMatchObject(expected)
    expect(await status()).toBe(200)
    const { users } = await brevisJson(['user', 'list'])
    expect(users).toContainEqual(expect.objectContaining({ ...expected, accounts: 1 }))
    await brevisJson(['user', 'admin', 'deputy@example.net', 'off'])
    expect(await status()).toBe(404)
    const lines = await listLines('deputy@example.net')
    expect(lines.map(({ action, detail }) => [action, detail])).toEqual([
      ['user.admin', 'off'],
      ['user.admin', 'on'],
    ])
  })

  test.for([
    [['owner1@example.com', 'off'], 'This is the only admin. Make someone else an admin first.'],
    [['nobody@example.com', 'on'], 'There is no user with the email nobody@example.com.'],
    [['owner1@example.com', 'perhaps'], 'state must be on or off'],
    [['owner1@example.com'], "missing required argument 'state'"],
  ] as const)('%j prints an error', async ([args, text], { owner, setup: { settings } }) => {
    expect(owner.account.email).toBe('owner1@example.com')
    const outcome = await runCommand(['user', 'admin', ...args], { env: settings() })
    expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringContaining(text)])
  })
})

test('makes exactly one of several concurrently created accounts an admin', async ({ app }) => {
  const { database } = app.services
  await database.pool.query('delete from accounts')
  const created = await Promise.all(
    Array.from({ length: 8 }, (_, number) =>
      createAccount(app.services, app.services.db, {
        email: `first${number}@example.net`,
        username: `first${number}`,
        password: 'correct horse battery',
      }),
    ),
  )
  expect(created).toHaveLength(8)
  const { entries } = await listOperatorUsers(database.db, { admins: true }, { limit: 9 })
  expect(entries.filter(({ email }) => email.startsWith('first'))).toHaveLength(1)
})

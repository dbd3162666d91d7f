import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { findBioByAlias } from '../../src/resources/bio-visits.ts'
import { recordAnswer } from '../../src/resources/overlay-answers.ts'
import { accountArguments, commandLine, runCommand, runProcess } from '../support/command.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('cli', { scope: 'file' }, ({ app }) => {
  const { brevis, brevisJson, settings } = commandLine(app)
  return { brevis, brevisJson, settings }
})

describe('overlays on the command line', () => {
  test('are added, listed and deleted', async ({ make, request, cli: { brevis, brevisJson } }) => {
    const owner = await make.owner()
    const { id } = await brevisJson(
      accountArguments(
        'overlay add',
        owner,
        '--type',
        'message',
        '--name',
        'Sale',

        '--text',
        'Our sale\nStarts today.',
        '--button',
        'Go',
        '--link',
        'https://shop.example',
      ),
    )
    const listed = await request({ url: '/api/overlay', headers: owner.headers })
    expect(JSON.stringify(listed.json())).toContain(`"id":${id}`)
    expect(await brevisJson(accountArguments('overlay list', owner))).toEqual({
      overlays: [{ id, type: 'message', name: 'Sale', date: expect.any(String) }],
    })
    const deleted = await brevisJson(accountArguments('overlay delete', owner, '--id', String(id)))
    expect(deleted).toEqual({ id, deleted: true })
    expect(await brevis(accountArguments('overlay list', owner))).toBe('no overlays\n')
  })

  test('export responses as CSV without formulas, and as JSON', async ({
    app,
    make,
    cli: { brevis, brevisJson },
  }) => {
    const owner = await make.owner()
    const { id } = await brevisJson(
      accountArguments(
        'overlay add',
        owner,
        '--type',
        'poll',
        '--name',
        'Tea?',
        '--text',
        'Tea?',
        '--options',
        'Green,Black,None',
      ),
    )
    const args = accountArguments('overlay answers', owner, '--id', String(id))
    expect(await brevisJson(args)).toEqual({ answers: [] })
    const link = await make.link(owner)
    await recordAnswer(app.services.db, id, link.id, { choice: 'Green' })
    await recordAnswer(app.services.db, id, link.id, { choice: '=1+1', note: 'a "b",\nc' })
    const date = expect.any(String)
    const answers = [
      { id: expect.any(Number), link: link.id, date, answer: { choice: 'Green' } },
      {
        id: expect.any(Number),
        link: link.id,
        date,
        answer: { choice: '=1+1', note: 'a "b",\nc' },
      },
    ]
    expect(await brevisJson(args)).toEqual({ answers })
    expect(JSON.parse(await brevis([...args, '--format', 'json']))).toEqual({ answers })
    const csv = await brevis([...args, '--format', 'csv'])
    expect(csv.replaceAll(/^\d+,\d+,[\d: -]+/gm, '#')).toBe(
      `id,link,date,choice,note\n#,Green,\n#,'=1+1,"a ""b"",\nc"\n`,
    )
  })
})

describe('splash pages on the command line', () => {
  test('are added, listed and deleted', async ({ app, make, cli: { brevis, brevisJson } }) => {
    const owner = await make.owner()
    const { id } = await brevisJson(
      accountArguments(
        'splash add',
        owner,
        '--name',
        'Welcome',
        '--title',
        'Hello',
        '--message',
        'You are leaving.',
        '--seconds',
        '15',
      ),
    )
    const stored = await app.services.database.db
      .selectFrom('splash_pages')
      .select(['account_id', 'seconds'])
      .where('id', '=', id)
      .executeTakeFirst()
    expect(stored).toEqual({ account_id: owner.account.id, seconds: 15 })
    expect(await brevisJson(accountArguments('splash list', owner))).toEqual({
      splashes: [{ id, name: 'Welcome', date: expect.any(String) }],
    })
    await brevis(accountArguments('splash delete', owner, '--id', String(id)))
    expect(await brevisJson(accountArguments('splash list', owner))).toEqual({ splashes: [] })
  })
})

describe('bio pages on the command line', () => {
  test('are added, listed and deleted', async ({ app, make, cli: { brevis, brevisJson } }) => {
    const owner = await make.owner()
    const { id, url } = await brevisJson(
      accountArguments(
        'bio add',
        owner,
        '--alias',
        'my-bio',
        '--title',
        'My page',
        '--text',
        'Hi',
        '--links',
        'Shop=https://shop.example/,https://blog.example/',
      ),
    )
    expect(url).toBe(`${app.baseUrl}/b/my-bio`)
    expect(await findBioByAlias(app.services, app.services.db, 'my-bio')).toMatchObject({
      id,
      links: [
        { title: 'Shop', url: 'https://shop.example/' },
        { title: 'blog.example', url: 'https://blog.example/' },
      ],
    })
    expect(await brevisJson(accountArguments('bio list', owner))).toEqual({
      bios: [{ id, alias: 'my-bio', title: 'My page', links: 2, date: expect.any(String) }],
    })
    await brevis(accountArguments('bio delete', owner, '--id', String(id)))
    expect(await findBioByAlias(app.services, app.services.db, 'my-bio')).toBeNull()
  })
})

describe('`brevis stats check`', () => {
  test('succeeds for correct statistics and fails for a wrong number', async ({
    app,
    make,
    request,
    cli: { brevis, brevisJson, settings },
  }) => {
    const owner = await make.owner()
    const link = await make.link(owner, { alias: 'checked' })
    await request({ url: '/checked' })
    await app.importClicks()
    expect(await brevis(['stats', 'check'])).toBe('The statistics agree with a recount.\n')
    expect(await brevisJson(['stats', 'check'])).toEqual({ differences: [] })
    const { db } = app.services.database
    const setClicks = (days: number) =>
      sql`update click_days set clicks = ${days} where link_id = ${link.id}`.execute(db)
    await setClicks(7)
    const failure = await runCommand(['stats', 'check', '--json'], { env: settings() })
    await setClicks(1)
    expect(failure.code).toBe(1)
    expect(JSON.parse(failure.stdout)).toEqual({
      differences: expect.arrayContaining([
        { linkId: link.id, check: 'sum of days', expected: 1, found: 7 },
      ]),
    })
    // Labels and hours of that day differ from its clicks as well.
    expect(failure.stderr).toMatch(/^brevis: \d+ values differ from a recount\n$/)
  })
})

describe('on an empty database', () => {
  test('migrate creates the schema once', async () => {
    const env = { DATABASE_URL: await emptyDatabase() }
    const first = await runCommand(['migrate', '--json'], { env })
    expect(JSON.parse(first.stdout).applied).toContain('0001-schema')
    const second = await runCommand(['migrate'], { env })
    expect(second).toEqual({ code: 0, stdout: 'no applied\n', stderr: '' })
  })

  test('a command does not create the schema with MIGRATE_ON_START=false', async () => {
    const env = { DATABASE_URL: await emptyDatabase(), MIGRATE_ON_START: 'false' }
    expect(
      await runCommand(
        [
          'account',
          'create',
          '--email',
          'a@example.com',
          '--username',
          'first',
          '--password',
          'long enough',
        ],
        { env },
      ),
    ).toEqual({
      code: 1,
      stdout: '',
      stderr: 'brevis: the database lacks migration 0001-schema: run npx brevis migrate first\n',
    })
  })
})

test('--help of a command prints its subcommands and exits with 0', async () => {
  const { code, stdout, stderr } = await runCommand(['key', '--help'], { env: {} })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('rotate')
})

describe('as a process', () => {
  test('a command reads a password, prints one line and exits with 0', async ({
    request,
    cli: { settings },
  }) => {
    const { code, stdout, stderr } = await runProcess(
      [
        'account',
        'create',
        '--email',
        'p@example.com',
        '--username',
        'process',
        '--password',
        '-',
        '--json',
      ],
      { env: settings(), stdin: 'first line\nsecond line\n' },
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^\{.*\}\n$/)
    const headers = { authorization: `Bearer ${JSON.parse(stdout).key}` }
    const reply = await request({ url: '/api/account', headers })
    expect(reply.json().data).toMatchObject({ username: 'process' })
  })

  test('an error goes to standard error with exit code 1', async ({ cli: { settings } }) => {
    expect(await runProcess(['account', 'frobnicate'], { env: settings() })).toEqual({
      code: 1,
      stdout: '',
      stderr: "brevis: unknown command 'frobnicate'\n",
    })
  })

  test('help goes to standard output', async () => {
    const { code, stdout, stderr } = await runProcess(['--help'], { env: {} })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Manage a Brevis installation.')
  })
})

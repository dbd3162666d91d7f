import { connect } from 'node:net'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { createBlockList } from '../../src/blocked-hosts/block-list.ts'
import { updateImport } from '../../src/transfer/progress.queries.ts'
import { claimImport, heartbeat, releaseImport } from '../../src/transfer/queue.queries.ts'
import { countLinks, listImports } from '../../src/transfer/transfer.service.ts'
import { openPatiently } from '../support/database.ts'
import { formOf } from '../support/forms.ts'
import { countLeftovers, rows, uploadsTest } from '../support/uploads.ts'

const test = uploadsTest({ IMPORT_UPLOAD_MB: '2', OUTBOUND_ALLOW: '127.0.0.0/8' })

describe('an uploaded file', () => {
  test('is checked, then imported, and rejected rows can be downloaded', async ({
    app,
    newUser,
    worker,
  }) => {
    const { owner, person, upload } = await newUser()
    const reply = await upload(rows)
    expect(reply.statusCode).toBe(303)
    const url = String(reply.headers.location)
    expect((await person.open(url)).body).toContain('Queued')
    const { drain } = worker()
    await drain()
    const checked = (await person.open(url)).body
    expect(checked).toContain('Ready to import. Nothing has changed yet.')
    expect(checked).toContain('Links to create</th><td class="number">2</td>')
    expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(0)

    expect((await person.send(`${url}/start`)).statusCode).toBe(303)
    await drain()
    const done = (await person.open(url)).body
    expect(done).toContain('Links created</th><td class="number">2</td>')
    expect(done).toContain('Clicks imported</th><td class="number">5</td>')
    expect((await person.open(`${url}/report`)).body).toContain('3,bad,')
    expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(2)
    expect(await countLeftovers(app)).toEqual({ files: 0, keys: 0 })
    // A finished import cannot be started again.
    expect((await person.send(`${url}/start`)).statusCode).toBe(404)
  })

  test('cannot be seen, started or canceled by other accounts', async ({ newUser }) => {
    const uploader = await newUser()
    const otherUser = await newUser()
    const url = String((await uploader.upload(rows)).headers.location)
    for (const path of [url, `${url}/report`]) {
      expect((await otherUser.person.open(path)).statusCode).toBe(404)
    }
    for (const action of ['start', 'retry', 'cancel']) {
      expect((await otherUser.person.send(`${url}/${action}`)).statusCode).toBe(404)
    }
    expect((await uploader.person.send(`${url}/cancel`)).statusCode).toBe(303)
    expect((await uploader.person.open(url)).body).toContain('Import canceled.')
  })

  test('is rejected if it is too large, empty or sent without a form token', async ({
    app,
    newUser,
  }) => {
    const { person, upload, owner } = await newUser()
    const large = await upload('x'.repeat(3 * 1024 * 1024))
    expect([large.statusCode, large.body]).toEqual([422, expect.stringContaining('at most 2 MB')])
    expect((await upload('')).statusCode).toBe(422)
    expect((await upload(rows, { csrf: 'wrong' })).statusCode).toBe(403)
    expect((await person.open('/console/import')).body).not.toContain('links.jsonl</a>')
    expect(await listImports({ db: app.services.db, accountId: owner.account.id })).toEqual([])
  })

  test('leaves no rows or files if the upload is interrupted', async ({ app, newUser }) => {
    const { owner, person } = await newUser()
    const { csrf = '' } = formOf(await person.open('/console'))
    const parts = Object.entries({ csrf, onTaken: 'skip' }).map(
      ([name, value]) =>
        `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const readImports = () => listImports({ db: app.services.db, accountId: owner.account.id })
    await app.listen()
    const socket = connect(app.port(), '127.0.0.1')
    socket.write(
      `POST /console/import/file HTTP/1.1\r\nHost: brev.test\r\nCookie: ${person.cookie}\r\n` +
        'Content-Type: multipart/form-data; boundary=xyz\r\nContent-Length: 1000000\r\n\r\n' +
        `${parts.join('')}--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n` +
        'x'.repeat(500_000),
    )
    await vi.waitUntil(async () => (await readImports()).length === 1, { timeout: 60_000 })
    socket.destroy()
    await vi.waitUntil(async () => (await readImports()).length === 0, { timeout: 60_000 })
  })

  test.for([
    ['cut UTF-16', Buffer.from(`\ufeff${rows}`, 'utf16le').subarray(0, -1), 'not valid UTF-16'],
    [
      'Latin-1',
      Buffer.from('alias,url\ncaf\u00e9,https://a.example/\n', 'latin1'),
      'not text in UTF-8',
    ],
    ['NUL bytes', Buffer.from(`${rows}\0`), 'not text in UTF-8'],
    ['text that is not CSV', Buffer.from('hello'), 'No column contains the destination URL'],
  ] as const)(
    'with %s shows an error and changes nothing',
    async ([, content, text], { app, newUser, worker }) => {
      const { owner, person, upload } = await newUser()
      const url = String((await upload(new Uint8Array(content), {}, 'a.csv')).headers.location)
      await worker().drain()
      expect((await person.open(url)).body).toContain(text)
      expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(0)
    },
  )
})

test("resumes a killed import, and runs an account's imports one at a time", async ({
  app,
  newUser,
  worker,
}) => {
  const { owner, person, upload } = await newUser()
  const renamed = rows.replaceAll('"alias":"', '"alias":"killed-')
  const firstUrl = String((await upload(renamed)).headers.location)
  const firstId = Number(firstUrl.split('/').at(-1))
  const database = openPatiently(app.databaseUrl)
  onTestFinished(() => database.close())
  // Copies the import, because an account cannot upload a second file before the first is imported.
  const { rows: copies } = await database.pool.query<{ id: number }>(
    `with added as (
       insert into imports (account_id, source, name, options, state, background, dry_run, size)
       select account_id, source, name, options, state, background, dry_run, size from imports
       where id = $1 returning id
     ), copied as (
       insert into import_files select added.id, part, content from import_files, added
       where import_id = $1)
     select id from added`,
    [firstId],
  )
  const secondUrl = `/console/import/${copies[0]?.id}`
  // Simulates a process killed during the first import.
  const setHeartbeat = (ago: string) =>
    database.pool.query(
      `update imports set state = 'running', dry_run = false, updated_at = now() - $2::interval
       where id = $1`,
      [firstId, ago],
    )
  await setHeartbeat('0 s')
  const { drain } = worker()
  await drain()
  expect((await person.open(secondUrl)).body).toContain('Queued')
  await setHeartbeat('1 minute')
  await drain()
  expect((await person.open(firstUrl)).body).toContain(
    'Links created</th><td class="number">2</td>',
  )
  expect((await person.open(secondUrl)).body).toContain(
    'Already imported</th><td class="number">2</td>',
  )
  expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(2)
})

test('stores one file per account and replaces the file of a failed import', async ({
  app,
  newUser,
  worker,
}) => {
  const { person, upload } = await newUser()
  const failedUrl = String((await upload('hello', {}, 'a.csv')).headers.location)
  const rejected = await upload(rows)
  expect([rejected.statusCode, rejected.body]).toEqual([
    422,
    expect.stringContaining('finish or cancel'),
  ])
  await worker().drain()
  expect((await person.open(failedUrl)).body).toContain('The check failed.')
  const nextUpload = await upload(rows)
  expect(nextUpload.statusCode).toBe(303)
  expect((await person.open(failedUrl)).body).toContain('Import canceled.')
  expect(await countLeftovers(app)).toMatchObject({ files: 0 })
  const replies = await Promise.all([upload(rows), upload(rows)])
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([422, 422])
  await person.send(`${nextUpload.headers.location}/cancel`)
  const results = await Promise.all([upload(rows), upload(rows)])
  expect(results.map(({ statusCode }) => statusCode).toSorted()).toEqual([303, 422])
})

test('a worker changes nothing after losing its claim or if the account is suspended', async ({
  app,
  newUser,
}) => {
  const { owner, person, upload } = await newUser()
  const url = String((await upload(rows)).headers.location)
  const { db, pool, close } = openPatiently(app.databaseUrl)
  onTestFinished(close)
  const claim = async () => {
    // Leaves only this account's import in the queue.
    await pool.query(
      `update imports set state = 'cancelled' where account_id <> $1 and state = 'waiting'`,
      [owner.account.id],
    )
    const claimed = await claimImport(db)
    if (!claimed) throw new Error('no import is queued')
    return claimed
  }
  const setSuspendedAt = (at: string) =>
    pool.query(`update accounts set suspended_at = ${at} where id = $1`, [owner.account.id])
  const firstClaim = await claim()
  expect(await heartbeat(db, firstClaim, 1)).toBe(true)
  await setSuspendedAt('now()')
  expect(await heartbeat(db, firstClaim, 1)).toBe(false)
  await releaseImport(db, firstClaim, 0)
  expect(await claimImport(db)).toBeUndefined()
  await setSuspendedAt('null')
  const secondClaim = await claim()
  expect(secondClaim.id).toBe(firstClaim.id)
  expect(await heartbeat(db, firstClaim, 1)).toBe(false)
  await releaseImport(db, firstClaim, 0)
  const lostClaim = { from: ['checking', 'running'], lease: firstClaim.run_at } as const
  expect(await updateImport(db, firstClaim.id, { rows: 9 }, lostClaim)).toBe(false)
  expect((await person.open(url)).body).toContain('Checking …')
  expect(await heartbeat(db, secondClaim, 1)).toBe(true)
  await releaseImport(db, secondClaim, 0)
  expect((await person.open(url)).body).toContain('Queued')
})

test('the block list is reloaded every second, in case notifications are lost', async ({ app }) => {
  const { db, pool, close } = openPatiently(app.databaseUrl)
  onTestFinished(close)
  let now = 0
  const list = createBlockList({ db, monotonic: () => now })
  const url = new URL('https://blocked.example/')
  expect((await list.current()).blocks(url)).toBe(false)
  await pool.query(
    `insert into blocked_hosts (host, subdomains, blocked_by) values ('blocked.example', true, 'x')`,
  )
  expect((await list.current()).blocks(url)).toBe(false)
  now = 1001
  expect((await list.current()).blocks(url)).toBe(true)
})

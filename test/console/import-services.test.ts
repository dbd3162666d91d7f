import { describe, expect, onTestFinished } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createContext } from '../../src/context.ts'
import { createImportWorker } from '../../src/transfer/import-worker.ts'
import { countLinks } from '../../src/transfer/transfer.service.ts'
import { openPatiently } from '../support/database.ts'
import { openMockApi } from '../support/mock-api.ts'
import { countLeftovers, uploadsTest } from '../support/uploads.ts'

const test = uploadsTest({ OUTBOUND_ALLOW: '127.0.0.0/8' })

describe('a link-shortening service', () => {
  test('is imported with a key that is stored encrypted and deleted afterwards', async ({
    app,
    newUser,
    worker,
  }) => {
    const token = 'very-secret-key'
    const receivedKeys: string[] = []
    const api = await openMockApi(({ headers }) => {
      receivedKeys.push(String(headers['x-api-key']))
      const data = [{ address: 'moved', target: 'https://example.com/moved', visit_count: 3 }]
      return { total: 1, data }
    })
    onTestFinished(api.close)
    const { person, owner } = await newUser()
    const fields = { source: 'kutt', address: api.origin, onTaken: 'skip', domain: '' }
    const rejected = await person.send('/console/import/api', fields)
    expect(rejected.statusCode).toBe(422)
    expect(rejected.body).toMatch(/id="token-error"[^>]*>Must not be empty\./)
    expect(rejected.body).toMatch(/id="domain-hint"[^>]*>Leave blank for the default domain\./)
    const reply = await person.send('/console/import/api', { ...fields, token })
    const url = String(reply.headers.location)
    const database = openPatiently(app.databaseUrl)
    onTestFinished(() => database.close())
    const { rows: keys } = await database.pool.query<{ sealed: Buffer }>(
      'select sealed from import_keys',
    )
    expect(keys[0]?.sealed.includes(token)).toBe(false)
    const { drain } = worker()
    await drain()
    expect((await person.send(`${url}/start`)).statusCode).toBe(303)
    await drain()
    expect((await person.open(url)).body).toContain('Links created</th><td class="number">1</td>')
    expect((await person.open(url)).body).not.toContain(token)
    expect(new Set(receivedKeys)).toEqual(new Set([token]))
    expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(1)
    expect(await countLeftovers(app)).toEqual({ files: 0, keys: 0 })
  })

  test('at a private IP address is requested only if the operator allows it', async ({
    app,
    newUser,
  }) => {
    const { person } = await newUser()
    const fields = { source: 'kutt', address: 'http://127.0.0.1:8081', token: 'x', onTaken: 'skip' }
    const url = String((await person.send('/console/import/api', fields)).headers.location)
    // These settings do not have OUTBOUND_ALLOW.
    const config = readConfig({ BASE_URL: app.baseUrl, DATA_DIR: app.services.config.dataDir })
    const ctx = await createContext({ ...config, databaseUrl: app.databaseUrl }, 'importer', {
      clock: app.clock,
    })
    const worker = createImportWorker(ctx, ctx.db)
    await worker.drain()
    await worker.stop()
    await ctx.close()
    expect((await person.open(url)).body).toContain('The source cannot be read: unreachable')
  })
})

test('an import pauses while the service is busy, and other imports run in the meantime', async ({
  app,
  newUser,
  worker,
}) => {
  let isBusy = true
  const api = await openMockApi(() =>
    isBusy ? { status: 429, headers: { 'retry-after': '600' } } : { data: [] },
  )
  onTestFinished(api.close)
  const { person } = await newUser()
  const fields = { source: 'kutt', address: api.origin, token: 'x', onTaken: 'skip', domain: '' }
  const url = String((await person.send('/console/import/api', fields)).headers.location)
  const { drain } = worker()
  await drain()
  expect((await person.open(url)).body).toContain('Queued')
  expect(api.requests).toHaveLength(1)
  await drain()
  expect(api.requests).toHaveLength(1)
  isBusy = false
  const { pool, close } = openPatiently(app.databaseUrl)
  onTestFinished(close)
  await pool.query('update imports set not_before = now() where not_before is not null')
  await drain()
  expect((await person.open(url)).body).toContain('Nothing has changed yet')
  const fieldsWithLongUrl = { ...fields, address: `${api.origin}/${'a'.repeat(200)}` }
  const rejected = await person.send('/console/import/api', fieldsWithLongUrl)
  expect([rejected.statusCode, rejected.body]).toEqual([
    422,
    expect.stringContaining('at most 200'),
  ])
})

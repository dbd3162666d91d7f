import { expect, onTestFinished, vi } from 'vitest'
import { claimFolder } from '../../src/clicks/import/positions.queries.ts'
import { openJournalFolder } from '../../src/clicks/journal/segments.ts'
import { withConnection } from '../../src/db/connection.ts'
import { createSession } from '../../src/identity/session.service.ts'
import { createClickImporter } from '../../src/importer/click-importer.ts'
import { getLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { TestApp } from '../support/app.ts'
import { openSession } from '../support/console.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { WORKERS: '3' } }).extend(
  'admin',
  { scope: 'file' },
  async ({ app, owner }) =>
    openSession(
      app,
      `brevis_session=${await createSession(scopeOf(app.services, owner.account.id))}`,
    ),
)

const PATH = '/console/operator/health'
const WAIT_OPTIONS = { timeout: 60_000 }

/** Returns the terms and values on the page. */
function readFacts(body: string): Record<string, string> {
  const pairs = body.matchAll(/<dt>([^<]*)<\/dt><dd class="count">([^<]*)<\/dd>/g)
  return Object.fromEntries([...pairs].map(([, term, value]) => [term, value]))
}

async function readMetrics(app: TestApp): Promise<Record<string, number>> {
  const { body } = await app.request({ url: '/metrics', remoteAddress: '127.0.0.1' })
  const lines = body.matchAll(/^(brevis_\S+) (\S+)$/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, Number(value)]))
}

test('shows metrics and remedies for problems', async ({ app, make, owner, admin }) => {
  const { alias } = await make.link(owner)
  for (let visit = 0; visit < 4; visit += 1) await app.request({ url: `/${alias}` })
  const metrics = await readMetrics(app)
  expect(metrics).toMatchObject({
    brevis_clicks_journalled_total: 4,
    brevis_clicks_lost_total: 0,
    brevis_database_up: 1,
    brevis_importer_up: 0,
    brevis_link_cache_entries: 1,
    brevis_workers: 1,
    brevis_workers_expected: 3,
  })
  const lookups = (outcome: string) =>
    Number(metrics[`brevis_cache_${outcome}_total{cache="links"}`])
  const hits = lookups('hits')
  const misses = lookups('misses')
  // Cached values may be reloaded in between, when notifications start.
  expect([hits + misses, hits > 0, misses > 0]).toEqual([4, true, true])
  expect(metrics.brevis_importer_waiting_bytes).toBeGreaterThan(0)
  expect(metrics.brevis_importer_waiting_bytes).toBe(Number(metrics.brevis_journal_bytes))
  for (const name of ['database_size_bytes', 'data_disk_free_bytes', 'data_disk_size_bytes']) {
    expect([name, Number(metrics[`brevis_${name}`]) > 0]).toEqual([name, true])
  }
  const { body, statusCode } = await admin.open(PATH)
  expect(statusCode).toBe(200)
  expect(readFacts(body)).toMatchObject({
    Importer: 'not running',
    Pending: `${metrics.brevis_importer_waiting_bytes} bytes`,
    'Recorded since start': '4',
    'Lost since start': '0',
    State: 'up',
    'Cached links': '1',
    'Link cache hit rate': `${(25 * hits).toFixed(1)}% (4 lookups)`,
    Workers: '1 of 3',
    'Node.js': process.versions.node,
    PostgreSQL: expect.stringMatching(/^\d+\.\d+/),
    'Country data': expect.stringMatching(/^bundled, built 20\d\d-\d\d-\d\d$/),
  })
  expect(body).toContain('No importer is running on this machine')
  expect(body).toContain('Only 1 of 3 workers are responding.')
})

test('shows the import lag, and that an importer runs', async ({ app, make, owner, admin }) => {
  const { databaseUrl, services } = app
  await app.importClicks()
  expect(await readMetrics(app)).toMatchObject({
    brevis_importer_lag_seconds: 0,
    brevis_importer_waiting_bytes: 0,
  })
  await app.request({ url: `/${(await make.link(owner)).alias}` })
  app.clock.advance(90.5)
  expect(await readMetrics(app)).toMatchObject({ brevis_importer_lag_seconds: 90.5 })
  await withConnection({ url: databaseUrl, name: 'test' }, async ({ db }) => {
    expect(await claimFolder(db, openJournalFolder(services.config.journalDir).id)).toBe(true)
    const { body } = await admin.open(PATH)
    expect(readFacts(body)).toMatchObject({ Importer: 'running', Lag: '1 min 30 s' })
    expect(body).toContain('Clicks are counted late.')
  })
})

test('reports failing imports after a minute, with the reason, until they succeed', async ({
  app,
  make,
  owner,
  admin,
}) => {
  const { database, config, country, clients, instance } = app.services
  const errors: unknown[] = []
  const importer = createClickImporter({
    dir: config.journalDir,
    db: database,
    instance,
    country,
    clients,
    clock: app.clock,
    log: { info: () => {}, warn: () => {}, error: (details) => void errors.push(details) },
    retentionDays: 30,
  })
  onTestFinished(importer.stop)
  const { id, alias } = await make.link(owner)
  await app.request({ url: `/${alias}` })
  await database.pool.query('alter table click_days rename to away')
  void importer.run()
  const error = 'relation "click_days" does not exist'
  await vi.waitUntil(async () => (await readFailureMetrics(app)).error === error, WAIT_OPTIONS)
  app.clock.advance(59)
  expect((await readFailureMetrics(app)).seconds).toBe(59)
  expect((await admin.open(PATH)).body).not.toContain('Clicks can’t be imported')

  app.clock.advance(16)
  expect(await readFailureMetrics(app)).toEqual({ seconds: 75, error })
  const { body } = await admin.open(PATH)
  expect(readFacts(body)).toMatchObject({ Importer: 'failing for 1 min 15 s' })
  expect(body).toContain('Clicks can’t be imported: relation &quot;click_days&quot; does not exist')
  expect(body).not.toContain('No importer works on the journal')
  await vi.waitUntil(() => errors.length === 2, WAIT_OPTIONS)

  await database.pool.query('alter table away rename to click_days')
  await vi.waitUntil(async () => (await readFailureMetrics(app)).seconds === 0, WAIT_OPTIONS)
  expect(await readFailureMetrics(app)).toEqual({ seconds: 0, error: undefined })
  expect((await admin.open(PATH)).body).not.toContain('Clicks can’t be imported')
  expect((await getLink(scopeOf(app.services, owner.account.id), id)).clicks).toBe(1)
})

/** Returns the values of the metrics about failing imports. */
async function readFailureMetrics(app: TestApp) {
  const { body } = await app.request({ url: '/metrics', remoteAddress: '127.0.0.1' })
  const [, error] = /^brevis_importer_error_info\{error="(.*)"\} 1$/m.exec(body) ?? []
  const [, seconds] = /^brevis_importer_failing_seconds (\S+)$/m.exec(body) ?? []
  return { seconds: Number(seconds), error: error?.replaceAll('\\"', '"') }
}

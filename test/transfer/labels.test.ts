import { expect } from 'vitest'
import { purgeRemovedClicks } from '../../src/clicks/import.ts'
import { removeUnusedLabels } from '../../src/clicks/maintenance/housekeeping.ts'
import { emptyTrash } from '../../src/links/trash.service.ts'
import { MAX_NEW_LABELS } from '../../src/transfer/import-batch.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'

const url = 'https://example.com/'
const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const CUT_NOTICE =
  /^Some referrers, browsers or systems of 4 links were counted as "Other": an account can import/

const test = appTest().extend('labels', { scope: 'file' }, ({ app }) => {
  const { db, pool } = app.services.database
  return {
    async findNames(pattern: string): Promise<string[]> {
      const { rows } = await pool.query<{ name: string }>(
        'select name from labels where name like $1 order by name',
        [pattern],
      )
      return rows.map(({ name }) => name)
    },
    /** Simulates this many days and runs the check. Returns the number of deleted labels. */
    async removeUnused(days: number): Promise<number> {
      const ago = `$1 * interval '1 day'`
      await pool.query(`update instance set labels_checked_at = labels_checked_at - ${ago}`, [days])
      await pool.query(`update labels set unused_since = unused_since - ${ago}`, [days])
      return removeUnusedLabels(db)
    },
    statistics: async ({ headers }: Owner, id: number) => {
      const period = 'from=2026-01-01&to=2026-01-31&limit=1000'
      const reply = await app.request({ url: `/api/url/${id}/stats?${period}`, headers })
      return reply.json().data
    },
  }
})

/** Returns clicks of one day, each with a different site, browser and system. */
function createDay(prefix: string, clicks = 1000, day = '2026-01-02') {
  const counts = (kind: string) =>
    Object.fromEntries(Array.from({ length: clicks }, (_, n) => [`${prefix}-${kind}-${n}`, 1]))
  const countries = counts('country')
  const browsers = counts('browser')
  const os = counts('os')
  return { day, clicks, countries, referrers: counts('site'), browsers, os }
}

test('the imports of an account add a limited number of labels, and a notice reports the rest', async ({
  app,
  make,
  labels,
}) => {
  const owner = await make.owner()
  const link = (alias: string) => ({ alias, url, days: [createDay(alias)] })
  const known = { day: '2026-01-02', clicks: 9, countries: { DE: 9 }, referrers: { 't.co': 9 } }
  const transfer = createTransferCommands(app, owner)
  const firstFile = await createFile(jsonl(link('bound1')), 'links.jsonl')
  expect(await transfer.import(firstFile, 'jsonl')).toMatchObject({
    created: 1,
    labelsCut: 0,
    notices: [],
  })
  const others = ['bound2', 'bound3', 'bound4'].map(link)
  const file = await createFile(
    jsonl(...others, { alias: 'known', url, days: [known] }),
    'links.jsonl',
  )
  const report = await createFile('', 'report.csv')
  const dryRun = await transfer.import(file, 'jsonl', '--dry-run')
  expect(dryRun).toMatchObject({
    created: 4,
    labelsCut: 4,
    notices: [expect.stringMatching(CUT_NOTICE)],
  })
  expect(await labels.findNames('bound2%')).toEqual([])
  const result = await transfer.import(file, 'jsonl', '--report', report)
  expect(result).toMatchObject({
    created: 4,
    labelsCut: 4,
    notices: [expect.stringMatching(CUT_NOTICE)],
  })
  expect(await labels.findNames('bound%')).toHaveLength(MAX_NEW_LABELS)
  // Counting names as Other changes no totals. Common names do not count toward the limit.
  const reply = await app.request({ url: '/api/urls?limit=10', headers: owner.headers })
  const ids = new Map(
    reply.json().data.urls.map((each: { alias: string; id: number }) => [each.alias, each.id]),
  )
  const cutStatistics = await labels.statistics(owner, ids.get('bound4') as number)
  expect(cutStatistics).toMatchObject({
    clicks: 1000,
    referrers: [{ label: 'Other', clicks: 1000 }],
  })
  const completeStatistics = await labels.statistics(owner, ids.get('known') as number)
  expect(completeStatistics.countries).toEqual([{ label: 'Germany', code: 'DE', clicks: 9 }])
  expect(await transfer.check()).toContain('agree')
  // Another account has its own limit and shares existing names.
  const other = await make.owner()
  const otherImport = await createTransferCommands(app, other).import(
    await createFile(jsonl(link('bound1x'), { ...link('bound4'), alias: 'same' }), 'links.jsonl'),
    ...(['jsonl', '--on-taken', 'skip'] as const),
  )
  expect(otherImport).toMatchObject({ created: 2, labelsCut: 0 })
})

test('unused labels are deleted by the second check, a week after the first', async ({
  app,
  make,
  labels,
}) => {
  const owner = await make.owner()
  const transfer = createTransferCommands(app, owner)
  const createLinkFrom = (alias: string, name: string) => {
    const counts = { [name]: 1 }
    return { alias, url, days: [{ day: '2026-01-02', clicks: 1, referrers: counts }] }
  }
  const shortLived = ['gone1', 'gone2'].map((alias) => ({ alias, url, days: [createDay(alias)] }))
  await transfer.import(
    await createFile(jsonl(...shortLived, createLinkFrom('kept', 'sweep-kept')), 'a.jsonl'),
    'jsonl',
  )
  await make.link(owner, { alias: 'visited' })
  const visit = (site: string, agent: string) =>
    app.request({ url: '/visited', headers: { referer: `https://${site}/`, 'user-agent': agent } })
  await visit('sweep-visitor', 'curl/8')
  await visit('sweep-crawler', CRAWLER)
  await app.importClicks()
  const before = await labels.findNames('gone%')
  expect(before).toHaveLength(8000)
  expect(await labels.removeUnused(7)).toBe(0)

  const list = await app.request({ url: '/api/urls?limit=10', headers: owner.headers })
  for (const { id, alias } of list.json().data.urls) {
    if (!alias.startsWith('gone')) continue
    const removal = {
      method: 'DELETE',
      url: `/api/url/${id}/delete`,
      headers: owner.headers,
    } as const
    expect((await app.request(removal)).statusCode).toBe(200)
  }
  await emptyTrash(app.services.db, { olderThanDays: 0 })
  await purgeRemovedClicks(app.services.database.db)
  // Names are only marked at first, because an import may have just looked them up.
  expect(await labels.removeUnused(7)).toBe(0)
  expect(await labels.findNames('gone%')).toEqual(before)
  const { rows: marked } = await app.services.database.pool.query<{ name: string }>(
    `select name from labels where unused_since is not null and name like 'gone2-site%'`,
  )
  const reused = marked.slice(0, 1).map(({ name }) => name)
  await transfer.import(
    await createFile(jsonl(createLinkFrom('back', reused[0] ?? '')), 'b.jsonl'),
    'jsonl',
  )

  // The checks are a week apart.
  expect(await labels.removeUnused(1)).toBe(0)
  // The account's own statistics still use the first thousand names of each kind.
  expect(await labels.removeUnused(6)).toBe(4000 - 1)
  expect(await labels.findNames('gone%')).toEqual(expect.arrayContaining(reused))
  expect(await labels.findNames('sweep-%')).toEqual([
    'sweep-crawler',
    'sweep-kept',
    'sweep-visitor',
  ])
  const { data } = (await app.request({ url: '/api/urls', headers: owner.headers })).json()
  const { id } = data.urls.find((each: { alias: string }) => each.alias === 'back')
  expect((await labels.statistics(owner, id)).referrers).toEqual([{ label: reused[0], clicks: 1 }])
  expect(await transfer.export('jsonl')).not.toContain('"Unknown":1,"Unknown"')
  expect(await transfer.check()).toContain('agree')
})

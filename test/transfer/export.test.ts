import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { addCounts, toCounts, toLabelKey } from '../../src/clicks/encoding/label-counts.ts'
import { KIND } from '../../src/clicks/encoding/label-kinds.ts'
import { scopeOf } from '../../src/scope.ts'
import { readPage } from '../../src/transfer/export.queries.ts'
import { exportLinks } from '../../src/transfer/export.service.ts'
import type { TestApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import { countStatements } from '../support/counted-db.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'
import { createFile, createTransferCommands } from '../support/transfer.ts'

/** The number of sites and of clicks on each day of a link. */
const LABELS = 600
const CLICKS = 5000
/** The maximum length of a piece: 64 KiB plus the day that exceeds this size. */
const MAX_CHUNK_BYTES = 96 * 1024

const test = appTest().extend('database', { scope: 'file' }, ({ app, make }) => {
  const { pool } = app.services.database
  const isIdle = () => pool.idleCount === pool.totalCount && pool.waitingCount === 0

  return {
    untilIdle: () => vi.waitUntil(isIdle, { timeout: 60_000 }),

    /** Creates a link with clicks on this many days, each from many sites. */
    async makeClickedLink(owner: Owner, days: number) {
      const link = await make.link(owner)
      const labels = await createPackedLabels(app)
      await pool.query(
        `insert into click_days (link_id, day, clicks, visitors, hours, labels)
         select $1, date '2026-01-01' - n, $2, 0, $3, $4 from generate_series(1, $5::int) n`,
        [link.id, CLICKS, addCounts(undefined, toCounts(new Map([[7, CLICKS]])), 0), labels, days],
      )
      await pool.query('insert into click_totals (link_id, clicks) values ($1, $2)', [
        link.id,
        CLICKS * days,
      ])
      return link
    },
  }
})

/** Creates labels for many sites and returns their packed clicks. */
async function createPackedLabels({ services }: TestApp): Promise<Buffer> {
  const names = Array.from({ length: LABELS }, (_, index) => `site${index}.example`)
  const { rows } = await services.database.pool.query<{ id: number }>(
    `with created as (
       insert into labels (name) select unnest($1::text[]) on conflict do nothing returning id
     )
     select id from created union select id from labels where name = any($1)`,
    [names],
  )
  const [first, ...others] = rows
  const counts = others.map(({ id }) => [toLabelKey(KIND.referrer, id), 1] as const)
  const remainingClicks = CLICKS - others.length
  const allCounts = new Map([
    [toLabelKey(KIND.referrer, first?.id ?? 0), remainingClicks],
    ...counts,
  ])
  return addCounts(undefined, toCounts(allCounts), 0)
}

test('an export lets other work run between its pieces and reads on demand', async ({
  app,
  make,
  database,
}) => {
  const owner = await make.owner()
  await database.makeClickedLink(owner, 1000)
  const { db, statistics } = countStatements(app.services.database.db)
  let turns = 0
  let pieces = 0
  let text = ''
  let next: NodeJS.Immediate | undefined
  const scheduleTurn = () => {
    turns += 1
    next = setImmediate(scheduleTurn)
  }
  scheduleTurn()
  let turnsBefore = 0
  for await (const piece of exportLinks(
    scopeOf({ ...app.services, db }, owner.account.id),
    'jsonl',
  )) {
    expect(piece.text.length).toBeLessThan(MAX_CHUNK_BYTES)
    expect(turns).toBeGreaterThan(turnsBefore)
    turnsBefore = turns
    text += piece.text
    pieces += 1
    if (pieces > 1) continue
    // Only the first piece is requested. Waits for anything a prefetch would read.
    for (let query = 0; query < 5; query += 1) await db.selectFrom('links').select('id').execute()
    expect(statistics.statements).toBeLessThan(3)
  }
  clearImmediate(next)
  expect(pieces).toBeGreaterThan(100)
  expect(statistics.statements).toBeGreaterThan(5)
  expect(statistics.maxResultBytes).toBeGreaterThan(100 * 1024)
  expect(statistics.maxResultBytes).toBeLessThan(512 * 1024)
  const [line = '', ...otherLines] = text.trimEnd().split('\n')
  expect(otherLines).toEqual([])
  const { days, clicks } = JSON.parse(line)
  expect(clicks).toBe(1000 * CLICKS)
  expect(days).toHaveLength(1000)
  expect(days[0].day).toBe('2023-04-07')
  expect(days.at(-1)).toMatchObject({ day: '2025-12-31', clicks: CLICKS, hours: { 7: CLICKS } })
  for (const { referrers } of days) expect(Object.keys(referrers)).toHaveLength(LABELS)
})

test('an export reads links of a megabyte one by one', async ({ app, make }) => {
  const owner = await make.owner()
  const { db } = app.services.database
  const text = `https://example.com/${'x'.repeat(8000)}`
  const entry = { when: { country: 'DE' }, to: text, name: 'DE', value: text }
  const longList = JSON.stringify(Array.from({ length: 100 }, () => entry))
  for (const list of ['rules', 'parameters'] as const) {
    const { id } = await make.link(owner)
    await db
      .updateTable('links')
      .set({ [list]: longList })
      .where('id', '=', id)
      .execute()
  }
  for (let index = 0; index < 3; index += 1) await make.link(owner)
  const pages: number[] = []
  for (let after = 0; ; ) {
    const page = await readPage({ db, accountId: owner.account.id }, after)
    if (page.length === 0) break
    pages.push(page.length)
    after = page.at(-1)?.id ?? 0
  }
  expect(pages).toEqual([1, 1, 3])
})

test('an interrupted download ends the export and releases its connection', async ({
  app,
  make,
  database,
}) => {
  const owner = await make.owner()
  await database.makeClickedLink(owner, 3000)
  const { cookie, open } = await signIn(app, owner.account.email)
  await app.listen()
  const socket = connect(app.port(), '127.0.0.1')
  socket.write(
    `GET /console/export?format=jsonl HTTP/1.1\r\nHost: brev.test\r\nCookie: ${cookie}\r\n\r\n`,
  )
  await once(socket, 'readable')
  expect((await open('/console/export?format=csv')).statusCode).toBe(503)
  // The received data is not read.
  await database.untilIdle()
  expect((await open('/console/export?format=csv')).statusCode).toBe(503)
  socket.destroy()
  const isAvailable = async () => (await open('/console/export?format=csv')).statusCode === 200
  await vi.waitUntil(isAvailable, { timeout: 60_000 })
  await database.untilIdle()
})

test('concurrent exports of many accounts share two connections', async ({
  app,
  make,
  database,
}) => {
  const { pool } = app.services.database
  const owners = await Promise.all(Array.from({ length: 15 }, () => make.owner()))
  for (const owner of owners) await database.makeClickedLink(owner, 100)
  await database.untilIdle()
  const exports = owners.map(async ({ account }) => {
    const parts = await Array.fromAsync(exportLinks(scopeOf(app.services, account.id), 'jsonl'))
    return parts.map(({ text }) => text).join('')
  })
  let isOver = false
  const allCounts = Promise.all(exports).finally(() => {
    isOver = true
  })
  let maxConnections = 0
  while (!isOver) {
    maxConnections = Math.max(maxConnections, pool.totalCount - pool.idleCount)
    await nextTurn()
  }
  for (const line of await allCounts) expect(JSON.parse(line).days).toHaveLength(100)
  expect(maxConnections).toBe(2)
})

test('a CSV export with all rules that a link may have can be imported', async ({ app, make }) => {
  const owner = await make.owner()
  const url = `https://example.com/${'a'.repeat(8100)}`
  const rules = Array.from({ length: 50 }, () => ({ when: { country: 'DE' }, to: url }))
  await make.link(owner, { alias: 'many-rules', url, rules })
  const transfer = createTransferCommands(app, owner)
  const file = await createFile(await transfer.export('csv'))
  expect(await transfer.import(file, 'csv')).toMatchObject({ rows: 1, present: 1 })
})

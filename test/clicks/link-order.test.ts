import { describe, expect } from 'vitest'
import { updateLinkOrder } from '../../src/clicks/maintenance/link-order.ts'
import { listLinks } from '../../src/links/lists/link-list.queries.ts'
import { appendAll, createClick } from '../support/click-journal.ts'
import { importTest, waitUntil } from '../support/imports.ts'
import { isWaitingForLock } from '../support/lock-waits.ts'

const test = importTest()
  /** Returns the account's links as listed by clicks. */
  .extend('list', { scope: 'file' }, ({ database, account }) => {
    return async (): Promise<[id: number, clicks: number][]> => {
      const page = { order: 'click', limit: 1000, offset: 0 } as const
      const { entries } = await listLinks(
        { db: database.db, accountId: account },
        'http://brev.test',
        page,
      )
      return entries.map(({ id, clicks }) => [id, clicks])
    }
  })
  /** Records the given number of clicks per link and imports them. */
  .extend('clickAll', ({ createImport }) => {
    return async (clicks: readonly (readonly [id: number, times: number])[]) => {
      const { journal, drain } = createImport()
      const visits = clicks.flatMap(([id, times]) => Array.from({ length: times }, () => id))
      await appendAll(
        journal,
        visits.map((id, visitor) => createClick(id, visitor)),
      )
      await drain()
    }
  })
  .extend('countRows', { scope: 'file' }, ({ database }) => async (table: string) => {
    const { rows } = await database.pool.query<{ count: number }>(`select count(*) from ${table}`)
    return rows[0]?.count ?? -1
  })
  .extend('threeLinks', { scope: 'file' }, ({ makeLinks }) => {
    return async (): Promise<[number, number, number]> => {
      const [a = 0, b = 0, c = 0] = await makeLinks(3)
      return [a, b, c]
    }
  })

test.afterEach(async ({ database: { pool } }) => {
  const deleteSome = 'delete from links where id in (select id from links limit 500)'
  for (let deleted = 1; deleted > 0; ) deleted = (await pool.query(deleteSome)).rowCount ?? 0
  await pool.query(
    'truncate click_totals, click_days, click_details, click_visitors, clicks, uncounted_days',
  )
})

describe('the list of links by clicks', () => {
  test('shows exact numbers immediately and the new order after the next update', async ({
    database,
    discrepancies,
    list,
    clickAll,
    countRows,
    threeLinks,
  }) => {
    const { db } = database
    const [a, b, c] = await threeLinks()
    await clickAll([[b, 1]])
    expect(await list()).toEqual([
      [c, 0],
      [b, 1],
      [a, 0],
    ])
    await updateLinkOrder(db)
    expect(await list()).toEqual([
      [b, 1],
      [c, 0],
      [a, 0],
    ])
    await clickAll([
      [a, 2],
      [b, 1],
    ])
    expect(await list()).toEqual([
      [b, 2],
      [c, 0],
      [a, 2],
    ])
    expect(await discrepancies()).toEqual([])
    await updateLinkOrder(db)
    expect(await list()).toEqual([
      [b, 2],
      [a, 2],
      [c, 0],
    ])
    expect(await discrepancies()).toEqual([])
    expect(await countRows('link_order_changes')).toBe(0)
  })

  test('is reordered by the running importer', async ({
    createImport,
    list,
    countRows,
    threeLinks,
  }) => {
    const [a, b, c] = await threeLinks()
    const { journal, importer } = createImport()
    await appendAll(journal, [createClick(a, 1), createClick(a, 2), createClick(c, 3)])
    const running = importer.run()
    await waitUntil(
      async () => (await countRows('link_order_changes')) === 0 && (await list())[0]?.[0] === a,
    )
    await importer.stop()
    await running
    expect(await list()).toEqual([
      [a, 2],
      [c, 1],
      [b, 0],
    ])
  })

  test('ignores crawlers', async ({ database, createImport, list, countRows, threeLinks }) => {
    const { db } = database
    const [a, b, c] = await threeLinks()
    const { journal, drain } = createImport()
    await appendAll(journal, [createClick(a, 1, { userAgent: 'Googlebot/2.1' })])
    await drain()
    await updateLinkOrder(db)
    expect(await list()).toEqual([
      [c, 0],
      [b, 0],
      [a, 0],
    ])
    expect([await countRows('link_order'), await countRows('link_order_changes')]).toEqual([3, 0])
  })
})

describe('an update of the order', () => {
  test('that is interrupted is completed by the next one', async ({
    database,
    discrepancies,
    list,
    clickAll,
    countRows,
    threeLinks,
  }) => {
    const { db, pool } = database
    const [a, b, c] = await threeLinks()
    await clickAll([[a, 1]])
    await updateLinkOrder(db, AbortSignal.abort())
    expect(await countRows('link_order_changes')).toBe(1)
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('select from link_order where link_id = $1 for update', [a])
      const update = expect(updateLinkOrder(db)).rejects.toThrow()
      await waitUntil(() => isWaitingForLock(pool))
      await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where wait_event_type = 'Lock' and datname = current_database()`,
      )
      await update
    } finally {
      await client.query('commit')
      client.release()
    }
    expect([await countRows('link_order'), await countRows('link_order_changes')]).toEqual([3, 1])
    await updateLinkOrder(db)
    expect((await list()).map(([id]) => id)).toEqual([a, c, b])
    expect(await discrepancies()).toEqual([])
  })

  test("skips links deleted in the meantime, and a deletion removes a link's position", async ({
    database,
    remove,
    list,
    clickAll,
    countRows,
    threeLinks,
  }) => {
    const { db, pool } = database
    const [a, b, c] = await threeLinks()
    await clickAll([
      [a, 1],
      [b, 2],
    ])
    const client = await pool.connect()
    await client.query('begin')
    await client.query('delete from links where id = $1', [a])
    const update = updateLinkOrder(db)
    await waitUntil(() => isWaitingForLock(pool))
    await client.query('delete from click_totals where link_id = $1', [a])
    await client.query('commit')
    client.release()
    await update
    expect(await list()).toEqual([
      [b, 2],
      [c, 0],
    ])
    await remove(b)
    expect(await list()).toEqual([[c, 0]])
    expect([await countRows('link_order'), await countRows('link_order_changes')]).toEqual([1, 0])
    await remove(c)
  })

  test('by several callers during imports leads to the correct order', async ({
    database,
    makeLinks,
    discrepancies,
    list,
    clickAll,
  }) => {
    const { db } = database
    const links = await makeLinks(40)
    for (let round = 1; round <= 5; round += 1) {
      const clicks = links.map((id, index) => [id, (index * round) % 7] as const)
      await Promise.all([
        clickAll(clicks),
        updateLinkOrder(db),
        updateLinkOrder(db),
        updateLinkOrder(db),
      ])
    }
    await updateLinkOrder(db)
    const entries = await list()
    expect(entries).toEqual(entries.toSorted(([idA, a], [idB, b]) => b - a || idB - idA))
    expect(entries).toHaveLength(40)
    expect(await discrepancies()).toEqual([])
  })

  test('processes more links and imports than fit in one batch', async ({
    database,
    makeLinks,
    countRows,
  }) => {
    const { db, pool } = database
    const links: number[] = []
    while (links.length < 6000) links.push(...(await makeLinks(1000)))
    await pool.query(
      'insert into click_totals (link_id, clicks) select *, 1 + random() * 9 from unnest($1::bigint[])',
      [links],
    )
    for (let first = 0; first < links.length; first += 500) {
      await pool.query('insert into link_order_changes (link_ids) values ($1::bigint[])', [
        links.slice(Math.max(0, first - 400), first + 500),
      ])
    }
    await updateLinkOrder(db)
    expect([await countRows('link_order'), await countRows('link_order_changes')]).toEqual([
      6000, 0,
    ])
  })
})

test('the check of statistics detects wrong and missing positions in the order', async ({
  database,
  discrepancies,
  list,
  clickAll,
  threeLinks,
}) => {
  const { db, pool } = database
  const [a, b] = await threeLinks()
  await clickAll([
    [a, 3],
    [b, 1],
  ])
  await updateLinkOrder(db)
  await pool.query('update link_order set clicks = 9 where link_id = $1', [a])
  await pool.query('delete from link_order where link_id = $1', [b])
  expect(await discrepancies()).toEqual([
    { linkId: b, check: 'rows in the order by clicks', expected: 1, found: 0 },
    { linkId: a, check: 'order by clicks', expected: 3, found: 9 },
  ])
  await pool.query('insert into link_order select account_id, 0, id from links where id = $1', [b])
  await clickAll([
    [a, 1],
    [b, 1],
  ])
  expect(await discrepancies()).toEqual([])
  await updateLinkOrder(db)
  expect((await list()).slice(0, 2)).toEqual([
    [a, 4],
    [b, 2],
  ])
})

import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { checkCounters } from '../../src/clicks/maintenance/check-counters.ts'
import { checkLinkOrder } from '../../src/clicks/maintenance/check-link-order.ts'
import { updateLinkOrder } from '../../src/clicks/maintenance/link-order.ts'
import { countRows } from '../../src/db/row-counts.queries.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { deleteLink, getLink } from '../../src/links/link.service.ts'
import { listLinks } from '../../src/links/link-list.queries.ts'
import { readPageOfLinks } from '../../src/links/link-pages.queries.ts'
import type { LinkOrder } from '../../src/links/link-sort.queries.ts'
import { deleteQrCode } from '../../src/qr/qr.service.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

const ORDERS: readonly LinkOrder[] = ['date', 'click']

/** The next ID for `createLinks`. */
let nextId = 1000

/** Links of two accounts with interleaved IDs. */
const test = appTest().extend('setup', { scope: 'file' }, async ({ app, make, request }) => {
  const { services } = app
  const { db, pool } = services.database
  const firstOwner = await make.owner()
  const secondOwner = await make.owner()
  await createLinks([firstOwner, secondOwner], 60)
  await setClicks(firstOwner)
  await setClicks(secondOwner)
  async function applyStep(action: string, owner: Owner, seed: number): Promise<void> {
    const ids = await readSortedIds(owner, 'date')
    const id = ids[seed % ids.length] ?? 0
    if (action === 'make') await make.link(owner)
    else if (action === 'makeCode') await make.qr(owner)
    else if (action === 'delete') await deleteLink(services, db, owner.account.id, id)
    else {
      const { alias } = await getLink(services, db, owner.account.id, id)
      const clicks = action === 'click' ? 1 : 1 + (seed % 40)
      for (let click = 0; click < clicks; click += 1) await request({ url: `/${alias}` })
    }
  }
  /** Compares every page of several sizes with a plain query. */
  async function expectPages(owner: Owner): Promise<void> {
    const { id } = owner.account
    for (const order of ORDERS) {
      const expected = await readSortedIds(owner, order)
      for (const limit of [1, 7, 1000]) {
        const spacing = Math.min(limit, 5)
        const offsets = Array.from(expected.keys()).filter((index) => index % spacing === 0)
        const pages = await Promise.all(
          offsets.map((offset) => readPageOfLinks(db, id, { order, limit, offset })),
        )
        expect(
          pages.map(({ ids }) => ids),
          `${order} ${limit}`,
        ).toEqual(offsets.map((offset) => expected.slice(offset, offset + limit)))
      }
      const { entries, total } = await listLinks(db, app.baseUrl, id, {
        order,
        limit: 9,
        offset: 9,
      })
      expect([total, entries.map((entry) => entry.id)]).toEqual([
        expected.length,
        expected.slice(9, 18),
      ])
    }
  }
  async function readSortedIds(owner: Owner, order: LinkOrder): Promise<number[]> {
    const { rows } = await pool.query<{ id: number }>(
      `select id from links left join click_totals on link_id = id
     where links.account_id = $1 and kind = 'link'
     order by ${order === 'click' ? 'coalesce(clicks, 0) desc, id desc' : 'created_at desc, id desc'}`,
      [owner.account.id],
    )
    return rows.map(({ id }) => id)
  }
  async function readCounters({ account }: Owner) {
    return {
      links: await countRows(db, 'links', account.id),
      qr_codes: await countRows(db, 'qr_codes', account.id),
    }
  }
  async function findDiscrepancies() {
    return [
      ...(await Array.fromAsync(checkLinkOrder(db))),
      ...(await Array.fromAsync(checkCounters(db))),
    ]
  }
  /** Creates links of several owners with interleaved IDs. */
  async function createLinks(owners: Owner[], links: number): Promise<void> {
    const ids = owners.map(({ account }) => account.id)
    const first = nextId
    nextId += links * owners.length
    await pool.query(
      `insert into links (id, account_id, kind, alias, url, created_at) overriding system value
       select $3::bigint + n, ($1::bigint[])[1 + n % cardinality($1::bigint[])],
         case when n % 11 = 5 then 'qr' else 'link' end, 'deep-' || ($3::bigint + n), 'https://example.com/',
         now() - abs(hashint8(n)) % 20 * interval '1 day'
       from generate_series(0, $2::bigint - 1) n`,
      [ids, links * owners.length, first],
    )
    await pool.query(`select setval(pg_get_serial_sequence('links', 'id'), $1)`, [nextId])
    nextId += 1000
  }
  /** Sets clicks of an owner's links, some equal and some zero, including those of QR codes. */
  async function setClicks({ account }: Owner): Promise<void> {
    await pool.query(
      `with clicked as (
       insert into click_totals (link_id, clicks)
       select id, clicks from (
         select id, ('{0, 0, 0, 1, 1, 2, 15, 16, 17, 31, 32, 33, 34, 1000, 1000, 1023, 1024,
           5000000000000}'::bigint[])[1 + abs(hashint8(id)) % 18] as clicks
         from links where account_id = $1
       ) l where clicks > 0 returning link_id
     )
     insert into link_order_changes (link_ids) select array_agg(link_id) from clicked`,
      [account.id],
    )
    await updateLinkOrder(db)
  }
  const data = { firstOwner, secondOwner, createLinks, setClicks, pool }
  return { ...data, applyStep, expectPages, readSortedIds, findDiscrepancies, readCounters }
})

type Entry = { id: number; clicks: number }

describe('a page far from both ends', () => {
  test('has the same links as a plain query', async ({
    setup: { firstOwner, secondOwner, expectPages },
  }) => {
    await expectPages(firstOwner)
    await expectPages(secondOwner)
  })

  // Thousands of statements, which take long on a shared machine.
  test('stays correct while links are created, clicked and deleted', { timeout: 90_000 }, async ({
    app,
    setup: { firstOwner, secondOwner, applyStep, expectPages, findDiscrepancies },
  }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        for (const { action, isFirst, seed } of steps)
          await applyStep(action, isFirst ? firstOwner : secondOwner, seed)
        await app.importClicks()
        expect(await findDiscrepancies()).toEqual([])
        await expectPages(firstOwner)
        await expectPages(secondOwner)
      }),
      { numRuns: 8 },
    )
  })

  test('does not repeat or omit links while links are created and deleted', async ({
    app,
    make,
    setup: { readSortedIds, createLinks },
  }) => {
    const { db } = app.services.database
    const caller = await make.owner()
    await createLinks([caller], 60)
    const initialIds = await readSortedIds(caller, 'date')
    // New links come first, newest first.
    const computeRank = (id: number) => (initialIds.includes(id) ? initialIds.indexOf(id) : -id)
    let isDone = false
    const created: number[] = []
    const changes = (async () => {
      for (let round = 0; round < 40; round += 1) {
        const { id } = await make.link(caller)
        if (round % 3 === 0) await deleteLink(app.services, app.services.db, caller.account.id, id)
        else created.push(id)
      }
      isDone = true
    })()
    let pagesRead = 0
    while (!isDone || pagesRead === 0) {
      pagesRead += 1
      const page = { order: 'date', limit: 25, offset: 20 } as const
      const { ids } = await readPageOfLinks(db, caller.account.id, page)
      // Links that existed throughout must appear between the first and last entry of a page.
      const [first = 0, last = 0] = [ids[0] ?? 0, ids.at(-1) ?? 0].map(computeRank)
      const expectedIds = (await readSortedIds(caller, 'date')).filter(
        (id) => computeRank(id) >= first && computeRank(id) <= last,
      )
      expect(ids.filter((id) => expectedIds.includes(id))).toEqual(expectedIds)
      expect(new Set(ids).size).toBe(25)
    }
    await changes
    expect((await readSortedIds(caller, 'date')).slice(0, 26)).toEqual(created.reverse())
  })

  test('is identical through the API', async ({
    make,
    request,
    setup: { setClicks, pool, readSortedIds, createLinks },
  }) => {
    const caller = await make.owner()
    await createLinks([caller], 26_000)
    await setClicks(caller)
    for (const order of ORDERS) {
      const expected = await readSortedIds(caller, order)
      for (const page of [1, 105, 118, 130, 236]) {
        const url = `/api/urls?order=${order}&limit=100&page=${page}`
        const { data } = (await request({ url, headers: caller.headers })).json()
        expect(data.urls.map(({ id }: Entry) => id)).toEqual(
          expected.slice((page - 1) * 100, page * 100),
        )
        const { rows } = await pool.query<{ clicks: number }>(
          `select coalesce(clicks, 0) as clicks
           from unnest($1::bigint[]) with ordinality as shown (id, place)
           left join click_totals on link_id = id order by place`,
          [expected.slice((page - 1) * 100, page * 100)],
        )
        expect(data.urls.map(({ clicks }: Entry) => clicks)).toEqual(
          rows.map(({ clicks }) => clicks),
        )
      }
    }
  })
})

test('a page does not scan newer links of other accounts', async ({
  app,
  make,
  setup: { pool, createLinks },
}) => {
  const caller = await make.owner()
  const other = await make.owner()
  await createLinks([caller], 3000)
  await createLinks([other], 9000)
  await pool.query('analyze links')
  const { db } = app.services.database
  const page = { limit: 15, offset: 0 }
  const tuplesRead = await inTransaction(db, async (tx) => {
    // Statistics of earlier statements may not have been flushed yet.
    const count = async () => {
      const { rows } = await sql<{ count: number }>`
        select pg_stat_get_xact_tuples_returned('links_pkey'::regclass) as count`.execute(tx)
      return rows[0]?.count ?? Number.NaN
    }
    const before = await count()
    for (const order of ORDERS) {
      const { ids } = await readPageOfLinks(tx, caller.account.id, { ...page, order })
      expect(ids).toHaveLength(15)
    }
    return (await count()) - before
  })
  // The planner may read the ends of the index, but not all 9,000 links of the other account.
  expect(tuplesRead).toBeLessThan(100)
})

describe('the counters', () => {
  test('ignore links of QR codes', async ({
    app,
    make,
    request,
    setup: { readCounters, pool },
  }) => {
    const caller = await make.owner()
    const code = await make.qr(caller)
    const link = await make.link(caller)
    const { rows } = await pool.query('select alias from links where account_id = $1', [
      caller.account.id,
    ])
    for (const { alias } of rows) await request({ url: `/${alias}` })
    await app.importClicks()
    expect(await readCounters(caller)).toEqual({ links: 1, qr_codes: 1 })
    await deleteQrCode(app.services, app.services.db, caller.account.id, code.id)
    await deleteLink(app.services, app.services.db, caller.account.id, link.id)
    expect(await readCounters(caller)).toEqual({ links: 0, qr_codes: 0 })
  })

  test.for([
    ['links', /^counter of links$/],
    ['qr_codes', /^counter of QR codes$/],
    ['bio_pages', /^counter of bio pages$/],
  ] as const)(
    'of %s are verified by the consistency check',
    async ([kind, check], { make, setup: { firstOwner, findDiscrepancies, pool } }) => {
      await make.qr(firstOwner)
      await make.bio(firstOwner)
      const add = (change: number) =>
        pool.query(
          `update row_counts set rows = rows + $2 where ctid = (
           select ctid from row_counts
           where kind = $3 and owner_id = $1 order by slot limit 1)`,
          [firstOwner.account.id, change, kind],
        )
      await add(1)
      const found = await findDiscrepancies()
      expect(found).toMatchObject([
        { accountId: firstOwner.account.id, check: expect.stringMatching(check) },
      ])
      expect(found[0]?.found).toBe((found[0]?.expected ?? 0) + 1)
      await add(-1)
      expect(await findDiscrepancies()).toEqual([])
    },
  )
})

const step = fc.record({
  action: fc.constantFrom('make', 'makeCode', 'delete', 'click', 'clickMany'),
  isFirst: fc.boolean(),
  seed: fc.nat(),
})

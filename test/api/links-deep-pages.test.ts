import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { deleteLink } from '../../src/links/link.service.ts'
import { readPageOfLinks } from '../../src/links/lists/link-sort.queries.ts'
import { deleteQrCode } from '../../src/qr/qr.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { deepPagesTest, ORDERS } from '../support/deep-pages.ts'

const test = deepPagesTest()

type Entry = { id: number; clicks: number }

describe('a page far from both ends', () => {
  test('has the same links as a plain query', async ({
    setup: { firstOwner, secondOwner, expectPages },
  }) => {
    await expectPages(firstOwner)
    await expectPages(secondOwner)
  })

  // Thousands of statements, which take long on a shared machine.
  test('stays correct while links are created, clicked and deleted', async ({
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
        if (round % 3 === 0) await deleteLink(scopeOf(app.services, caller.account.id), id)
        else created.push(id)
      }
      isDone = true
    })()
    let pagesRead = 0
    while (!isDone || pagesRead === 0) {
      pagesRead += 1
      const page = { order: 'date', limit: 25, offset: 20 } as const
      const { ids } = await readPageOfLinks({ db, accountId: caller.account.id }, page)
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

  test('has the same links and clicks through the API', async ({
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
  const otherOwner = await make.owner()
  await createLinks([caller], 3000)
  await createLinks([otherOwner], 9000)
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
      const { ids } = await readPageOfLinks(
        { db: tx, accountId: caller.account.id },
        { ...page, order },
      )
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
    await deleteQrCode(scopeOf(app.services, caller.account.id), code.id)
    await deleteLink(scopeOf(app.services, caller.account.id), link.id)
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
      const discrepancies = await findDiscrepancies()
      expect(discrepancies).toMatchObject([
        { accountId: firstOwner.account.id, check: expect.stringMatching(check) },
      ])
      expect(discrepancies[0]?.found).toBe((discrepancies[0]?.expected ?? 0) + 1)
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

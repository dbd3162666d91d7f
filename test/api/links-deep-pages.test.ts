import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { checkCounters } from '../../src/clicks/maintenance/check-counters.ts'
import { checkLinkOrder } from '../../src/clicks/maintenance/check-link-order.ts'
import { updateLinkOrder } from '../../src/clicks/maintenance/link-order.ts'
import { BLOCK_SIZE, countRows } from '../../src/db/row-counts.queries.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { pageByClicks } from '../../src/links/click-order.queries.ts'
import { deepPage } from '../../src/links/deep-page.queries.ts'
import { type LinkOrder, listLinks, pageByDate } from '../../src/links/link-list.queries.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

const ORDERS: readonly LinkOrder[] = ['date', 'click']

/** Where `fill` puts the next links: in blocks of their own, and so are those made afterwards. */
let nextBlock = 1

const test = appTest().extend('given', { scope: 'file' }, async ({ app, make, request }) => {
  const anna = await make.owner()
  const bert = await make.owner()
  await fill([anna, bert], { links: 60, step: 9000 })
  await setClicks(anna)
  await setClicks(bert)
  async function act(what: string, owner: Owner, seed: number): Promise<void> {
    const ids = await sorted(owner, 'date')
    const id = ids[seed % ids.length] ?? 0
    if (what === 'make') await make.link(owner)
    else if (what === 'makeCode') await make.qr(owner)
    else if (what === 'delete') await app.services.links.delete(owner.account.id, id)
    else {
      const { alias } = await app.services.links.get(owner.account.id, id)
      const clicks = what === 'click' ? 1 : 1 + (seed % 40)
      for (let click = 0; click < clicks; click += 1) await request({ url: `/${alias}` })
    }
  }
  /** Every page of some sizes, reached over the counters and by the usual way, is as a plain query has it. */
  async function expectPages(owner: Owner): Promise<void> {
    const { db } = app.services.database
    const { id } = owner.account
    for (const order of ORDERS) {
      const expected = await sorted(owner, order)
      const find = order === 'date' ? deepPage : pageByClicks
      for (const limit of [1, 7, 1000]) {
        const apart = Math.min(limit, 5)
        const offsets = Array.from(expected.keys()).filter((place) => place % apart === 0)
        const pages = await Promise.all(offsets.map((offset) => find(db, id, { limit, offset })))
        expect(pages, `${order} ${limit}`).toEqual(
          offsets.map((offset) => expected.slice(offset, offset + limit)),
        )
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
    const unclicked = (await sorted(owner, 'click')).slice(await countRows(db, 'link_order', id))
    const offsets = Array.from(unclicked.keys()).filter((place) => place % 3 === 0)
    const pages = await Promise.all(
      offsets.map((offset) => deepPage(db, id, { limit: 4, offset }, 'unclicked')),
    )
    expect(pages).toEqual(offsets.map((offset) => unclicked.slice(offset, offset + 4)))
    const expected = await sorted(owner, 'date')
    expect(await pageByDate(db, id, { limit: 9, offset: 9 }, expected.length, 3)).toEqual(
      expected.slice(9, 18),
    )
  }
  async function sorted(owner: Owner, order: LinkOrder): Promise<number[]> {
    const { rows } = await pool().query<{ id: number }>(
      `select id from links left join click_totals on link_id = id
     where links.account_id = $1 and kind = 'link'
     order by ${order === 'click' ? 'coalesce(clicks, 0) desc, id desc' : 'id desc'}`,
      [owner.account.id],
    )
    return rows.map(({ id }) => id)
  }
  async function countersOf({ account }: Owner) {
    const { db } = app.services.database
    return {
      links: await countRows(db, 'links', account.id),
      link_order: await countRows(db, 'link_order', account.id),
      qr_codes: await countRows(db, 'qr_codes', account.id),
    }
  }
  async function discrepancies() {
    const { db } = app.services.database
    return [
      ...(await Array.fromAsync(checkLinkOrder(db))),
      ...(await Array.fromAsync(checkCounters(db))),
    ]
  }
  /** Links of several owners in turns, with ids so far apart that they lie in several blocks. */
  async function fill(
    owners: Owner[],
    { links, step: apart }: { links: number; step: number },
  ): Promise<void> {
    const ids = owners.map(({ account }) => account.id)
    const first = nextBlock * BLOCK_SIZE
    nextBlock += Math.ceil((links * owners.length * apart) / BLOCK_SIZE) + 1
    await pool().query(
      `insert into links (id, account_id, kind, alias, url) overriding system value
       select $3 + n * $4, ($1::bigint[])[1 + n % cardinality($1::bigint[])],
         case when n % 11 = 5 then 'qr' else 'link' end, 'deep-' || ($3 + n * $4), 'https://example.com/'
       from generate_series(0, $2::bigint - 1) n`,
      [ids, links * owners.length, first, apart],
    )
    await pool().query(`select setval(pg_get_serial_sequence('links', 'id'), $1)`, [
      nextBlock * BLOCK_SIZE,
    ])
    nextBlock += 1
  }
  /** Has links of an owner clicked, some as often as others and some never, also those of QR codes. */
  async function setClicks({ account }: Owner): Promise<void> {
    await pool().query(
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
    await updateLinkOrder(app.services.database.db)
  }
  function pool() {
    return app.services.database.pool
  }
  return { expectPages, fill, anna, bert, act, discrepancies, sorted, setClicks, pool, countersOf }
})

type Entry = { id: number; clicks: number }

describe('a page far from both ends', () => {
  test('has the links that a plain query gives, wherever blocks and numbers of clicks end', async ({
    given: { anna, bert, expectPages },
  }) => {
    await expectPages(anna)
    await expectPages(bert)
  })

  test('runs over the borders of several blocks', async ({
    make,
    given: { expectPages, fill },
  }) => {
    const by = await make.owner()
    await fill([by], { links: 40, step: BLOCK_SIZE })
    await expectPages(by)
  })

  test('stays right while links are made, clicked and deleted', async ({
    app,
    given: { anna, bert, act, expectPages, discrepancies },
  }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        for (const { what, of, seed } of steps) await act(what, of ? anna : bert, seed)
        await app.importClicks()
        expect(await discrepancies()).toEqual([])
        await expectPages(anna)
        await expectPages(bert)
      }),
      { numRuns: 8 },
    )
  })

  test('shows no link twice and leaves out none while others make and delete links', async ({
    app,
    make,
    given: { sorted, fill },
  }) => {
    const { db } = app.services.database
    const by = await make.owner()
    await fill([by], { links: 60, step: 9000 })
    let done = false
    const made: number[] = []
    const others = (async () => {
      for (let round = 0; round < 40; round += 1) {
        const { id } = await make.link(by)
        if (round % 3 === 0) await app.services.links.delete(by.account.id, id)
        else made.push(id)
      }
      done = true
    })()
    let looks = 0
    while (!done || looks === 0) {
      looks += 1
      const ids = await deepPage(db, by.account.id, { limit: 25, offset: 20 })
      // Of its own moment it has every link between its first and its last that was there all along.
      const [first = 0, last = 0] = [ids[0], ids.at(-1)]
      const between = (await sorted(by, 'date')).filter((id) => id <= first && id >= last)
      expect(ids.filter((id) => between.includes(id))).toEqual(between)
      expect(new Set(ids).size).toBe(25)
    }
    await others
    expect((await sorted(by, 'date')).slice(0, 26)).toEqual(made.reverse())
  })

  test('is the same through the API', async ({
    make,
    request,
    given: { setClicks, pool, sorted, fill },
  }) => {
    const by = await make.owner()
    await fill([by], { links: 26_000, step: 16 })
    await setClicks(by)
    for (const order of ORDERS) {
      const expected = await sorted(by, order)
      for (const page of [1, 105, 118, 130, 236]) {
        const url = `/api/urls?order=${order}&limit=100&page=${page}`
        const { data } = (await request({ url, headers: by.headers })).json()
        expect(data.urls.map(({ id }: Entry) => id)).toEqual(
          expected.slice((page - 1) * 100, page * 100),
        )
        const { rows } = await pool().query<{ clicks: number }>(
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

test('a page of an account does not walk through newer links of others', async ({
  app,
  make,
  given: { pool, fill },
}) => {
  const [by, other] = [await make.owner(), await make.owner()]
  await fill([by], { links: 3000, step: 1 })
  await fill([other], { links: 9000, step: 1 })
  await pool().query('analyze links')
  const { db } = app.services.database
  const page = { limit: 15, offset: 0 }
  const walked = await inTransaction(db, async (tx) => {
    // What this connection did before may not have been handed in yet.
    const count = async () => {
      const { rows } = await sql<{ count: number }>`
        select pg_stat_get_xact_tuples_returned('links_pkey'::regclass) as count`.execute(tx)
      return rows[0]?.count ?? Number.NaN
    }
    const before = await count()
    expect(await pageByDate(tx, by.account.id, page, 3000)).toHaveLength(15)
    expect(await pageByClicks(tx, by.account.id, page)).toHaveLength(15)
    return (await count()) - before
  })
  // The planner may look at the ends of that index; the links of the other account are 9,000.
  expect(walked).toBeLessThan(100)
})

describe('the counters', () => {
  test('take no notice of the links of QR codes', async ({
    app,
    make,
    request,
    given: { countersOf, pool },
  }) => {
    const by = await make.owner()
    const code = await make.qr(by)
    const link = await make.link(by)
    const { rows } = await pool().query('select alias from links where account_id = $1', [
      by.account.id,
    ])
    for (const { alias } of rows) await request({ url: `/${alias}` })
    await app.importClicks()
    expect(await countersOf(by)).toEqual({ links: 1, link_order: 1, qr_codes: 1 })
    await app.services.qrCodes.delete(by.account.id, code.id)
    await app.services.links.delete(by.account.id, link.id)
    expect(await countersOf(by)).toEqual({ links: 0, link_order: 0, qr_codes: 0 })
  })

  test.for([
    ['links', /^counter of links$/],
    ['links in a block', /^counter of links in block \d+$/],
    ['link_order', /^counter of clicked links$/],
    ['link_order in a block', /^counter of clicked links in block \d+$/],
    ['qr_codes', /^counter of QR codes$/],
  ] as const)(
    'of %s are held against the rows by the check',
    async ([what, check], { make, given: { anna, discrepancies, pool } }) => {
      await make.qr(anna)
      const [kind] = what.split(' ')
      const add = (change: number) =>
        pool().query(
          `update row_counts set rows = rows + $2 where ctid = (
           select ctid from row_counts
           where kind = $3 and owner_id = $1 and (block >= 0) = $4 order by block, slot limit 1)`,
          [anna.account.id, change, kind, what.endsWith('block')],
        )
      await add(1)
      const found = await discrepancies()
      expect(found).toMatchObject([
        { accountId: anna.account.id, check: expect.stringMatching(check) },
      ])
      expect(found[0]?.found).toBe((found[0]?.expected ?? 0) + 1)
      await add(-1)
      expect(await discrepancies()).toEqual([])
    },
  )
})

const step = fc.record({
  what: fc.constantFrom('make', 'makeCode', 'delete', 'click', 'clickMany'),
  of: fc.boolean(),
  seed: fc.nat(),
})

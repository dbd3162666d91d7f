import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkCounters } from '../../src/clicks/maintenance/check-counters.ts'
import { rankLargeAccounts } from '../../src/clicks/maintenance/rank-accounts.ts'
import { BLOCK_SIZE, countRows } from '../../src/db/row-counts.ts'
import { distantPage } from '../../src/links/deep-page.queries.ts'
import {
  findPage,
  type LinkOrder,
  type Listed,
  listLinks,
} from '../../src/links/link-list.queries.ts'
import { type TestApp, testApp } from '../support/app.ts'
import type { Owner } from '../support/make.ts'

const ORDERS: readonly LinkOrder[] = ['date', 'click']

let t: TestApp
let anna: Owner
let bert: Owner
/** Where `fill` puts the next links: in blocks of their own, and so are those made afterwards. */
let nextBlock = 1

beforeAll(async () => {
  t = await testApp()
  anna = await t.make.owner()
  bert = await t.make.owner()
  // Both begin with links, so that their counters by clicks do not begin with nothing.
  await fill([anna, bert], { links: 60, step: 9000 })
  await setClicks()
  await rankLargeAccounts(pool(), 0)
})
afterAll(() => t.close())

type Entry = { id: number; clicks: number }

describe('a page far from both ends', () => {
  test('has the links that a plain query gives, wherever blocks and numbers of clicks end', async () => {
    await expectPages(anna)
    await expectPages(bert)
  })

  test('runs over the borders of several blocks', async () => {
    const by = await t.make.owner()
    await fill([by], { links: 40, step: BLOCK_SIZE })
    await rankLargeAccounts(pool(), 0)
    await expectPages(by)
  })

  test('stays right while links are made, clicked and deleted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        for (const { what, of, seed } of steps) await act(what, of ? anna : bert, seed)
        await t.importClicks()
        expect(await Array.fromAsync(checkCounters(t.services.database.db))).toEqual([])
        await expectPages(anna)
        await expectPages(bert)
      }),
      { numRuns: 8 },
    )
  })

  test('shows no link twice and leaves out none while others make and delete links', async () => {
    const { db } = t.services.database
    const by = await t.make.owner()
    await fill([by], { links: 60, step: 9000 })
    let done = false
    const made: number[] = []
    const others = (async () => {
      for (let round = 0; round < 40; round += 1) {
        const { id } = await t.make.link(by)
        if (round % 3 === 0) await t.services.links.delete(by.account.id, id)
        else made.push(id)
      }
      done = true
    })()
    let looks = 0
    while (!done || looks === 0) {
      looks += 1
      const page = { order: 'date', limit: 25, offset: 20 } as const
      const ids = idsOf(await distantPage(db, by.account.id, page))
      // Of its own moment it has every link between its first and its last that was there all along.
      const [first = 0, last = 0] = [ids?.[0], ids?.at(-1)]
      const between = (await sorted(by, 'date')).filter((id) => id <= first && id >= last)
      expect(ids?.filter((id) => between.includes(id))).toEqual(between)
      expect(new Set(ids).size).toBe(25)
    }
    await others
    expect((await sorted(by, 'date')).slice(0, 26)).toEqual(made.reverse())
  })

  test('is the same through the API', async () => {
    const by = await t.make.owner()
    await fill([by], { links: 26_000, step: 16 })
    await setClicks(by)
    await rankLargeAccounts(pool())
    for (const order of ORDERS) {
      const expected = await sorted(by, order)
      for (const page of [1, 105, 118, 130, 236]) {
        const url = `/api/urls?order=${order}&limit=100&page=${page}`
        const { data } = (await t.request({ url, headers: by.headers })).json()
        expect(data.urls.map(({ id }: Entry) => id)).toEqual(
          expected.slice((page - 1) * 100, page * 100),
        )
        const { rows } = await pool().query<{ clicks: number }>(
          `select clicks from unnest($1::bigint[]) with ordinality as shown (id, place)
           join click_totals on link_id = id order by place`,
          [expected.slice((page - 1) * 100, page * 100)],
        )
        expect(data.urls.map(({ clicks }: Entry) => clicks)).toEqual(
          rows.map(({ clicks }) => clicks),
        )
      }
    }
  })

  test('is walked to where the account is not counted by clicks', async () => {
    const by = await t.make.owner()
    await fill([by], { links: 30, step: 9000 })
    const { db } = t.services.database
    const page = { order: 'click', limit: 5, offset: 10 } as const
    expect(await distantPage(db, by.account.id, page)).toBeUndefined()
    const expected = await sorted(by, 'click')
    expect(idsOf(await findPage(db, by.account.id, page, expected.length, 0))).toEqual(
      expected.slice(10, 15),
    )
  })
})

describe('the counters', () => {
  test('of an account begin when it has become large, and not before', async () => {
    const by = await t.make.owner()
    await fill([by], { links: 12, step: 9000 })
    await setClicks(by)
    expect(await countRows(t.services.database.db, 'links', by.account.id)).toBe(11)
    await rankLargeAccounts(pool(), 11)
    expect(await rowsOf(by)).toEqual([])
    await fill([by], { links: 1, step: 9000 })
    await Promise.all([rankLargeAccounts(pool(), 11), rankLargeAccounts(pool(), 11)])
    expect((await rowsOf(by)).length).toBeGreaterThan(0)
    await expectPages(by)
    expect(await Array.fromAsync(checkCounters(t.services.database.db))).toEqual([])
  })

  test('are waited for by who changes clicks when they begin', async () => {
    const by = await t.make.owner()
    await fill([by], { links: 3, step: 9000 })
    await setClicks(by)
    const [first = 0] = await sorted(by, 'click')
    await Promise.all([
      rankLargeAccounts(pool(), 2),
      t.services.links.delete(by.account.id, first),
      t.importClicks(),
    ])
    expect(await Array.fromAsync(checkCounters(t.services.database.db))).toEqual([])
  })

  test('take no notice of the links of QR codes', async () => {
    const by = await t.make.owner()
    const code = await t.make.qr(by)
    const link = await t.make.link(by)
    await rankLargeAccounts(pool(), 0)
    const { rows } = await pool().query('select alias from links where account_id = $1', [
      by.account.id,
    ])
    for (const { alias } of rows) await t.request({ url: `/${alias}` })
    await t.importClicks()
    expect(await rowsOf(by)).toEqual([
      { bucket: 0, links: -1 },
      { bucket: 1, links: 1 },
    ])
    await t.services.qrCodes.delete(by.account.id, code.id)
    await t.services.links.delete(by.account.id, link.id)
    expect(await rowsOf(by)).toEqual([])
    expect(await countRows(t.services.database.db, 'links', by.account.id)).toBe(0)
  })

  test.each([
    ['row_counts', 'rows', `kind = 'links' and owner_id = $1 order by block desc, slot`],
    ['link_ranks', 'links', 'account_id = $1 order by bucket, block, slot'],
  ])('of %s are held against the rows by the check', async (table, column, first) => {
    const add = (change: number) =>
      pool().query(
        `update ${table} set ${column} = ${column} + $2
         where ctid = (select ctid from ${table} where ${first} limit 1)`,
        [anna.account.id, change],
      )
    await add(1)
    const found = await Array.fromAsync(checkCounters(t.services.database.db))
    expect(found).toMatchObject([{ accountId: anna.account.id }])
    expect(found[0]?.found).toBe((found[0]?.expected ?? 0) + 1)
    await add(-1)
    expect(await Array.fromAsync(checkCounters(t.services.database.db))).toEqual([])
  })
})

const step = fc.record({
  what: fc.constantFrom('make', 'makeCode', 'delete', 'click', 'clickMany'),
  of: fc.boolean(),
  seed: fc.nat(),
})

async function act(what: string, owner: Owner, seed: number): Promise<void> {
  const ids = await sorted(owner, 'date')
  const id = ids[seed % ids.length] ?? 0
  if (what === 'make') await t.make.link(owner)
  else if (what === 'makeCode') await t.make.qr(owner)
  else if (what === 'delete') await t.services.links.delete(owner.account.id, id)
  else {
    const { alias } = await t.services.links.get(owner.account.id, id)
    const clicks = what === 'click' ? 1 : 1 + (seed % 40)
    for (let click = 0; click < clicks; click += 1) await t.request({ url: `/${alias}` })
  }
}

/** Every page of some sizes, reached over the counters and by the usual way, is as a plain query has it. */
async function expectPages(owner: Owner): Promise<void> {
  const { db } = t.services.database
  const { id } = owner.account
  for (const order of ORDERS) {
    const expected = await sorted(owner, order)
    for (const limit of [1, 7, 1000]) {
      for (let offset = 0; offset < expected.length; offset += Math.min(limit, 5)) {
        const page = expected.slice(offset, offset + limit)
        const at = `${order} ${limit} ${offset}`
        expect(idsOf(await distantPage(db, id, { order, limit, offset })), at).toEqual(page)
      }
    }
    const { entries, total } = await listLinks(db, t.baseUrl, id, { order, limit: 9, offset: 9 })
    expect([total, entries.map((entry) => entry.id)]).toEqual([
      expected.length,
      expected.slice(9, 18),
    ])
    expect(idsOf(await findPage(db, id, { order, limit: 9, offset: 9 }, total, 3))).toEqual(
      expected.slice(9, 18),
    )
  }
}

function idsOf(page: readonly Listed[] | undefined): number[] | undefined {
  return page?.map(({ id }) => id)
}

async function sorted(owner: Owner, order: LinkOrder): Promise<number[]> {
  const { rows } = await pool().query<{ id: number }>(
    `select id from links left join click_totals on link_id = id
     where links.account_id = $1 and kind = 'link'
     order by ${order === 'click' ? 'clicks desc, id desc' : 'id desc'}`,
    [owner.account.id],
  )
  return rows.map(({ id }) => id)
}

async function rowsOf(owner: Owner): Promise<unknown[]> {
  const { rows } = await pool().query(
    `select bucket, sum(links)::bigint as links from link_ranks where account_id = $1
     group by bucket having sum(links) <> 0 order by bucket`,
    [owner.account.id],
  )
  return rows
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
    `with made as (
       insert into links (id, account_id, kind, alias, url) overriding system value
       select $3 + n * $4, ($1::bigint[])[1 + n % cardinality($1::bigint[])],
         case when n % 11 = 5 then 'qr' else 'link' end, 'deep-' || ($3 + n * $4), 'https://example.com/'
       from generate_series(0, $2::bigint - 1) n
       returning id, account_id, kind
     )
     insert into click_totals (link_id, account_id, listed) select id, account_id, kind = 'link' from made`,
    [ids, links * owners.length, first, apart],
  )
  await pool().query(`select setval(pg_get_serial_sequence('links', 'id'), $1)`, [
    nextBlock * BLOCK_SIZE,
  ])
  nextBlock += 1
}

/** Numbers of clicks on either side of the borders between buckets, also of links that show nowhere. */
async function setClicks(owner?: Owner): Promise<void> {
  await pool().query(
    `update click_totals set clicks =
       ('{0, 0, 0, 1, 1, 2, 15, 16, 17, 31, 32, 33, 34, 1000, 1000, 1023, 1024, 5000000000000}'::bigint[])
       [1 + abs(hashint8(link_id)) % 18]
     where $1::bigint is null or account_id = $1`,
    [owner?.account.id ?? null],
  )
}

function pool() {
  return t.services.database.pool
}

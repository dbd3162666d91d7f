import { expect } from 'vitest'
import { checkCounters } from '../../src/clicks/maintenance/check.ts'
import { checkLinkOrder } from '../../src/clicks/maintenance/check-link-order.ts'
import { updateLinkOrder } from '../../src/clicks/maintenance/link-order.ts'
import { countRows } from '../../src/db/row-counts.queries.ts'
import { deleteLink, getLink } from '../../src/links/link.service.ts'
import { listLinks } from '../../src/links/lists/link-list.queries.ts'
import { type LinkOrder, readPageOfLinks } from '../../src/links/lists/link-sort.queries.ts'
import { scopeOf } from '../../src/scope.ts'
import type { Owner } from './make.ts'
import { appTest } from './test.ts'

export const ORDERS: readonly LinkOrder[] = ['date', 'click']

/** The next ID for `createLinks`. */
let nextId = 1000

/** Returns a `test` with the links of two accounts, whose IDs are interleaved. */
export function deepPagesTest() {
  return appTest().extend('setup', { scope: 'file' }, async ({ app, make, request }) => {
    const { services } = app
    const { db, pool } = services.database
    const firstOwner = await make.owner()
    const secondOwner = await make.owner()
    await createLinks([firstOwner, secondOwner], 60)
    await setClicks(firstOwner)
    await setClicks(secondOwner)
    /** Creates or deletes a link or QR code of an owner, or visits the link that `seed` selects. */
    async function applyStep(action: string, owner: Owner, seed: number): Promise<void> {
      const ids = await readSortedIds(owner, 'date')
      const id = ids[seed % ids.length] ?? 0
      if (action === 'make') await make.link(owner)
      else if (action === 'makeCode') await make.qr(owner)
      else if (action === 'delete')
        await deleteLink(scopeOf({ ...services, db }, owner.account.id), id)
      else {
        const { alias } = await getLink(scopeOf({ ...services, db }, owner.account.id), id)
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
            offsets.map((offset) =>
              readPageOfLinks({ db, accountId: id }, { order, limit, offset }),
            ),
          )
          expect(
            pages.map(({ ids }) => ids),
            `${order} ${limit}`,
          ).toEqual(offsets.map((offset) => expected.slice(offset, offset + limit)))
        }
        const { entries, total } = await listLinks({ db, accountId: id }, app.baseUrl, {
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
    /** Creates this many links for each owner, with interleaved IDs. Some belong to QR codes. */
    async function createLinks(owners: Owner[], linksPerOwner: number): Promise<void> {
      const ids = owners.map(({ account }) => account.id)
      const first = nextId
      nextId += linksPerOwner * owners.length
      await pool.query(
        `insert into links (id, account_id, kind, alias, url, created_at) overriding system value
       select $3::bigint + n, ($1::bigint[])[1 + n % cardinality($1::bigint[])],
         case when n % 11 = 5 then 'qr' else 'link' end, 'deep-' || ($3::bigint + n), 'https://example.com/',
         now() - abs(hashint8(n)) % 20 * interval '1 day'
       from generate_series(0, $2::bigint - 1) n`,
        [ids, linksPerOwner * owners.length, first],
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
}

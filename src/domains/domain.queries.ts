import type { Selectable, Updateable } from 'kysely'
import { type Page, type PageQuery, pageOfIds } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { DomainTable } from '../db/schema.ts'
import type { BrandedDomain } from './hosts.ts'

type Redirects = Pick<Updateable<DomainTable>, 'redirect_root' | 'redirect_404'>

export async function insertDomain(
  db: Db,
  values: { account_id: number; host: string; origin: string } & Redirects,
): Promise<BrandedDomain> {
  const row = await db.insertInto('domains').values(values).returningAll().executeTakeFirstOrThrow()
  return toDomain(row)
}

export async function findDomain(
  db: Db,
  accountId: number,
  id: number,
): Promise<BrandedDomain | undefined> {
  const row = await db
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toDomain(row)
}

export async function listDomains(
  db: Db,
  accountId: number,
  page: PageQuery,
): Promise<Page<BrandedDomain>> {
  const { ids, total } = await pageOfIds(db, 'domains', accountId, page)
  if (ids.length === 0) return { entries: [], total }
  const rows = await db
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute()
  return { entries: rows.map(toDomain), total }
}

/** Changes a domain of an account; says whether there is one. */
export async function updateDomain(
  db: Db,
  accountId: number,
  id: number,
  changes: Redirects,
): Promise<boolean> {
  const row = await db
    .updateTable('domains')
    .set(changes)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a domain of an account and gives its host, or undefined if there is none. */
export async function deleteDomain(
  db: Db,
  accountId: number,
  id: number,
): Promise<string | undefined> {
  const row = await db
    .deleteFrom('domains')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('host')
    .executeTakeFirst()
  return row?.host
}

function toDomain(row: Selectable<DomainTable>): BrandedDomain {
  return {
    id: row.id,
    accountId: row.account_id,
    host: row.host,
    origin: row.origin,
    redirectRoot: row.redirect_root,
    redirect404: row.redirect_404,
  }
}

import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { ParameterRow, TargetRow } from '../db/schema/links.ts'
import { readIds } from '../links/link-ids.queries.ts'
import { readTags } from '../tags/link-tags.queries.ts'

/** A link with everything that moves with it. */
export type ExportedLink = {
  id: number
  alias: string
  /** Null for the service's own. */
  host: string | null
  url: string
  status: 'active' | 'disabled'
  redirect: string
  passwordHash: string | null
  expiresAt: Date | null
  geoTargets: TargetRow[]
  deviceTargets: TargetRow[]
  languageTargets: TargetRow[]
  parameters: ParameterRow[]
  title: string | null
  description: string | null
  image: string | null
  createdAt: Date
  tags: readonly string[]
  clicks: number
  lastClickAt: Date | null
  days: ExportedDay[]
}

/** A day of a link, with packed hours and labels. */
export type ExportedDay = {
  day: string
  clicks: number
  hours: Buffer
  labels: Buffer
}

/** The next links of an account after one, the oldest first, each with its tags and clicks. */
export async function exportPage(
  db: Db,
  accountId: number,
  after: number,
  { size, withDays }: { size: number; withDays: boolean },
): Promise<ExportedLink[]> {
  const ids = await readIds(db, accountId, { direction: 'asc', skip: 0, size, from: after + 1 })
  if (ids.length === 0) return []
  const isOne = sql<number>`any(${ids}::bigint[])`
  const rows = await db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select([
      ...(['links.id', 'alias', 'host', 'url', 'status', 'redirect', 'parameters'] as const),
      'links.password_hash as passwordHash',
      'links.expires_at as expiresAt',
      'links.geo_targets as geoTargets',
      'links.device_targets as deviceTargets',
      'links.language_targets as languageTargets',
      'links.meta_title as title',
      'links.meta_description as description',
      'links.meta_image as image',
      'links.created_at as createdAt',
    ])
    .where('links.id', '=', isOne)
    .orderBy('links.id')
    .execute()
  const tags = await readTags(db, ids)
  const totals = await db
    .selectFrom('click_totals')
    .select(['link_id', 'clicks', 'last_click_at'])
    .where('link_id', '=', isOne)
    .execute()
  const clicked = totals.filter(({ clicks }) => clicks > 0)
  const totalOf = new Map(clicked.map((row) => [row.link_id, row]))
  const days = withDays ? await readDays(db, [...totalOf.keys()]) : new Map()
  return rows.map((row) => ({
    ...row,
    tags: tags.get(row.id) ?? [],
    clicks: totalOf.get(row.id)?.clicks ?? 0,
    lastClickAt: totalOf.get(row.id)?.last_click_at ?? null,
    days: days.get(row.id) ?? [],
  }))
}

async function readDays(db: Db, ids: readonly number[]): Promise<Map<number, ExportedDay[]>> {
  const found = new Map<number, ExportedDay[]>()
  if (ids.length === 0) return found
  const rows = await db
    .selectFrom('click_days')
    .select(['link_id', 'clicks', 'hours', 'labels'])
    .select(sql<string>`day::text`.as('day'))
    .where('link_id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .orderBy('link_id')
    .orderBy('day')
    .execute()
  for (const { link_id, ...day } of rows) {
    const known = found.get(link_id)
    if (known) known.push(day)
    else found.set(link_id, [day])
  }
  return found
}

/** The origins of an account's domains, by their hosts. */
export async function domainOrigins(
  db: Db,
  accountId: number,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('domains')
    .select(['host', 'origin'])
    .where('account_id', '=', accountId)
    .execute()
  return new Map(rows.map(({ host, origin }) => [host, origin]))
}

import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import type { LinkState } from './link-filter.ts'
import { type Conditions, inState, meetsAll, PARTS } from './search-conditions.queries.ts'

/** How many links meet conditions, and the ids of all of them where these were met on the way. */
export type Count = { total: number; ids?: number[] }

/** The newest links, of which a look tells whether a text is in many. */
const NEWEST = 20_000
/** The part of `few` that is many among them. */
const MANY = 0.2

/** Counts the links that meet conditions; the ids of up to `few` come with it where that costs little. */
export function countMatches(db: Db, conditions: Conditions, few: number): Promise<Count> {
  const { tagIdAlone, stateAlone, search } = conditions
  if (tagIdAlone !== undefined) return countTagged(db, tagIdAlone)
  if (stateAlone) return countInState(db, conditions.accountId, stateAlone)
  return search ? countFound(db, conditions, few) : countAll(db, conditions, few)
}

async function countTagged(db: Db, tagId: number): Promise<Count> {
  return db
    .selectFrom('link_tags')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('tag_id', '=', tagId)
    .executeTakeFirstOrThrow()
}

/** The active ones are those that are neither disabled nor expired, of which there are few as a rule. */
async function countInState(
  db: Db,
  accountId: number,
  { state, now }: { state: LinkState; now: Date },
): Promise<Count> {
  if (state !== 'active') return { total: await countOthers(db, accountId, state, now) }
  const [all, disabled, expired] = await Promise.all([
    countRows(db, 'links', accountId),
    countOthers(db, accountId, 'disabled', now),
    countOthers(db, accountId, 'expired', now),
  ])
  return { total: Math.max(0, all - disabled - expired) }
}

async function countOthers(
  db: Db,
  accountId: number,
  state: 'disabled' | 'expired',
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::integer as total from links
    where account_id = ${accountId} and kind = 'link' and ${inState(state, now)}`.execute(db)
  return rows[0]?.total ?? 0
}

/** Links with a tag and in a state. */
async function countAll(db: Db, conditions: Conditions, few: number): Promise<Count> {
  const { rows } = await sql<Row>`
    select count(*)::integer as total, ${firstIds(few)} as ids from links
    where account_id = ${conditions.accountId} and kind = 'link' and ${meetsAll(conditions)}`.execute(
    db,
  )
  return present(rows, few)
}

/** Every text is looked at, by as many processes as the database takes for it. */
async function countFound(db: Db, conditions: Conditions, few: number): Promise<Count> {
  const { accountId, all, search } = conditions
  // Putting many ids together takes as long as finding them.
  const ids = (await isInMany(db, conditions, few)) ? sql`null` : firstIds(few)
  const tagIds = search?.tagIds ?? []
  // Joined, the links with a tag are read at once; asked of each link, they would be looked up one by one.
  const distinct = tagIds.length > 1 ? sql`distinct` : sql``
  const tagged =
    tagIds.length > 0
      ? sql`left join (
          select ${distinct} link_id from link_tags where tag_id = any(${tagIds}::bigint[])
        ) tagged on tagged.link_id = links.id`
      : sql``
  const found =
    tagIds.length > 0 ? sql`(tagged.link_id is not null or ${search?.found})` : search?.found
  // One after the other in a statement, the database would count with a single process.
  const counts = await Promise.all(
    PARTS.map(async (part) => {
      const { rows } = await sql<Row>`
        select count(*)::integer as total, ${ids} as ids from links ${tagged}
        where account_id = ${accountId} and ${part}
          and ${sql.join([...all, found], sql` and `)}`.execute(db)
      return rows[0] ?? { total: 0, ids: [] }
    }),
  )
  return present(counts, few)
}

/** Whether many of the account's newest links meet conditions, and so do many of all. */
async function isInMany(db: Db, conditions: Conditions, few: number): Promise<boolean> {
  const { accountId } = conditions
  const { rows } = await sql<{ many: boolean }>`
    select count(*) >= ${few * MANY}::float8 as many from (
      select id, search_text, status, expires_at from links
      where (account_id, id) >= (${accountId}, 0)
        and (account_id, id) < (${accountId}, ${Number.MAX_SAFE_INTEGER}) and ${PARTS[0]}
      order by account_id desc, id desc limit ${NEWEST}
    ) links where ${meetsAll(conditions)}`.execute(db)
  return rows[0]?.many ?? false
}

type Row = { total: number; ids: string[] | null }

function firstIds(few: number) {
  return sql`((array_agg(id))[1:${sql.lit(few)}])::text[]`
}

function present(rows: readonly Row[], few: number): Count {
  const total = rows.reduce((sum, row) => sum + row.total, 0)
  const ids = rows.flatMap((row) => (row.total === 0 ? [] : (row.ids ?? [])).map(Number))
  return ids.length === total && total <= few ? { total, ids } : { total }
}

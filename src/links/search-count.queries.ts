import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import type { LinkState } from './link-filter.ts'
import { type Conditions, hasTag, inState, meetsAll, PARTS } from './search-conditions.queries.ts'

/** How many links meet conditions, and the ids of all of them where these were met on the way. */
export type Count = { total: number; ids?: number[] }

/** The newest links, of which a look tells whether a text is in many. */
const NEWEST = 5000
/** The part of `few` that is many among them. */
const MANY = 0.05
/** Links with long texts, up to which one process of the database looks at them before others have begun. */
const FEW_LONG = 2000

/** Counts the links that meet conditions; the ids of up to `few` come with it where that costs little. */
export async function countMatches(db: Db, conditions: Conditions, few: number): Promise<Count> {
  const { tagIdAlone, stateAlone, search } = conditions
  if (tagIdAlone !== undefined) return { total: await countTagged(db, [tagIdAlone]) }
  if (stateAlone) return countInState(db, conditions.accountId, stateAlone)
  return search ? countFound(db, conditions, few) : countAll(db, conditions, few)
}

/** How many links have one of some tags, among all or among some. */
async function countTagged(
  db: Db,
  tagIds: readonly number[],
  linkIds?: readonly number[],
): Promise<number> {
  const counted = tagIds.length > 1 ? sql`distinct link_id` : sql`link_id`
  const among = linkIds ? sql`and link_id = any(${[...linkIds]}::bigint[])` : sql``
  const { rows } = await sql<{ total: number }>`
    select count(${counted})::integer as total from link_tags
    where tag_id = any(${[...tagIds]}::bigint[]) ${among}`.execute(db)
  return rows[0]?.total ?? 0
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
  const { all, search } = conditions
  const tagIds = search?.tagIds ?? []
  if (tagIds.length > 0 && all.length === 0) {
    const tagged = await countTagged(db, tagIds)
    if (tagged > few) return countBeside(db, conditions, few, tagged)
  }
  const { many, long } = await lookAtNewest(db, conditions, few)
  // Putting many ids together takes as long as finding them.
  const ids = many ? sql`null` : firstIds(few)
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
  const meets = sql.join([...all, found], sql` and `)
  const counts = await countParts(db, conditions.accountId, long, (links) => {
    return sql`select count(*)::integer as total, ${ids} as ids
      from links ${tagged} where ${links} and ${meets}`
  })
  return present(counts, few)
}

/**
 * The same where so many links have one of the tags that a join would be written to disk: they are
 * counted by themselves, and the others with the text beside them.
 */
async function countBeside(
  db: Db,
  { accountId, all, search }: Conditions,
  few: number,
  tagged: number,
): Promise<Count> {
  // Where all have the tag there is nothing to look for.
  if (!search || tagged >= (await countRows(db, 'links', accountId))) return { total: tagged }
  const { found, tagIds } = search
  const withText = { accountId, all, search: { found, tagIds: [] } }
  const { total, ids } = await countFound(db, withText, few)
  if (ids) return { total: tagged + total - (await countTagged(db, tagIds, ids)) }
  const others = await countParts(db, accountId, true, (links) => {
    return sql`select count(*)::integer as total, null as ids
      from links where ${links} and ${found} and not ${hasTag(tagIds)}`
  })
  return { total: others.reduce((sum, row) => sum + row.total, tagged) }
}

type Statement = ReturnType<typeof sql>

/**
 * What a count gives for each part of an account's links, side by side: one after the other in a
 * statement, the database would count with a single process.
 */
function countParts(
  db: Db,
  accountId: number,
  long: boolean,
  count: (links: Statement) => Statement,
): Promise<Row[]> {
  const [short, other] = PARTS
  const parts = [
    sql`account_id = ${accountId} and ${short}`,
    // Compared as one row, these seem few to the database, and it starts no further processes.
    long ? sql`account_id = ${accountId} and ${other}` : sql`${isOf(accountId)} and ${other}`,
  ]
  return Promise.all(
    parts.map(async (links) => {
      const { rows } = await count(links).$castTo<Row>().execute(db)
      return rows[0] ?? { total: 0, ids: [] }
    }),
  )
}

/**
 * Whether many of the account's newest links meet conditions, and so do many of all; and whether it has
 * more than some with long texts.
 */
async function lookAtNewest(
  db: Db,
  conditions: Conditions,
  few: number,
): Promise<{ many: boolean; long: boolean }> {
  const own = isOf(conditions.accountId)
  const { rows } = await sql<{ many: boolean; long: boolean }>`
    select (
      select count(*) >= ${few * MANY}::float8 from (
        select id, search_text, status, expires_at, domain_id from links where ${own} and ${PARTS[0]}
        order by account_id desc, id desc limit ${NEWEST}
      ) links where ${meetsAll(conditions)}
    ) as many, (
      select count(*) > ${FEW_LONG}::integer from (
        select from links where ${own} and ${PARTS[1]}
        order by account_id desc, id desc limit ${FEW_LONG + 1}
      ) links
    ) as long`.execute(db)
  return rows[0] ?? { many: false, long: true }
}

/** The links of an account, in a way that has the database walk their own indexes: see `readIds`. */
function isOf(accountId: number): Statement {
  return sql`(account_id, id) >= (${accountId}, 0)
    and (account_id, id) < (${accountId}, ${Number.MAX_SAFE_INTEGER})`
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

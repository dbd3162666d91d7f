import type { Insertable } from 'kysely'
import { createDataLoader } from '../concurrency/data-loader.ts'
import { isAboutRows, isAliasHeld } from '../db/errors.ts'
import type { Db } from '../db/pool.ts'
import { preparedText } from '../db/prepared.ts'
import type { LinkTable } from '../db/schema/links.ts'
import { textArray } from '../db/text-array.ts'
import { inTransaction } from '../db/transaction.ts'

/** A link as it is stored. What is not given has the column's default. */
export type LinkValues = Omit<
  Insertable<LinkTable>,
  'id' | 'blocked_at' | 'block_reason' | 'search_text'
>
export type InsertedLink = { id: number; createdAt: Date }
/** What became of one link of several: undefined if its alias is taken, `held` if it is reserved. */
export type InsertResult = PromiseSettledResult<InsertedLink | 'held' | undefined>

/** Links in one statement: enough to share its cost, few enough that nobody waits long. */
const MOST = 200
/** The group of links whose aliases nobody chose. */
const ANY = 'any'

/** The columns of the statement, each with its type and, in SQL, what stands for one not given. */
const COLUMNS: Record<keyof LinkValues, [type: string, otherwise?: string]> = {
  account_id: ['bigint'],
  kind: ['text', "'link'"],
  domain_id: ['bigint'],
  alias: ['text'],
  url: ['text'],
  status: ['text', "'active'"],
  redirect: ['text', "'direct'"],
  splash_id: ['bigint'],
  overlay_id: ['bigint'],
  password_hash: ['text'],
  expires_at: ['timestamptz'],
  geo_targets: ['jsonb', "'[]'"],
  device_targets: ['jsonb', "'[]'"],
  language_targets: ['jsonb', "'[]'"],
  parameters: ['jsonb', "'[]'"],
  meta_title: ['text'],
  meta_description: ['text'],
  meta_image: ['text'],
  // Links are made now, unless they come from elsewhere.
  created_at: ['timestamptz', 'now()'],
}
/** What most links have, and no more. */
const FEW = ['account_id', 'domain_id', 'alias', 'url'] as const satisfies (keyof LinkValues)[]
const COLUMN_NAMES = Object.keys(COLUMNS) as (keyof LinkValues)[]
const OTHERS = COLUMN_NAMES.filter((name) => !FEW.some((each) => each === name))

/**
 * Stores a link; undefined if the alias is taken. The unique index is what decides, not a look
 * beforehand, so that of two who come at once exactly one wins.
 */
export async function insertLink(db: Db, values: LinkValues): Promise<InsertedLink | undefined> {
  const [inserted] = await insertLinks(db, [values], false)
  return inserted
}

/**
 * Stores links of any accounts by one statement and says of each what became of it. One that
 * PostgreSQL refuses, because its domain was just deleted for instance, fails alone:
 * it is found by halves. Aliases that nobody chose are supposed to be free, and looked for only
 * where one turns out not to be: asking of each takes PostgreSQL a tenth longer.
 */
export async function insertEach(
  db: Db,
  links: readonly LinkValues[],
  areFree = false,
): Promise<InsertResult[]> {
  const insert = (db: Db) => insertLinks(db, links, areFree)
  try {
    // Within a transaction a part of it, which may fail without the rest.
    const inserted = db.isTransaction ? await inTransaction(db, insert) : await insert(db)
    return inserted.map((value) => ({ status: 'fulfilled', value }))
  } catch (error) {
    if (!isAboutRows(error)) throw error
    if (areFree) return insertEach(db, links)
    if (links.length === 1) {
      if (isAliasHeld(error)) return [{ status: 'fulfilled', value: 'held' }]
      return [{ status: 'rejected', reason: error }]
    }
    return insertHalves(db, links)
  }
}

async function insertHalves(db: Db, links: readonly LinkValues[]): Promise<InsertResult[]> {
  const ordered = inAliasOrder(links)
  const half = Math.ceil(ordered.length / 2)
  const results = [
    ...(await insertEach(db, ordered.slice(0, half))),
    ...(await insertEach(db, ordered.slice(half))),
  ]
  const found = new Map(results.map((result, index) => [ordered[index], result]))
  return links.flatMap((values) => found.get(values) ?? [])
}

/**
 * Makes an `insertLink` for use outside transactions, where links that are made at the same time are
 * stored together. Who chooses an alias may have to wait for another who wants the same one, and has
 * only others of his own account wait with him.
 */
export function createLinkInserter(db: Db) {
  const insert = createDataLoader<LinkValues, InsertResult>({
    load: (links, group) => insertEach(db, links, group === ANY),
    most: MOST,
    atOnce: 1,
  })

  return (values: LinkValues, isChosen: boolean): Promise<InsertResult> =>
    insert(values, isChosen ? `account ${values.account_id}` : ANY)
}

type Inserted = { id: number; domain_id: number | null; alias: string; created_at: Date }

/**
 * Ids follow the order in which the links are given. They are stored in that of their aliases: whoever
 * waits for another's alias holds only aliases before it, so nobody waits in a circle.
 */
function insertOf(names: readonly (keyof LinkValues)[], onTaken: string) {
  const list = names.join()
  return preparedText<Inserted>(`
insert into links (id, ${list}) overriding system value
select id, ${storedColumns(names).join()} from (
  select nextval('links_id_seq') as id, * from unnest(${parametersOf(names).join()}) given (${list})
) numbered
order by alias collate "C", domain_id, id
${onTaken}
returning id, domain_id, alias, created_at`)
}

/** What is stored of columns, in SQL. */
function storedColumns(names: readonly (keyof LinkValues)[]): string[] {
  return names.map((name) => {
    const [, otherwise] = COLUMNS[name]
    return otherwise === undefined ? name : `coalesce(${name}, ${otherwise})`
  })
}

/** The parameters that lists of them are given by, in SQL. */
function parametersOf(names: readonly (keyof LinkValues)[]): string[] {
  return names.map((name, index) => `$${1 + index}::${COLUMNS[name][0]}[]`)
}

const SKIP_TAKEN = 'on conflict on constraint links_alias_key do nothing'
const INSERT = insertOf(COLUMN_NAMES, SKIP_TAKEN)
/** PostgreSQL reads every list by itself, so of most links it is given those that have anything. */
const INSERT_FEW = insertOf(FEW, SKIP_TAKEN)
const INSERT_FEW_FREE = insertOf(FEW, '')

async function insertLinks(
  db: Db,
  links: readonly LinkValues[],
  areFree: boolean,
): Promise<(InsertedLink | undefined)[]> {
  const isFew = links.every((link) => OTHERS.every((name) => link[name] == null))
  const arrays = (isFew ? FEW : COLUMN_NAMES).map((name) => {
    const values = links.map((link) => link[name])
    // An array that is too short counts as filled up with nulls, so those of no column need not be.
    const some = values.some((value) => value !== undefined && value !== null) ? values : []
    return textArray(some)
  })
  const ofFew = areFree ? INSERT_FEW_FREE : INSERT_FEW
  const created = await (isFew ? ofFew : INSERT)(db, arrays)
  const byAddress = new Map(created.map((row) => [addressOf(row), row]))
  return links.map((link) => {
    const address = addressOf(link)
    const row = byAddress.get(address)
    // Of several who want one alias the first has it.
    byAddress.delete(address)
    return row && { id: row.id, createdAt: row.created_at }
  })
}

function addressOf({ domain_id, alias }: Pick<LinkValues, 'domain_id' | 'alias'>): string {
  return `${domain_id ?? null} ${alias}`
}

/** The order that the statement has: by bytes. */
function inAliasOrder(links: readonly LinkValues[]): LinkValues[] {
  return links.toSorted((a, b) => Buffer.compare(Buffer.from(a.alias), Buffer.from(b.alias)))
}

import { type Insertable, sql } from 'kysely'
import { createBatcher } from '../concurrency/batch.ts'
import { isAboutRows } from '../db/errors.ts'
import type { Db } from '../db/pool.ts'
import { runPrepared } from '../db/prepared.ts'
import type { LinkTable } from '../db/schema.ts'

export type LinkValues = Insertable<LinkTable> & { domain_id: number | null }
export type InsertedLink = { id: number; createdAt: Date }

/** Links in one statement: enough to share its cost, few enough that nobody waits long. */
const MOST = 200
/** Columns whose values are JSON text already. */
const JSON_COLUMNS = new Set(['geo_targets', 'device_targets', 'language_targets', 'parameters'])

/**
 * Stores a link; undefined if the alias is taken. The unique index
 * is what decides, not a look beforehand, so that of two who come at once exactly one wins.
 */
export async function insertLink(db: Db, values: LinkValues): Promise<InsertedLink | undefined> {
  const [inserted] = await insertLinks(db, [values])
  return inserted
}

/**
 * Makes an `insertLink` for use outside transactions: the links that an account makes at the same time
 * are stored together, by one statement and one commit. One that PostgreSQL refuses fails alone.
 */
export function createLinkInserter(db: Db) {
  const batch = createBatcher<LinkValues, PromiseSettledResult<InsertedLink | undefined>[]>({
    most: MOST,
  })

  return async (values: LinkValues): Promise<InsertedLink | undefined> => {
    const id = `${values.account_id} ${columnsOf(values).join()}`
    const { answer, position } = await batch(id, values, (links) => insertEach(db, links))
    const result = answer[position - 1]
    if (result?.status === 'rejected') throw result.reason
    return result?.value
  }
}

async function insertEach(
  db: Db,
  links: readonly LinkValues[],
): Promise<PromiseSettledResult<InsertedLink | undefined>[]> {
  try {
    const inserted = await insertLinks(db, links)
    return inserted.map((value) => ({ status: 'fulfilled', value }))
  } catch (error) {
    if (links.length === 1 || !isAboutRows(error)) throw error
    return Promise.allSettled(links.map((values) => insertLink(db, values)))
  }
}

/** Stores links that have the same columns; undefined in place of each whose alias is taken. */
async function insertLinks(
  db: Db,
  links: readonly LinkValues[],
): Promise<(InsertedLink | undefined)[]> {
  const columns = sql.join((links[0] ? columnsOf(links[0]) : []).map((name) => sql.ref(name)))
  // Whoever waits for another's alias holds only aliases before it, so nobody waits in a circle.
  const rows = links.toSorted((a, b) => (a.alias < b.alias ? -1 : Number(a.alias > b.alias)))
  const query = sql<Inserted>`
    insert into links (${columns})
    select ${columns} from jsonb_populate_recordset(null::links, ${toJson(rows)}::jsonb)
    on conflict on constraint links_alias_key do nothing
    returning id, domain_id, alias, created_at`.compile(db)
  const created = await runPrepared(db, query)
  const byPlace = new Map(created.map((row) => [placeOf(row), row]))
  return links.map((link) => {
    const place = placeOf(link)
    const row = byPlace.get(place)
    // Of several who want one alias the first has it.
    byPlace.delete(place)
    return row && { id: row.id, createdAt: row.created_at }
  })
}

type Inserted = { id: number; domain_id: number | null; alias: string; created_at: Date }

function placeOf({ domain_id, alias }: Pick<LinkValues, 'domain_id' | 'alias'>): string {
  return `${domain_id} ${alias}`
}

function columnsOf(values: LinkValues): string[] {
  return Object.keys(values).filter((name) => values[name as keyof LinkValues] !== undefined)
}

function toJson(links: readonly LinkValues[]): string {
  const rows = links.map((link) => {
    const fields = Object.entries(link).flatMap(([name, value]) => {
      if (value === undefined) return []
      return `"${name}":${JSON_COLUMNS.has(name) ? value : JSON.stringify(value)}`
    })
    return `{${fields.join()}}`
  })
  return `[${rows.join()}]`
}

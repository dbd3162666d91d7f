import type pg from 'pg'

export type LabelIds = ReturnType<typeof createLabelIds>

const MAX_REMEMBERED = 200_000

/**
 * The numbers of label names. They are looked up and made outside the transaction that uses them,
 * so that nothing is remembered here that a rollback could take back.
 */
export function createLabelIds(db: Pick<pg.Pool, 'query'>) {
  let known = new Map<string, number>()

  /** The number of each name that has one. */
  async function find(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>()
    const unknown: string[] = []
    for (const name of names) {
      const id = known.get(name)
      if (id === undefined) unknown.push(name)
      else found.set(name, id)
    }
    if (unknown.length === 0) return found
    const { rows } = await db.query<{ id: number; name: string }>(
      'select id, name from labels where name = any($1::text[])',
      [unknown],
    )
    for (const { id, name } of rows) found.set(name, remember(name, id))
    return found
  }

  /** The number of every name; names that have none yet get one. */
  async function findOrCreate(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = await find(names)
    const missing = names.filter((name) => !found.has(name)).sort()
    if (missing.length === 0) return found
    await db.query(
      'insert into labels (name) select unnest($1::text[]) on conflict (name) do nothing',
      [missing],
    )
    return find(names)
  }

  function remember(name: string, id: number): number {
    if (known.size >= MAX_REMEMBERED) known = new Map()
    known.set(name, id)
    return id
  }

  /** To be called when the connection was lost: the database may be another, or an older one. */
  function invalidate(): void {
    known = new Map()
  }

  return { find, findOrCreate, invalidate }
}

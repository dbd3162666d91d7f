import type { StoredTable } from './tables.queries.ts'

/**
 * Orders tables so that each comes after those that its foreign keys point to.
 *
 * @throws Error if they point to each other in a circle.
 */
export function orderByReferences<Table extends Pick<StoredTable, 'name' | 'references'>>(
  tables: readonly Table[],
): Table[] {
  const ordered: Table[] = []
  const placed = new Set<string>()
  let waiting = [...tables]
  while (waiting.length > 0) {
    const ready = waiting.filter((table) => table.references.every((name) => placed.has(name)))
    if (ready.length === 0) {
      const names = waiting.map(({ name }) => name).join(', ')
      throw new Error(`These tables refer to each other or to tables elsewhere: ${names}.`)
    }
    for (const table of ready) placed.add(table.name)
    ordered.push(...ready)
    waiting = waiting.filter(({ name }) => !placed.has(name))
  }
  return ordered
}

import { OTHER_LABEL } from '../encoding/label-counts.ts'
import { codecOf, isPartialKind, labelKindNames } from '../encoding/label-kinds.ts'
import { type Columns, createColumns, NO_LABEL, takeRows, withCapacity } from './columns.ts'
import type { ClickDescription } from './describe.ts'
import { createUncountedDays } from './uncounted-days.ts'

export type Batch = ReturnType<typeof createBatch>

/**
 * The initial capacity, which is doubled when it is used up. Most batches are small, and large
 * buffers become garbage quickly.
 */
const INITIAL_CAPACITY = 1024

/** A visit of which an earlier edge says only that it does not count. */
const UNNAMED = { kind: 'crawler', name: OTHER_LABEL } as const

const KINDS = labelKindNames.map((kind) => ({
  kind,
  codec: codecOf(kind),
  isPartial: isPartialKind(kind),
}))

/**
 * Creates an empty batch of clicks to import, stored as columns. Until the database has assigned
 * label numbers, labels are indexes in `names`. Links are indexes in `links`.
 */
export function createBatch() {
  const names: string[] = []
  const links: number[] = []
  const linkIndexes = new Map<number, number>()
  const hash = new DataView(new ArrayBuffer(8))
  const nameIndexes = new Map<string, number>()
  const uncounted = createUncountedDays()
  const programs = createUncountedDays()
  let columns = createColumns(INITIAL_CAPACITY)
  let capacity = INITIAL_CAPACITY
  let count = 0

  /** Returns the index of a name in `names`. Adds the name if it is new. */
  function indexOf(name: string): number {
    const existing = nameIndexes.get(name)
    if (existing !== undefined) return existing
    nameIndexes.set(name, names.length)
    return names.push(name) - 1
  }

  function indexOfLink(linkId: number): number {
    const existing = linkIndexes.get(linkId)
    if (existing !== undefined) return existing
    linkIndexes.set(linkId, links.length)
    return links.push(linkId) - 1
  }

  function add(linkId: number, at: number, click: ClickDescription): void {
    if (count === capacity) {
      capacity *= 2
      columns = withCapacity(columns, capacity)
    }
    columns.link[count] = indexOfLink(linkId)
    columns.at[count] = at
    hash.setBigInt64(0, click.visitor)
    columns.visitorHigh[count] = hash.getInt32(0)
    columns.visitorLow[count] = hash.getInt32(4)
    for (const { kind, codec, isPartial } of KINDS) {
      const label = click[kind]
      const isMissing = label === undefined && (!codec || isPartial)
      if (isMissing) columns.labels[kind][count] = NO_LABEL
      else columns.labels[kind][count] = codec ? codec.numberOf(label ?? '') : indexOf(label ?? '')
    }
    columns.crawler[count] = click.crawler ? 1 : 0
    if (click.crawler) uncounted.add(linkId, at, click.uncounted ?? UNNAMED)
    else if (click.program) programs.add(linkId, at, { kind: 'program', name: click.program })
    count += 1
  }

  return {
    add,
    indexOf,
    names,
    /** The distinct links, in order of their first click. */
    links,
    /** The visits that do not count. */
    uncounted,
    /** The clicks of programs that are in no list. */
    programs,
    /** The clicks added so far. */
    get columns(): Columns {
      return takeRows(columns, count)
    },
  }
}

import { KIND, labelOf, unpackInto } from '../encoding/label-counts.ts'
import { NEW_VISITORS } from '../encoding/packed-hours.ts'
import type { RawDay, StoredDay } from './day-backfill.queries.ts'

/** A day of a link as it should be stored, and by how much that differs from what was counted so far. */
export type CompleteDay = {
  day: number
  visitors: number
  hours: Map<number, number> | undefined
  labels: Map<number, number> | undefined
  /** What the account's own day still lacks of this one. */
  missing: {
    clicks: number
    visitors: number
    hours: Map<number, number>
    labels: Map<number, number>
  }
}

/**
 * Completes the days of a link from its raw clicks. Of a day whose raw clicks are not all there any
 * more, nothing but the number of clicks is known. Visitors whom no raw click shows came before all of
 * those, and are counted on the link's first day: in all there are as many as the link has `visitors`.
 */
export function completeDays(
  stored: readonly StoredDay[],
  raw: ReadonlyMap<number, RawDay>,
  visitors: number,
): CompleteDay[] {
  const shown = [...raw.values()].reduce((sum, { newcomers }) => sum + total(newcomers), 0)
  return stored.map((row, index) => {
    const found = raw.get(row.day)
    const newcomers = found ? total(found.newcomers) : 0
    const came = newcomers + (index === 0 ? Math.max(0, visitors - shown) : 0)
    const known = found?.clicks === row.clicks ? found : undefined
    const before = { hours: unpacked(row.hours), labels: unpacked(row.labels) }
    const hours = known && withNewcomers(known)
    return {
      day: row.day,
      visitors: came,
      hours,
      labels: known?.labels,
      missing: {
        clicks: row.clicks - countedBy(before.labels),
        visitors: came - (row.visitors ?? 0),
        hours: hours ? difference(hours, before.hours) : new Map(),
        labels: known ? difference(known.labels, before.labels) : new Map(),
      },
    }
  })
}

function withNewcomers({ hours, newcomers }: RawDay): Map<number, number> {
  return new Map([
    ...hours,
    ...[...newcomers].map(([hour, count]) => [NEW_VISITORS + hour, count] as const),
  ])
}

/** The clicks that these labels were counted with: each click has one device. */
function countedBy(labels: ReadonlyMap<number, number>): number {
  return total(new Map([...labels].filter(([key]) => labelOf(key, KIND.device) !== undefined)))
}

function difference(
  wanted: ReadonlyMap<number, number>,
  there: ReadonlyMap<number, number>,
): Map<number, number> {
  const keys = new Set([...wanted.keys(), ...there.keys()])
  const differences = [...keys].map(
    (key) => [key, (wanted.get(key) ?? 0) - (there.get(key) ?? 0)] as const,
  )
  return new Map(differences.filter(([, count]) => count !== 0))
}

function unpacked(packed: Buffer | null): Map<number, number> {
  const counts = new Map<number, number>()
  if (packed) unpackInto(packed, counts)
  return counts
}

function total(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

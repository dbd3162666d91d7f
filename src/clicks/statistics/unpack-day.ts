import { unpackCounts, unpackInto } from '../encoding/label-counts.ts'
import { type LabelList, listedKinds } from '../encoding/label-kinds.ts'
import { HOURS_PER_DAY } from '../encoding/packed-counts.ts'

/** A stored day of a link. */
export type PackedDay = { day: string; clicks: number; hours: Buffer; labels: Buffer }

/** A day with its clicks by hour and by label. */
export type UnpackedDay = {
  day: string
  clicks: number
  hours: Record<string, number>
} & Partial<Record<LabelList, Record<string, number>>>

const kindOf = new Map(listedKinds.map((kind) => [kind.number, kind]))

/**
 * Returns the clicks of a day by hour and by label. `nameOf` returns the names of numbered labels.
 */
export function unpackDay(
  { day, clicks, hours, labels }: PackedDay,
  nameOf: (label: number) => string,
): UnpackedDay {
  const lists: Partial<Record<LabelList, Record<string, number>>> = {}
  for (const { kind: number, label, clicks: count } of unpackCounts(labels)) {
    const kind = kindOf.get(number)
    if (!kind) continue
    // A label may have any name, even `__proto__`.
    const counts = lists[kind.list] ?? Object.create(null)
    lists[kind.list] = counts
    counts[kind.codec ? kind.codec.labelOf(label) : nameOf(label)] = count
  }
  return { day, clicks, hours: unpackHours(hours), ...lists }
}

/** Yields the labels in packed counts that have a row in the table of labels. */
export function* iterateNamedLabels(labels: Buffer): Generator<number, void> {
  for (const { kind, label } of unpackCounts(labels)) {
    const labelKind = kindOf.get(kind)
    if (labelKind && !labelKind.codec) yield label
  }
}

/** Returns the clicks by hour. Excludes new visitors. */
function unpackHours(packed: Buffer): Record<string, number> {
  const counts = new Map<number, number>()
  unpackInto(packed, counts)
  return Object.fromEntries([...counts].filter(([hour]) => hour < HOURS_PER_DAY))
}

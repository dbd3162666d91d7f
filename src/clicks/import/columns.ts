import { type LabelKindName, labelKindNames } from '../encoding/label-kinds.ts'

/** Clicks as columns. A click has the same index in every column. */
export type Columns = {
  /** Indexes in the batch's `links`. */
  link: Int32Array
  /** Milliseconds since 1970. */
  at: Float64Array
  /** The two halves of the visitor's hash. */
  visitorLow: Int32Array
  visitorHigh: Int32Array
  /** Indexes in the batch's `names`, or fixed label numbers. `NO_LABEL` for none. */
  labels: Readonly<Record<LabelKindName, Int32Array>>
  /** 1 for a crawler, else 0. */
  crawler: Int32Array
}

export const NO_LABEL = -1

/** Creates columns with capacity for `room` clicks. */
export function createColumns(room: number): Columns {
  return {
    link: new Int32Array(room),
    at: new Float64Array(room),
    visitorLow: new Int32Array(room),
    visitorHigh: new Int32Array(room),
    labels: eachKind(() => new Int32Array(room)),
    crawler: new Int32Array(room),
  }
}

/** Returns a copy of the columns with capacity for `room` clicks. */
export function withRoom(columns: Columns, room: number): Columns {
  const larger = createColumns(room)
  for (const name of NAMES) larger[name].set(columns[name])
  for (const kind of labelKindNames) larger.labels[kind].set(columns.labels[kind])
  return larger
}

/** Returns the first `count` clicks. They share memory with the original. */
export function firstOf(columns: Columns, count: number): Columns {
  const { link, at, visitorLow, visitorHigh, labels, crawler } = columns
  return {
    link: link.subarray(0, count),
    at: at.subarray(0, count),
    visitorLow: visitorLow.subarray(0, count),
    visitorHigh: visitorHigh.subarray(0, count),
    labels: eachKind((kind) => labels[kind].subarray(0, count)),
    crawler: crawler.subarray(0, count),
  }
}

/**
 * Returns the clicks of `rows`, in that order. Sequential access is several times faster than
 * random access to each column, so the clicks are copied once.
 */
export function inOrder(columns: Columns, rows: Uint32Array): Columns {
  const ordered = createColumns(rows.length)
  for (const name of NAMES) reorder(columns[name], rows, ordered[name])
  for (const kind of labelKindNames) reorder(columns.labels[kind], rows, ordered.labels[kind])
  return ordered
}

function reorder(
  from: Int32Array | Float64Array,
  rows: Uint32Array,
  to: Int32Array | Float64Array,
): void {
  for (let index = 0; index < rows.length; index += 1) {
    to[index] = from[rows[index] as number] as number
  }
}

function eachKind(columnOf: (kind: LabelKindName) => Int32Array): Columns['labels'] {
  const columns = labelKindNames.map((kind) => [kind, columnOf(kind)])
  return Object.fromEntries(columns)
}

/**
 * Returns the distinct values of a column in ascending order, without negative values, which stand
 * for none.
 */
export function valuesOf(column: Int32Array): Uint32Array {
  let highest = -1
  for (let row = 0; row < column.length; row += 1)
    highest = Math.max(highest, column[row] as number)
  const seen = new Uint8Array(highest + 1)
  for (let row = 0; row < column.length; row += 1) seen[column[row] as number] = 1
  return Uint32Array.from(seen.keys()).filter((value) => seen[value] === 1)
}

const NAMES = ['link', 'at', 'visitorLow', 'visitorHigh', 'crawler'] as const

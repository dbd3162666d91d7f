import { type LabelKindName, labelKindNames } from '../encoding/label-kinds.ts'
import { toLabelText } from '../encoding/label-text.ts'
import { UNCOUNTED_KINDS, type Uncounted } from '../encoding/uncounted-visits.ts'
import type { ClickDescription } from '../import/describe.ts'

/** Clicks that an edge sends, and the positions in its journal that they advance. */
export type HandOver = {
  /** The id of the edge's journal folder. */
  journal: string
  /** The id of the installation to which the clicks belong. Earlier edges do not send it. */
  installation?: string
  moves: WriterMove[]
  /** The names of the label kinds, in the order of each click's labels. */
  kinds: string[]
  clicks: WireClick[]
}

/** The advance of a writer's position. */
export type WriterMove = { writer: string; from: number; to: number }

/**
 * A click as sent: link, time in milliseconds since 1970, visitor hash as decimal text, 1 for a visit
 * that does not count, and the labels in the order of `kinds`.
 */
export type WireClick = [
  linkId: number,
  at: number,
  visitor: string,
  crawler: 0 | 1,
  labels: (string | null)[],
]

export type ReceivedClick = { linkId: number; at: number; description: ClickDescription }

/**
 * The distance between the positions at which two consecutive segments of a writer start. It is
 * larger than any segment.
 */
const POSITIONS_PER_SEGMENT = 2 ** 32

/** Returns the position that corresponds to an offset in a segment. */
export function toPosition(sequence: number, offset: number): number {
  return (sequence - 1) * POSITIONS_PER_SEGMENT + offset
}

/** Returns the segment and the offset that correspond to a position. */
export function locatePosition(position: number): { sequence: number; offset: number } {
  return {
    sequence: Math.floor(position / POSITIONS_PER_SEGMENT) + 1,
    offset: position % POSITIONS_PER_SEGMENT,
  }
}

/**
 * The kinds of labels that an edge sends. The last three say why a visit does not count, or name the
 * program of a click. Main installations that do not know them ignore them.
 */
export const wireKinds: readonly string[] = [
  ...labelKindNames,
  'uncountedKind',
  'uncountedName',
  'program',
]

/** Converts a click to the form in which an edge sends it. */
export function toWire(linkId: number, at: number, click: ClickDescription): WireClick {
  const { uncounted, program } = click
  const labels = [
    ...labelKindNames.map((kind) => click[kind] ?? null),
    uncounted?.kind ?? null,
    uncounted?.name ?? null,
    program ?? null,
  ]
  return [linkId, at, String(click.visitor), click.crawler ? 1 : 0, labels]
}

/** Converts a click that an edge sent. Ignores label kinds that this program does not know. */
export function fromWire(
  [linkId, at, visitor, crawler, labels]: WireClick,
  kinds: readonly string[],
): ReceivedClick {
  const labelOf = (kind: string) => labels[kinds.indexOf(kind)] ?? undefined
  const labelsByKind = Object.fromEntries(
    labelKindNames.map((kind) => [kind, labelOf(kind)]),
  ) as Record<LabelKindName, string | undefined>
  return {
    linkId,
    at,
    description: {
      ...labelsByKind,
      visitor: BigInt.asIntN(64, BigInt(visitor)),
      crawler: crawler === 1,
      uncounted: readUncounted(labelOf('uncountedKind'), labelOf('uncountedName')),
      program: labelOf('program') && toLabelText(labelOf('program') ?? ''),
    },
  }
}

/** Returns why a visit does not count, or undefined if the edge does not say. */
function readUncounted(
  kindName: string | undefined,
  name: string | undefined,
): Uncounted | undefined {
  const kind = UNCOUNTED_KINDS.find((each) => each === kindName)
  return kind && name ? { kind, name: toLabelText(name) } : undefined
}

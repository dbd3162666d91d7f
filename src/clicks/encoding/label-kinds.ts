import { memo } from '../../concurrency/memo.ts'
import {
  decodeLanguage,
  encodeLanguage,
  getAutomatedName,
  getAutomatedNumber,
  getDeviceName,
  getDeviceNumber,
  getSourceName,
  getSourceNumber,
} from './fixed-labels.ts'

/**
 * A kind of label. A click has at most one label of each kind. Counts, raw clicks, statistics,
 * exports and imports are derived from this table. To add a kind, add it here and to
 * `import/describe.ts`.
 */
type LabelKind = {
  /** The kind's number in packed counts and raw clicks. Never change or reuse a number. */
  number: number
  /**
   * The name of the kind's list in statistics, exports and imports. Kinds without a list are not
   * shown.
   */
  list?: string
  /**
   * Whether some clicks have no label of this kind, so that its list does not add up to all clicks.
   */
  isPartial?: true
  /** Whether raw clicks store it as a flag. Its labels are then numbered 0 and 1. */
  isFlag?: true
  /** Converts labels with fixed numbers. Labels of other kinds are rows of the table `labels`. */
  codec?: LabelCodec
}

type LabelCodec = {
  /** Returns the number of a label, which may come from a click or an import. */
  numberOf: (label: string) => number
  labelOf: (number: number) => string
}

const LABEL_KINDS = {
  country: { number: 1, list: 'countries' },
  referrer: { number: 2, list: 'referrers' },
  browser: { number: 3, list: 'browsers' },
  os: { number: 4, list: 'os' },
  social: { number: 5 },
  device: {
    number: 6,
    list: 'devices',
    codec: { numberOf: memo(getDeviceNumber), labelOf: getDeviceName },
  },
  language: {
    number: 7,
    list: 'languages',
    codec: { numberOf: memo(encodeLanguage), labelOf: decodeLanguage },
  },
  variant: { number: 8, list: 'variants', isPartial: true },
  source: {
    number: 9,
    list: 'sources',
    isPartial: true,
    isFlag: true,
    codec: { numberOf: getSourceNumber, labelOf: getSourceName },
  },
  automated: {
    number: 10,
    list: 'automated',
    isPartial: true,
    isFlag: true,
    codec: { numberOf: getAutomatedNumber, labelOf: getAutomatedName },
  },
} as const satisfies Record<string, LabelKind>

export type LabelKindName = keyof typeof LABEL_KINDS

/** The number of each kind, by name. */
export const KIND = Object.fromEntries(
  Object.entries(LABEL_KINDS).map(([name, { number }]) => [name, number]),
) as Readonly<Record<LabelKindName, number>>

/** The highest kind number. */
export const LAST_KIND = Math.max(...Object.values(KIND))

/** The highest kind number of which raw clicks store a label. */
export const LAST_STORED_KIND = Math.max(
  ...Object.values<LabelKind>(LABEL_KINDS).flatMap(({ number, isFlag }) => (isFlag ? [] : number)),
)

type ListedKind = Extract<(typeof LABEL_KINDS)[LabelKindName], { list: string }>

/** The name of a list of labels in statistics, exports and imports. */
export type LabelList = ListedKind['list']

/** The names of all kinds, in table order. */
export const labelKindNames = Object.keys(LABEL_KINDS) as readonly LabelKindName[]

const kinds: readonly [LabelKindName, LabelKind][] = Object.entries(LABEL_KINDS) as [
  LabelKindName,
  LabelKind,
][]

/** The kinds that have a list. */
export const listedKinds: readonly (LabelKind & { name: LabelKindName; list: LabelList })[] =
  kinds.flatMap(([name, kind]) =>
    kind.list ? { name, ...kind, list: kind.list as LabelList } : [],
  )

/** The lists that do not add up to all clicks. */
export const partialLists: ReadonlySet<LabelList> = new Set(
  listedKinds.flatMap(({ list, isPartial }) => (isPartial ? list : [])),
)

/** The names of all lists, in table order. */
export const labelLists: readonly LabelList[] = listedKinds.map(({ list }) => list)

/** Returns the codec of a kind with fixed numbers, or undefined for other kinds. */
export function codecOf(name: LabelKindName): LabelCodec | undefined {
  const kind: LabelKind = LABEL_KINDS[name]
  return kind.codec
}

/** Returns whether some clicks have no label of a kind, so that it is not counted for them. */
export function isPartialKind(name: LabelKindName): boolean {
  const kind: LabelKind = LABEL_KINDS[name]
  return kind.isPartial === true
}

const fixedKinds = new Set(kinds.flatMap(([, { number, codec }]) => (codec ? [number] : [])))

/** Returns whether the labels of a kind have fixed numbers. */
export function isFixedKind(number: number): boolean {
  return fixedKinds.has(number)
}

/** Returns an object with the result of `valueFor` for the kind of each list. */
export function byList<T>(
  valueFor: (kind: (typeof listedKinds)[number]) => T,
): Record<LabelList, T> {
  return Object.fromEntries(listedKinds.map((kind) => [kind.list, valueFor(kind)])) as Record<
    LabelList,
    T
  >
}

import type { LabelList } from '../clicks/import.ts'
import type { FieldInput } from '../links/fields.ts'

/** Where links come from. */
export const SOURCES = ['csv', 'jsonl', 'bitly', 'yourls', 'kutt', 'shlink'] as const
export type Source = (typeof SOURCES)[number]

/** Clicks by the name of a label, such as a country. */
export type NamedCounts = ReadonlyMap<string, number>

/** What is known of the clicks of one day (UTC); what is not known is absent. */
export type DayRecord = {
  /** `YYYY-MM-DD` */
  day: string
  clicks: number
  /** Clicks by hour of the day, 0 to 23. */
  hours?: ReadonlyMap<number, number>
  labels?: Partial<Record<LabelList, NamedCounts>>
}

/**
 * A link as it moves from one service to another: as the source says it, not checked yet. Absent and
 * empty are the same. Moments are as the source writes them, and the password is an argon2 or bcrypt hash.
 */
export type LinkRecord = FieldInput & {
  alias: string
  /** The host that the source has it on; undefined for the source's own. */
  domain?: string | undefined
  url: string
  tags?: readonly string[] | undefined
  createdAt?: string | undefined
  lastClickAt?: string | undefined
  disabled?: boolean | undefined
  /** Whether the source adds the visitor's query to the target. */
  forwardsQuery?: boolean | undefined
  /** All clicks, also those that no day tells of. */
  clicks?: number | undefined
  days?: readonly DayRecord[] | undefined
  /** Labels of clicks that are not known by day. */
  labels?: Partial<Record<LabelList, NamedCounts>> | undefined
}

/**
 * A row of a source: a link, or why there is none to be read. `row` counts from 1, in a file the line
 * or record. `size` is about how many bytes it takes; `unused` names columns or fields that are not read.
 */
export type SourceRow = { row: number; size: number; unused?: readonly string[] } & (
  | { record: LinkRecord }
  | { problem: string; alias?: string }
)

/**
 * Rows read together, where a source that has pages goes on after them, and the columns or fields that
 * were not used so far.
 */
export type SourcePage = {
  rows: SourceRow[]
  next?: string | undefined
  unused?: readonly string[]
}

/** What cannot be read any further: the rows before it were fine. */
export class SourceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SourceError'
  }
}

/** A source that is to be asked again only after so many seconds. */
export class SourceBusyError extends SourceError {
  readonly seconds: number

  constructor(seconds: number) {
    super(`The source wants to be asked again in ${seconds} seconds.`)
    this.name = 'SourceBusyError'
    this.seconds = seconds
  }
}

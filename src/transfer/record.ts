import type { LabelList } from '../clicks/import.ts'
import type { FieldInput } from '../links/fields.ts'

/** Import sources. */
export const SOURCES = ['csv', 'jsonl', 'bitly', 'yourls', 'kutt', 'shlink'] as const
export type Source = (typeof SOURCES)[number]

/** Clicks by label name, such as a country. */
export type NamedCounts = ReadonlyMap<string, number>

/** The known clicks of one day (UTC). Unknown values are undefined. */
export type DayRecord = {
  /** `YYYY-MM-DD` */
  day: string
  clicks: number
  /** Clicks by hour of the day, 0 to 23. */
  hours?: ReadonlyMap<number, number>
  labels?: Partial<Record<LabelList, NamedCounts>>
}

/**
 * A link in transfer between services: as stated by the source, not yet validated. Undefined and
 * empty are the same. Times are in the source's format, and the password is an argon2 or bcrypt
 * hash.
 */
export type LinkRecord = FieldInput & {
  alias: string
  /** The host at the source, or undefined for the source's own. */
  domain?: string | undefined
  url: string
  tags?: readonly string[] | undefined
  createdAt?: string | undefined
  lastClickAt?: string | undefined
  disabled?: boolean | undefined
  archived?: boolean | undefined
  /** All clicks, including those not listed by day. */
  clicks?: number | undefined
  /** Those that count toward `maxClicks`. */
  usedClicks?: number | undefined
  days?: readonly DayRecord[] | undefined
  /** Labels of clicks that are not listed by day. */
  labels?: Partial<Record<LabelList, NamedCounts>> | undefined
}

/**
 * A row of a source: a link or an error. `row` starts at 1; in a file it is the line or record.
 * `size` is its approximate size in bytes. `unused` names columns or fields that are not read.
 * `nameField` returns the path of a link's field as the source names it, for errors.
 */
export type SourceRow = {
  row: number
  size: number
  unused?: readonly string[]
  nameField?: (field: string) => string
} & ({ record: LinkRecord } | { problem: string; alias?: string })

/**
 * Rows read together, the next page if the source has pages, and the unused columns or fields so
 * far.
 */
export type SourcePage = {
  rows: SourceRow[]
  next?: string | undefined
  unused?: readonly string[]
}

/** The source cannot be read any further. The rows before are valid. */
export class SourceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SourceError'
  }
}

/** The source must not be requested again for a number of seconds. */
export class SourceBusyError extends SourceError {
  readonly seconds: number

  constructor(seconds: number) {
    super(`The source requested a pause of ${seconds} seconds.`)
    this.name = 'SourceBusyError'
    this.seconds = seconds
  }
}

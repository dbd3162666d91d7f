import type { LabelList } from '../clicks/import.ts'
import { formatProblem, type Problem, type Subject } from '../errors.ts'
import type { FieldInput } from '../links/fields.ts'
import type { Values } from '../messages.ts'
import type { TextsIn } from '../texts.ts'

/** Import sources. A list has destinations without aliases. */
export const SOURCES = ['csv', 'jsonl', 'list', 'bitly', 'yourls', 'kutt', 'shlink'] as const
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
 * A link that is transferred between services, as stated by the source and not yet validated.
 * Undefined and empty values mean the same. Times are in the source's format, and the password is
 * an argon2 or bcrypt hash.
 */
export type LinkRecord = FieldInput & {
  alias: string
  /** The link's host at the source. Undefined for the source's own host. */
  domain?: string | undefined
  url: string
  tags?: readonly string[] | undefined
  createdAt?: string | undefined
  lastClickAt?: string | undefined
  disabled?: boolean | undefined
  archived?: boolean | undefined
  /** The total number of clicks, including clicks that `days` does not list. */
  clicks?: number | undefined
  /** The number of clicks that count toward `maxClicks`. */
  usedClicks?: number | undefined
  days?: readonly DayRecord[] | undefined
  /** Values that cannot be imported, although the link can. */
  notices?: readonly Problem[] | undefined
  /** The labels of clicks that are not listed by day. */
  labels?: Partial<Record<LabelList, NamedCounts>> | undefined
}

/** A link that was read, or the reason why it cannot be imported. */
export type ReadLink = { record: LinkRecord } | { problem: Problem; alias?: string }

/**
 * A row of a source, with a link or an error. A link with several names has a row for each, with
 * the same number. `row` starts at 1 and is the line or record of a
 * file. `size` is the approximate size in bytes. `unused` contains the names of columns or fields
 * that are not used. `nameField` returns the path of a link's field with the source's names, for
 * errors.
 */
export type SourceRow = {
  row: number
  size: number
  unused?: readonly string[]
  nameField?: (field: string) => Subject
} & ReadLink

/**
 * The rows that are read together, the next page if the source has pages, and the columns or fields
 * that have not been used so far.
 */
export type SourcePage = {
  rows: SourceRow[]
  next?: string | undefined
  unused?: readonly string[]
}

/** Thrown if the rest of the source cannot be read. The rows before it are valid. */
export class SourceError extends Error {
  readonly problem: Problem

  constructor(code: TextsIn<'sourceErrors'>, args?: Values, options?: ErrorOptions) {
    const problem = { key: `sourceErrors.${code}`, ...(args && { args }) } as const
    super(formatProblem(problem, 'en'), options)
    this.name = 'SourceError'
    this.problem = problem
  }
}

/** Thrown if the source must not be requested again for a number of seconds. */
export class SourceBusyError extends SourceError {
  readonly seconds: number

  constructor(seconds: number) {
    super('pause', { seconds })
    this.name = 'SourceBusyError'
    this.seconds = seconds
  }
}

import { labelLists } from '../../clicks/import.ts'
import type { Problem } from '../../errors.ts'
import { DECORATIONS, fileFields } from '../file-fields.ts'
import type { DayRecord, LinkRecord, SourceRow } from '../record.ts'
import { readLines } from './decode-text.ts'
import { rejectRestrictions } from './restriction.ts'
import {
  attempt,
  type Fields,
  invalidValue,
  isObject,
  readFlag,
  readMoment,
  readNamedCounts,
  readNumber,
  readObjects,
  readOptional,
  readProblem,
  readText,
  readTexts,
  readWithin,
} from './values.ts'

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'alias',
  'domain',
  'shortUrl',
  'tags',
  'createdAt',
  'lastClickAt',
  'disabled',
  'archived',
  'clicks',
  'usedClicks',
  'days',
  ...labelLists,
  ...fileFields.map(({ name }) => name),
])
const DAY_FIELDS: ReadonlySet<string> = new Set(['day', 'clicks', 'hours', ...labelLists])

/**
 * The maximum length of a line. A link with several years of days and labels takes a few hundred
 * KB.
 */
const MAX_LINE_LENGTH = 8 * 1024 * 1024

/**
 * Yields the links of a JSONL file, one object per line. Skips empty lines. `ignored` has the names
 * of fields that are not read.
 */
export async function* readJsonl(
  chunks: AsyncIterable<Buffer>,
  ignored: readonly string[] = [],
): AsyncGenerator<SourceRow> {
  for await (const { number: row, text: line, size } of readLines(chunks, MAX_LINE_LENGTH)) {
    if (line === undefined) {
      yield {
        row,
        size,
        problem: { key: 'rowProblems.line_too_long', args: { max: MAX_LINE_LENGTH } },
      }
      continue
    }
    if (line.trim() === '') continue
    yield { row, size, ...parseLine(line, ignored) }
  }
}

type Parsed = { record: LinkRecord; unused: string[] } | { problem: Problem; alias?: string }

function parseLine(line: string, ignored: readonly string[]): Parsed {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { problem: { key: 'rowProblems.line_not_json' } }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: { key: 'rowProblems.line_not_object' } }
  }
  const fields = value as Fields
  const used = Object.fromEntries(
    Object.entries(fields).filter(([name]) => !ignored.includes(name)),
  )
  try {
    rejectRestrictions(used, KNOWN_FIELDS)
    return { record: toRecord(used), unused: listUnusedFields(fields, ignored) }
  } catch (error) {
    const { alias } = fields
    return { problem: readProblem(error), ...(typeof alias === 'string' && { alias }) }
  }
}

function toRecord(fields: Fields): LinkRecord {
  const notices: Problem[] = []
  const decoration = <Value>(name: string, read: (fields: Fields, name: string) => Value) =>
    attempt(() => readOptional(fields, name, read), notices)
  const toDays = (own: Fields, name: string) =>
    readObjects(own, name).map((day, index) => readWithin(`${name}[${index}]`, () => toDay(day)))
  return {
    ...Object.fromEntries(
      fileFields.map((field) => {
        const read = () => readField(fields, field)
        return [field.field, DECORATIONS.has(field.field) ? attempt(read, notices) : read()]
      }),
    ),
    alias: readText(fields, 'alias'),
    domain: readOptional(fields, 'domain', readText),
    url: readText(fields, 'url'),
    tags: decoration('tags', readTexts),
    createdAt: decoration('createdAt', readMoment),
    lastClickAt: decoration('lastClickAt', readMoment),
    disabled: readOptional(fields, 'disabled', readFlag),
    archived: readOptional(fields, 'archived', readFlag),
    clicks: decoration('clicks', readNumber),
    usedClicks: readOptional(fields, 'usedClicks', readNumber),
    days: decoration('days', toDays),
    labels: attempt(() => readLabels(fields), notices),
    notices,
  }
}

const READERS = {
  text: readText,
  number: readNumber,
  flag: readFlag,
  moment: readMoment,
  list: readObjects,
} as const

function readField(
  fields: Fields,
  { field, name, kind, entry, accept }: (typeof fileFields)[number],
) {
  // Like in CSV files, of services that say only whether there is a password.
  if (field === 'password' && fields[name] === false) return undefined
  const value = readOptional<unknown>(fields, name, READERS[kind])
  if (accept && typeof value === 'string') return accept(value)
  if (!entry || !Array.isArray(value)) return value
  return value.map((own: Fields) =>
    Object.fromEntries(
      Object.entries(entry).map(([key, requirement]) => [
        key,
        requirement === 'required' ? readText(own, key) : (readOptional(own, key, readText) ?? ''),
      ]),
    ),
  )
}

/** Returns the distinct names of the fields that are not used. */
function listUnusedFields({ days, ...fields }: Fields, ignored: readonly string[]): string[] {
  const unused = new Set(
    Object.keys(fields).filter((name) => !KNOWN_FIELDS.has(name) || ignored.includes(name)),
  )
  for (const day of Array.isArray(days) ? days.filter(isObject) : []) {
    for (const name in day) if (!DAY_FIELDS.has(name)) unused.add(`days[].${name}`)
  }
  return [...unused]
}

function toDay(fields: Fields): DayRecord {
  const hours = readOptional(fields, 'hours', readNamedCounts)
  return {
    day: readText(fields, 'day'),
    clicks: readNumber(fields, 'clicks'),
    ...(hours && { hours: new Map([...hours].map(([hour, clicks]) => [parseHour(hour), clicks])) }),
    labels: readLabels(fields),
  }
}

function parseHour(name: string): number {
  if (/^(?:1?\d|2[0-3])$/.test(name)) return Number(name)
  throw invalidValue(`hours.${name.slice(0, 20)}`, 'hour')
}

function readLabels(fields: Fields) {
  const entries = labelLists.flatMap((name) => {
    const counts = readOptional(fields, name, readNamedCounts)
    return counts ? [[name, counts] as const] : []
  })
  return Object.fromEntries(entries)
}

import { labelLists } from '../../clicks/import.ts'
import { fileFields } from '../file-fields.ts'
import type { DayRecord, LinkRecord, SourceRow } from '../record.ts'
import { readLines } from './lines.ts'
import {
  type Fields,
  readFlag,
  readMoment,
  readNamedCounts,
  readNumber,
  readObjects,
  readOptional,
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

/** Yields the links of a JSONL file, one object per line. Skips empty lines. */
export async function* readJsonl(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceRow> {
  for await (const { number: row, text: line, size } of readLines(chunks, MAX_LINE_LENGTH)) {
    if (line === undefined) {
      yield { row, size, problem: `the line is longer than ${MAX_LINE_LENGTH} bytes` }
      continue
    }
    if (line.trim() === '') continue
    yield { row, size, ...parseLine(line) }
  }
}

type Parsed = { record: LinkRecord; unused: string[] } | { problem: string; alias?: string }

function parseLine(line: string): Parsed {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { problem: 'the line is not valid JSON; the file may be cut off' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'the line is not a JSON object' }
  }
  const fields = value as Fields
  try {
    return { record: toRecord(fields), unused: listUnusedFields(fields) }
  } catch (error) {
    const { alias } = fields
    const problem = error instanceof Error ? error.message : String(error)
    return { problem, ...(typeof alias === 'string' && { alias }) }
  }
}

function toRecord(fields: Fields): LinkRecord {
  return {
    ...Object.fromEntries(fileFields.map((field) => [field.field, readField(fields, field)])),
    alias: readText(fields, 'alias'),
    domain: readOptional(fields, 'domain', readText),
    url: readText(fields, 'url'),
    tags: readOptional(fields, 'tags', readTexts),
    createdAt: readOptional(fields, 'createdAt', readMoment),
    lastClickAt: readOptional(fields, 'lastClickAt', readMoment),
    disabled: readOptional(fields, 'disabled', readFlag),
    archived: readOptional(fields, 'archived', readFlag),
    clicks: readOptional(fields, 'clicks', readNumber),
    usedClicks: readOptional(fields, 'usedClicks', readNumber),
    days: readOptional(fields, 'days', (own, name) =>
      readObjects(own, name).map((day, index) => readWithin(`${name}[${index}]`, () => toDay(day))),
    ),
    labels: readLabels(fields),
  }
}

const READERS = {
  text: readText,
  number: readNumber,
  flag: readFlag,
  moment: readMoment,
  list: readObjects,
} as const

function readField(fields: Fields, { name, kind, entry, accept }: (typeof fileFields)[number]) {
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
function listUnusedFields({ days, ...fields }: Fields): string[] {
  const unused = new Set(Object.keys(fields).filter((name) => !KNOWN_FIELDS.has(name)))
  for (const day of (days ?? []) as Fields[]) {
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
  throw new Error(`hours.${name.slice(0, 20)} must be an hour from 0 to 23`)
}

function readLabels(fields: Fields) {
  const entries = labelLists.flatMap((name) => {
    const counts = readOptional(fields, name, readNamedCounts)
    return counts ? [[name, counts] as const] : []
  })
  return Object.fromEntries(entries)
}

import { type LinkRecord, type ReadLink, SourceError, type SourceRow } from '../record.ts'
import { rejectRestrictions } from './restriction.ts'
import { readProblem } from './row-error.ts'
import { type Fields, isObject } from './values.ts'

/** Reads a link, or one for each of its names. */
type Read = (fields: Fields) => LinkRecord | ReadLink[] | Promise<LinkRecord>

type Page = {
  firstRow: number
  maxRows: number
  /** The fields that `read` uses. An unknown one that restricts the link rejects it. */
  fields: ReadonlySet<string>
  /** The field with the name of the link, for errors. */
  nameField: string
}

/**
 * Returns a list of a response, which is null in some services if it is empty.
 *
 * @throws SourceError if there is none, such as in the response of another service
 */
export function readEntries(response: Fields, name: string): readonly unknown[] {
  const entries = response[name] === null ? [] : response[name]
  if (Array.isArray(entries)) return entries
  throw new SourceError('invalid_data')
}

/**
 * Returns whether a page is the last one. If the source says how many links it has, a page may have
 * fewer links than requested.
 */
export function isLastPage(
  page: { requested: number; received: number },
  read: number,
  total: unknown,
): boolean {
  if (page.received === 0) return true
  const count = typeof total === 'string' && /^\d{1,15}$/.test(total) ? Number(total) : total
  return typeof count === 'number' ? read >= count : page.received < page.requested
}

/**
 * Converts the entries of a page to rows. An invalid entry becomes a row with its error.
 *
 * @throws SourceError if there are more than `maxRows` entries, which is the number requested
 */
export async function toRows(
  entries: readonly unknown[],
  { firstRow, maxRows, fields, nameField }: Page,
  read: Read,
): Promise<SourceRow[]> {
  if (entries.length > maxRows) throw new SourceError('links_unrequested')
  const rows: SourceRow[] = []
  for (const [index, entry] of entries.entries()) {
    const row = firstRow + index
    if (!isObject(entry)) {
      rows.push({ row, size: 0, problem: { key: 'rowProblems.entry_not_object' } })
      continue
    }
    try {
      rejectRestrictions(entry, fields)
      const links = await read(entry)
      const all = Array.isArray(links) ? links : [{ record: links }]
      rows.push(...all.map((link) => ({ row, size: 0, ...link })))
    } catch (error) {
      // Invalid values are reported as plain errors. Other kinds, such as SourceError, end the
      // import.
      if (!(error instanceof Error) || error.name !== 'Error') throw error
      const name = entry[nameField]
      const alias = typeof name === 'string' ? { alias: name } : {}
      rows.push({ row, size: 0, problem: readProblem(error), ...alias })
    }
  }
  return rows
}

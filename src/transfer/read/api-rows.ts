import { type LinkRecord, SourceError, type SourceRow } from '../record.ts'
import { type Fields, isObject } from './values.ts'

/**
 * Converts the entries of a page to rows. An invalid entry becomes a row with its error.
 *
 * @throws SourceError if there are more than `maxRows` entries, which is the number requested
 */
export async function toRows(
  entries: readonly unknown[],
  { firstRow, maxRows }: { firstRow: number; maxRows: number },
  read: (fields: Fields) => LinkRecord | Promise<LinkRecord>,
): Promise<SourceRow[]> {
  if (entries.length > maxRows)
    throw new SourceError('The source returned more links than requested.')
  const rows: SourceRow[] = []
  for (const [index, entry] of entries.entries()) {
    const row = firstRow + index
    if (!isObject(entry)) {
      rows.push({ row, size: 0, problem: 'the entry is not an object' })
      continue
    }
    try {
      rows.push({ row, size: 0, record: await read(entry) })
    } catch (error) {
      // Invalid values are reported as plain errors. Other kinds, such as SourceError, end the
      // import.
      if (!(error instanceof Error) || error.name !== 'Error') throw error
      rows.push({ row, size: 0, problem: error.message })
    }
  }
  return rows
}

/** Returns the last segment of a short URL's path. The segments before it belong to the service. */
export function getLastPathSegment(url: string): string {
  const path = (URL.parse(url)?.pathname ?? url).replace(/\/+$/, '')
  return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
}

import { unpackDay } from '../../clicks/read.ts'
import type { ExportedDay, ExportedLink } from '../export.queries.ts'
import { fileFields } from '../file-fields.ts'

/**
 * Yields one line of an export in parts, first the link and then its days. `getLabelName` returns
 * the name of a numbered label.
 */
export async function* generateJsonlLine(
  link: ExportedLink,
  shortUrl: string,
  pages: AsyncIterable<readonly ExportedDay[]> | Iterable<readonly ExportedDay[]>,
  getLabelName: (label: number) => string,
): AsyncGenerator<string, void> {
  yield formatLink(link, shortUrl).slice(0, -1)
  let separator = ',"days":['
  for await (const days of pages) {
    for (const day of days) {
      yield separator + JSON.stringify(unpackDay(day, getLabelName))
      separator = ','
    }
  }
  yield separator === ',' ? ']}\n' : '}\n'
}

/** Returns the link as JSON, without its days. */
function formatLink(link: ExportedLink, shortUrl: string): string {
  return JSON.stringify({
    alias: link.alias,
    domain: link.host ?? undefined,
    shortUrl,
    ...Object.fromEntries(fileFields.map(({ name, toJson }) => [name, toJson(link)])),
    tags: link.tags.length > 0 ? link.tags : undefined,
    createdAt: link.createdAt,
    disabled: link.status === 'disabled' || undefined,
    archived: link.archivedAt !== null || undefined,
    clicks: link.clicks,
    lastClickAt: link.lastClickAt ?? undefined,
    usedClicks: link.usedClicks || undefined,
  })
}

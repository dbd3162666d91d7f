import type { ExportedLink } from '../export.queries.ts'
import { csvLine } from './csv-line.ts'

/** The names of the columns, in the words by which reading knows them again. */
export const CSV_HEADER = csvLine([
  ...['Short URL', 'Alias', 'Domain', 'Long URL', 'Title', 'Tags', 'Created at', 'Expires at'],
  ...['Clicks', 'Disabled', 'Description', 'Rules'],
])

/** One link as a line of CSV. Moments are ISO 8601, in UTC. */
export function csvLineOf(link: ExportedLink, shortUrl: string): string {
  return csvLine([
    shortUrl,
    link.alias,
    link.host ?? '',
    link.url,
    link.title ?? '',
    link.tags.join('|'),
    link.createdAt.toISOString(),
    link.expiresAt?.toISOString() ?? '',
    String(link.clicks),
    link.status === 'disabled' ? 'true' : 'false',
    link.description ?? '',
    link.rules.length > 0 ? JSON.stringify(link.rules) : '',
  ])
}

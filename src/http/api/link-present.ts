import { FIELD_NAMES, FIELDS } from '../../links/fields.ts'
import { type Link, type LinkEntry, toFieldValues } from '../../links/link.ts'
import { titleOf } from '../../links/title.ts'
import { formatTimestamp } from '../timestamp.ts'

/** Returns a link in the form that API lists contain. */
export function presentLinkEntry(link: LinkEntry) {
  return {
    id: link.id,
    alias: link.alias,
    shorturl: link.shortUrl,
    longurl: link.url,
    clicks: link.clicks,
    title: titleOf(link),
    description: link.metaDescription ?? '',
    tags: [...link.tags],
    date: formatTimestamp(link.createdAt),
    ...presentBroken(link),
  }
}

/** Returns the `details` of a link in `GET /api/url/:id`. */
export function presentLinkDetails(link: Link) {
  return {
    id: link.id,
    alias: link.alias,
    shorturl: link.shortUrl,
    longurl: link.url,
    title: titleOf(link),
    description: link.metaDescription ?? '',
    ...presentFields(link),
    tags: [...link.tags],
    status: link.status,
    date: formatTimestamp(link.createdAt),
    ...presentBroken(link),
  }
}

function presentBroken({ broken }: Pick<Link, 'broken'>) {
  return broken && { broken: { ...broken, since: formatTimestamp(broken.since) } }
}

function presentFields(link: Link): Record<string, unknown> {
  const values = toFieldValues(link)
  const entries = FIELD_NAMES.flatMap((name) => {
    const { details } = FIELDS[name]
    if (!details) return []
    const value = details.present ? details.present(values[name]) : values[name]
    return [[details.name, value instanceof Date ? formatTimestamp(value) : value]]
  })
  return Object.fromEntries(entries)
}

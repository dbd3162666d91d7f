import type { Link, LinkEntry } from '../../links/link.ts'
import { formatLinkType } from '../../links/link-type.ts'
import { titleOf } from '../../links/title.ts'
import { countryName } from '../../visitors/country-names.ts'
import { formatTimestamp } from '../timestamp.ts'

/** Returns a link as in lists of the API. */
export function presentLinkEntry(link: LinkEntry) {
  return {
    id: link.id,
    alias: link.alias,
    shorturl: link.shortUrl,
    longurl: link.url,
    clicks: link.clicks,
    title: titleOf(link),
    description: link.meta.description ?? '',
    tags: [...link.tags],
    date: formatTimestamp(link.createdAt),
  }
}

/** Returns a link as in `GET /api/url/:id`. */
export function presentLinkDetails(link: Link) {
  return {
    id: link.id,
    alias: link.alias,
    shorturl: link.shortUrl,
    longurl: link.url,
    title: titleOf(link),
    description: link.meta.description ?? '',
    location: targets(link.geoTargets, countryName),
    device: targets(link.deviceTargets),
    language: targets(link.languageTargets),
    ...(link.rules.length > 0 && {
      rules: link.rules.map(({ when, to }) => ({ when: { ...when }, to })),
    }),
    parameters: link.parameters,
    type: formatLinkType(link),
    tags: [...link.tags],
    password: link.hasPassword,
    status: link.status,
    expiry: link.expiresAt && formatTimestamp(link.expiresAt),
    date: formatTimestamp(link.createdAt),
  }
}

function targets(rows: Link['geoTargets'], name = (key: string) => key): Record<string, string> {
  return Object.fromEntries(rows.map((row) => [name(row.name).toLowerCase(), row.link]))
}

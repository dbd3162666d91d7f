import { unpackDay } from '../../clicks/read.ts'
import type { ExportedDay, ExportedLink } from '../export.queries.ts'

/**
 * Yields one line of an export in parts: the link, then its days one by one. `nameOf` tells the names of
 * the labels that the database numbers.
 */
export async function* jsonlLine(
  link: ExportedLink,
  shortUrl: string,
  pages: AsyncIterable<readonly ExportedDay[]> | Iterable<readonly ExportedDay[]>,
  nameOf: (label: number) => string,
): AsyncGenerator<string, void> {
  yield headOf(link, shortUrl).slice(0, -1)
  let separator = ',"days":['
  for await (const days of pages) {
    for (const day of days) {
      yield separator + JSON.stringify(unpackDay(day, nameOf))
      separator = ','
    }
  }
  yield separator === ',' ? ']}\n' : '}\n'
}

/** The link as an object of JSON, without its days. */
function headOf(link: ExportedLink, shortUrl: string): string {
  const { title, description, image, tags, parameters, geoTargets, deviceTargets } = link
  const { languageTargets, expiresAt, lastClickAt, passwordHash, clicks } = link
  return JSON.stringify({
    alias: link.alias,
    domain: link.host ?? undefined,
    shortUrl,
    url: link.url,
    title: title ?? undefined,
    description: description ?? undefined,
    image: image ?? undefined,
    tags: tags.length > 0 ? tags : undefined,
    createdAt: link.createdAt,
    expiresAt: expiresAt ?? undefined,
    disabled: link.status === 'disabled' || undefined,
    type: link.redirect === 'frame' ? 'frame' : undefined,
    password: passwordHash ?? undefined,
    geoTargets: targets('location', geoTargets),
    deviceTargets: targets('device', deviceTargets),
    languageTargets: targets('language', languageTargets),
    parameters: parameters.length > 0 ? parameters : undefined,
    clicks,
    lastClickAt: lastClickAt ?? undefined,
  })
}

function targets(name: string, rows: ExportedLink['geoTargets']) {
  if (rows.length === 0) return undefined
  return rows.map((row) => ({ [name]: row.name, link: row.link }))
}

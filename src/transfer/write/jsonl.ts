import { deviceName, languageCode } from '../../clicks/encoding/fixed-labels.ts'
import { KIND, unpackCounts, unpackInto } from '../../clicks/encoding/label-counts.ts'
import { HOURS } from '../../clicks/encoding/packed-hours.ts'
import type { ExportedDay, ExportedLink } from '../export.queries.ts'
import type { LabelList } from '../record.ts'

/** Which list the labels of each kind are written to; social networks follow from the referrers. */
const LISTS: Readonly<Record<number, LabelList>> = {
  [KIND.country]: 'countries',
  [KIND.referrer]: 'referrers',
  [KIND.browser]: 'browsers',
  [KIND.os]: 'os',
  [KIND.device]: 'devices',
  [KIND.language]: 'languages',
}
/** What clicks in no known language are counted under. */
const NO_LANGUAGE = 'Unknown'

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
      yield separator + JSON.stringify(dayOf(day, nameOf))
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

function dayOf({ day, clicks, hours, labels }: ExportedDay, nameOf: (label: number) => string) {
  const lists: Partial<Record<LabelList, Record<string, number>>> = {}
  for (const { kind, label, clicks: count } of labels ? unpackCounts(labels) : []) {
    const list = LISTS[kind]
    if (list === undefined) continue
    // A label may be called anything, also `__proto__`.
    const counts = lists[list] ?? Object.create(null)
    lists[list] = counts
    counts[nameIn(list, label, nameOf)] = count
  }
  return { day, clicks, ...(hours && { hours: hoursOf(hours) }), ...lists }
}

function nameIn(list: LabelList, label: number, nameOf: (label: number) => string): string {
  if (list === 'devices') return deviceName(label)
  if (list === 'languages') return languageCode(label) ?? NO_LANGUAGE
  return nameOf(label)
}

/** Clicks by hour; new visitors do not move. */
function hoursOf(packed: Buffer): Record<string, number> {
  const counts = new Map<number, number>()
  unpackInto(packed, counts)
  return Object.fromEntries([...counts].filter(([hour]) => hour < HOURS))
}

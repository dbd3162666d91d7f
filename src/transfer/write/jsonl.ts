import { isDeepStrictEqual } from 'node:util'
import { unpackDay } from '../../clicks/read.ts'
import type { TargetRow } from '../../db/schema/links.ts'
import { FORMS, type Rule, replaceTargets, targetsOf } from '../../links/rules/rule.ts'
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
  const { title, description, image, tags, parameters, rules } = link
  const { expiresAt, lastClickAt, passwordHash, clicks } = link
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
    ...targeting(rules),
    parameters: parameters.length > 0 ? parameters : undefined,
    clicks,
    lastClickAt: lastClickAt ?? undefined,
  })
}

/** Lists of targets, which other programs know; with other rules among them, the rules in their order. */
function targeting(rules: ExportedLink['rules']) {
  const listed = FORMS.reduce<readonly Rule[]>(
    (built, form) => replaceTargets(built, form, targetsOf(rules, form)),
    [],
  )
  if (!isDeepStrictEqual(listed, rules)) return { rules }
  return {
    geoTargets: targets('location', targetsOf(rules, 'country')),
    deviceTargets: targets('device', targetsOf(rules, 'device')),
    languageTargets: targets('language', targetsOf(rules, 'language')),
  }
}

function targets(name: string, rows: readonly TargetRow[]) {
  if (rows.length === 0) return undefined
  return rows.map((row) => ({ [name]: row.name, link: row.link }))
}

import { sql } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Db } from '../db/pool.ts'
import { preparedText } from '../db/prepared.ts'
import { followableHref } from '../target-url.ts'
import type { Overlay, VisitLink } from './link.ts'
import { LINK_COLUMNS } from './link-columns.ts'
import type { Rule } from './rules/rule.ts'
import { shortUrlOf } from './short-url.ts'

/** A link as it is kept in memory, with what says when it must be read again. */
export type KnownLink = VisitLink & {
  accountId: number
  /** The pixels, splash page and overlay that it is made of, each as its kind and id. */
  parts: readonly string[]
}

/** Where a link is looked for: at an alias of a branded domain, or of the service's own (null). */
export type LinkAddress = { domainId: number | null; alias: string }

type Row = Awaited<ReturnType<ReturnType<typeof selectLinks>['execute']>>[number]
/** A link's columns with those of what it refers to. */
export type VisitRow = Omit<Row, 'position'>

/**
 * Makes the function that gives everything that visits of some aliases need, in one read and in their
 * order; null where there is no such link. What many links have alike is one value for all of them,
 * since many are kept. The links of a suspended account are as good as disabled.
 */
export function createFindVisitLinks(db: Db, baseUrl: string) {
  // Building and compiling it takes longer than the database needs for a link.
  const find = preparedText<Row>(selectLinks(db).compile().sql)

  return async (addresses: readonly LinkAddress[]): Promise<(KnownLink | null)[]> => {
    const domains = addresses.map(({ domainId }) => domainId)
    const rows = await find(db, [addresses.map(({ alias }) => alias), domains])
    const links = new Array<KnownLink | null>(addresses.length).fill(null)
    for (const row of rows) links[row.position - 1] = toKnownLink(baseUrl, row)
    return links
  }
}

function selectLinks(db: Db) {
  return db
    .selectFrom(WANTED)
    .innerJoin('links', 'links.alias', 'wanted.alias')
    .innerJoin('accounts', 'accounts.id', 'links.account_id')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select((eb) => [
      ...LINK_COLUMNS,
      'wanted.position',
      'links.kind',
      'links.account_id',
      'links.splash_id',
      'accounts.suspended_at',
      jsonObjectFrom(
        eb
          .selectFrom('splash_pages')
          .select([
            'splash_pages.title',
            'splash_pages.message',
            'splash_pages.image',
            'splash_pages.link',
            'splash_pages.seconds',
          ])
          .whereRef('splash_pages.id', '=', 'links.splash_id'),
      ).as('splash'),
      jsonObjectFrom(
        eb
          .selectFrom('overlays')
          .select([
            'overlays.id',
            'overlays.type',
            'overlays.text',
            'overlays.button',
            'overlays.link',
            'overlays.image',
            'overlays.options',
          ])
          .whereRef('overlays.id', '=', 'links.overlay_id'),
      ).as('overlay'),
      jsonArrayFrom(
        eb
          .selectFrom('link_pixels')
          .innerJoin('pixels', 'pixels.id', 'link_pixels.pixel_id')
          .select(['pixels.id', 'pixels.type', 'pixels.tag'])
          .whereRef('link_pixels.link_id', '=', 'links.id')
          .orderBy('link_pixels.position'),
      ).as('pixels'),
    ])
    .where(sql<boolean>`links.domain_id is not distinct from wanted.domain_id`)
}

/**
 * The arrays are read by a select of their own so that PostgreSQL does not see how long they are: it would
 * take its plan for a few links to be better than the one for any number, and plan it anew each time, which
 * takes ten times as long as the reading.
 */
const WANTED = sql<{ alias: string; domain_id: number | null; position: number }>`
  unnest((select ${[]}::text[]), (select ${[]}::bigint[])) with ordinality`.as<'wanted'>(
  sql`wanted (alias, domain_id, position)`,
)

export function toKnownLink(baseUrl: string, row: VisitRow): KnownLink {
  const href = followableHref(row.url)
  return {
    id: row.id,
    alias: row.alias,
    shortUrl: shortUrlOf(row.origin ?? baseUrl, row.alias),
    url: row.url,
    href: href === row.url ? row.url : href,
    blocked: undefined,
    status: row.suspended_at ? 'disabled' : row.status,
    forwards: row.kind === 'forward',
    redirect: row.redirect,
    expiresAt: row.expires_at,
    passwordHash: row.password_hash,
    rules: shared(row.rules as Rule[]),
    parameters: shared(row.parameters),
    meta: { title: row.meta_title, description: row.meta_description, image: row.meta_image },
    splash: row.splash,
    overlay: row.overlay,
    pixels: shared(row.pixels),
    createdAt: row.created_at,
    accountId: row.account_id,
    parts: shared(partsOf(row)),
  }
}

type Parts = { splash_id: number | null; overlay: Overlay | null; pixels: { id: number }[] }

function partsOf({ splash_id, overlay, pixels }: Parts): string[] {
  return [
    ...(splash_id === null ? [] : [`splash ${splash_id}`]),
    ...(overlay ? [`overlay ${overlay.id}`] : []),
    ...pixels.map(({ id }) => `pixel ${id}`),
  ]
}

const NONE: never[] = []

/** The same empty list for all: a hundred thousand links are kept in memory, and most have none. */
function shared<Entry>(list: Entry[]): Entry[] {
  return list.length > 0 ? list : NONE
}

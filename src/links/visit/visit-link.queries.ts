import { sql } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Entry, Kind, Lookups } from '../../db/local-store.ts'
import type { Db } from '../../db/pool.ts'
import { prepareStatement } from '../../db/prepared.ts'
import { toFollowableHref } from '../../urls/destination-url.ts'
import { addScanMarker } from '../../urls/scan-marker.ts'
import { shortUrlOf } from '../../urls/short-url.ts'
import { compileOwnNames } from '../../visitors/bot-patterns.ts'
import { MOMENT_COLUMNS } from '../fields.ts'
import type { Forwarding } from '../forwarding.ts'
import { LINK_COLUMNS } from '../link.queries.ts'
import type { Lifetime, LinkAddress, Overlay, VisitLink } from '../link.ts'
import type { Rule } from '../rules/rule.ts'
import { prepareSplit } from '../split.ts'

/** A cached link, and the data that determines when it must be read again. */
export type KnownLink = VisitLink & {
  accountId: number
  domainId: number | null
  /** The pixels, splash page and overlay that it uses, each as kind and id. */
  parts: readonly string[]
}

type Row = Awaited<ReturnType<ReturnType<typeof selectLinks>['execute']>>[number]
/** The columns of a link and of everything it refers to. */
export type VisitRow = Omit<Row, 'position'>

/**
 * Creates the function that reads all data needed for visits to links, in the order of the
 * addresses. Unknown links are null. Links share one empty list to save memory. Links of a
 * suspended account are returned as disabled.
 */
export function createFindVisitLinks(db: Db, baseUrl: string) {
  // Building and compiling the query takes longer than executing it for one link.
  const find = prepareStatement<Row>(selectLinks(db).compile().sql)

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
    .selectFrom(REQUESTED_LINKS)
    .innerJoin('links', 'links.alias', 'requested.alias')
    .innerJoin('accounts', 'accounts.id', 'links.account_id')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select((eb) => [
      ...LINK_COLUMNS,
      'requested.position',
      'links.kind',
      'links.account_id',
      'links.domain_id',
      'accounts.suspended_at',
      'accounts.robots',
      'domains.expired_url as domain_expired_url',
      'domains.forward_query as domain_forward_query',
      'domains.forward_path as domain_forward_path',
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
    .where(sql<boolean>`links.domain_id is not distinct from requested.domain_id`)
    .where(sql<boolean>`links.kind <> 'deleted'`)
}

/**
 * Reads the arrays in a subquery to hide their length from PostgreSQL. Otherwise it would prefer a
 * plan for few links and replan each time, which takes ten times as long as reading. The empty
 * arrays are placeholders for the parameters that `createFindVisitLinks` passes.
 */
const REQUESTED_LINKS = sql<{ alias: string; domain_id: number | null; position: number }>`
  unnest((select ${[]}::text[]), (select ${[]}::bigint[])) with ordinality`.as<'requested'>(
  sql`requested (alias, domain_id, position)`,
)

function toKnownLink(baseUrl: string, row: VisitRow): KnownLink {
  const isForward = row.kind === 'forward'
  const url = isForward ? addScanMarker(row.url) : row.url
  const href = toFollowableHref(url)
  return {
    id: row.id,
    alias: row.alias,
    shortUrl: shortUrlOf(row.origin ?? baseUrl, row.alias),
    url,
    // Keeps only one of two equal strings in memory.
    href: href === url ? url : href,
    blockedDestinations: undefined,
    status: row.suspended_at ? 'disabled' : row.status,
    isForward,
    isCode: row.kind === 'qr',
    redirect: row.redirect,
    expiresAt: row.ends_at,
    lifetime: toLifetime(row),
    needsConfirmation: row.confirm,
    split: prepareSplit(row.split),
    forwarding: toForwarding(row),
    passwordHash: row.password_hash,
    rules: shareEmpty(row.rules as Rule[]),
    parameters: shareEmpty(row.parameters),
    meta: { title: row.meta_title, description: row.meta_description, image: row.meta_image },
    splash: row.splash,
    overlay: row.overlay,
    pixels: shareEmpty(row.pixels),
    createdAt: row.created_at,
    findOwnRobot: compileOwnNames(row.robots),
    accountId: row.account_id,
    domainId: row.domain_id,
    parts: shareEmpty(listParts(row)),
  }
}

function toLifetime(row: VisitRow): Lifetime | null {
  const { starts_at: startsAt, ends_at, max_clicks, expired_url, domain_expired_url } = row
  const isLimited = max_clicks !== null
  if (startsAt === null && ends_at === null && !isLimited) return null
  return { startsAt, isLimited, expiredUrl: expired_url ?? domain_expired_url }
}

function toForwarding(row: VisitRow): Forwarding | null {
  const query = row.forward_query ?? row.domain_forward_query ?? false
  const path = row.forward_path ?? row.domain_forward_path ?? false
  return query || path ? { query, path } : null
}

type Parts = { splash_id: number | null; overlay: Overlay | null; pixels: { id: number }[] }

function listParts({ splash_id, overlay, pixels }: Parts): string[] {
  return [
    ...(splash_id === null ? [] : [`splash ${splash_id}`]),
    ...(overlay ? [`overlay ${overlay.id}`] : []),
    ...pixels.map(({ id }) => `pixel ${id}`),
  ]
}

const EMPTY: never[] = []

/**
 * Returns the list, or one shared list if it is empty: 100,000 links may be cached, and most of
 * their lists are empty.
 */
function shareEmpty<Entry>(list: Entry[]): Entry[] {
  return list.length > 0 ? list : EMPTY
}

type LinkValue = {
  account_id: number
  domain_id: number | null
  splash_id: number | null
  overlay_id: number | null
  pixel_ids: number[] | null
  created_at: string
  ends_at: string | null
} & Readonly<Record<string, unknown>>

/** Assembles a link from entries in the local store. Returns undefined if any entry is missing. */
export function findStoredLink(
  { get, find }: Lookups,
  baseUrl: string,
  { domainId, alias }: LinkAddress,
): KnownLink | undefined {
  const link = find('link', `${domainId ?? ''}/${alias}`)
  if (!link) return undefined
  const value = link.value as LinkValue
  const getPart = (kind: Kind, id: number | null) => (id === null ? null : get(kind, id))
  const account = get('account', value.account_id)
  const domain = getPart('domain', value.domain_id)
  const splash = getPart('splash', value.splash_id)
  const overlay = getPart('overlay', value.overlay_id)
  const pixels = value.pixel_ids?.map((id) => get('pixel', id)) ?? []
  if ([account, domain, splash, overlay, ...pixels].includes(undefined)) return undefined
  return toKnownLink(baseUrl, {
    ...value,
    id: link.id,
    alias,
    ...parseMoments(value),
    ends_at: value.ends_at === null ? null : new Date(value.ends_at),
    created_at: new Date(value.created_at),
    suspended_at: account?.value.suspended_at,
    robots: account?.value.robots,
    origin: domain?.value.origin ?? null,
    domain_expired_url: domain?.value.expired_url ?? null,
    domain_forward_query: domain?.value.forward_query ?? null,
    domain_forward_path: domain?.value.forward_path ?? null,
    splash: splash?.value ?? null,
    overlay: overlay && toValueWithId(overlay),
    pixels: pixels.map((pixel) => pixel && toValueWithId(pixel)),
  } as unknown as VisitRow)
}

/** Parses times, which the store contains as text. */
function parseMoments(value: LinkValue): Record<string, Date> {
  const moments = MOMENT_COLUMNS.flatMap((name) => {
    const text = value[name]
    return typeof text === 'string' ? [[name, new Date(text)]] : []
  })
  return Object.fromEntries(moments)
}

function toValueWithId({ id, value }: Entry) {
  return { ...value, id }
}

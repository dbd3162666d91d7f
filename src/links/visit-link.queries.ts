import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { runPrepared } from '../db/prepared.ts'
import { followableHref } from '../target-url.ts'
import type { Overlay, SplashPage, VisitLink } from './link.ts'
import { LINK_COLUMNS } from './link-columns.ts'
import { shortUrlOf } from './short-url.ts'

/** A link as it is kept in memory, with what says when it must be read again. */
export type KnownLink = VisitLink & {
  accountId: number
  /** The pixels, splash page and overlay that it is made of, each as its kind and id. */
  parts: readonly string[]
}

/**
 * Everything that a visit of an alias needs, in one read; null if there is no such link. What many
 * links have alike is one value for all of them, since many are kept. The links of a suspended account
 * are as good as disabled.
 */
export async function findVisitLink(
  db: Db,
  baseUrl: string,
  domainId: number | null,
  alias: string,
): Promise<KnownLink | null> {
  const query = db
    .selectFrom('links')
    .innerJoin('accounts', 'accounts.id', 'links.account_id')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .leftJoin('splash_pages', 'splash_pages.id', 'links.splash_id')
    .leftJoin('overlays', 'overlays.id', 'links.overlay_id')
    .select([
      ...LINK_COLUMNS,
      'links.account_id',
      'links.splash_id',
      'accounts.suspended_at',
      sql<SplashPage | null>`to_jsonb(splash_pages)`.as('splash'),
      sql<Overlay | null>`to_jsonb(overlays)`.as('overlay'),
      sql<{ id: number; type: string; tag: string }[]>`(
        select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'type', p.type, 'tag', p.tag)
                                  order by lp.position), '[]')
        from link_pixels lp join pixels p on p.id = lp.pixel_id where lp.link_id = links.id
      )`.as('pixels'),
    ])
    .where('links.alias', '=', alias)
    .where('links.domain_id', domainId === null ? 'is' : '=', domainId)
    .compile()
  const [row] = await runPrepared(db, query)
  if (!row) return null
  const href = followableHref(row.url)
  return {
    id: row.id,
    alias: row.alias,
    shortUrl: shortUrlOf(row.origin ?? baseUrl, row.alias),
    url: row.url,
    href: href === row.url ? row.url : href,
    status: row.suspended_at ? 'disabled' : row.status,
    redirect: row.redirect,
    expiresAt: row.expires_at,
    passwordHash: row.password_hash,
    geoTargets: shared(row.geo_targets),
    deviceTargets: shared(row.device_targets),
    languageTargets: shared(row.language_targets),
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

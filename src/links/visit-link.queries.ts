import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { Overlay, SplashPage, VisitLink } from './link.ts'
import { shortUrlOf } from './short-url.ts'
import { followableHref } from './target-url.ts'

/** Everything that a visit of an alias needs, in one read; null if there is no such link. */
export async function findVisitLink(
  db: Db,
  baseUrl: string,
  domainId: number | null,
  alias: string,
): Promise<VisitLink | null> {
  const row = await db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .leftJoin('splash_pages', 'splash_pages.id', 'links.splash_id')
    .leftJoin('overlays', 'overlays.id', 'links.overlay_id')
    .selectAll('links')
    .select([
      'domains.origin',
      sql<SplashPage | null>`to_jsonb(splash_pages)`.as('splash'),
      sql<Overlay | null>`to_jsonb(overlays)`.as('overlay'),
      sql<{ type: string; tag: string }[]>`(
        select coalesce(jsonb_agg(jsonb_build_object('type', p.type, 'tag', p.tag)
                                  order by lp.position), '[]')
        from link_pixels lp join pixels p on p.id = lp.pixel_id where lp.link_id = links.id
      )`.as('pixels'),
    ])
    .where('links.alias', '=', alias)
    .where('links.domain_id', domainId === null ? 'is' : '=', domainId)
    .executeTakeFirst()
  if (!row) return null
  return {
    id: row.id,
    alias: row.alias,
    shortUrl: shortUrlOf(row.origin ?? baseUrl, row.alias),
    url: row.url,
    href: followableHref(row.url),
    status: row.status,
    redirect: row.redirect,
    expiresAt: row.expires_at,
    passwordHash: row.password_hash,
    geoTargets: row.geo_targets,
    deviceTargets: row.device_targets,
    languageTargets: row.language_targets,
    parameters: row.parameters,
    meta: { title: row.meta_title, description: row.meta_description, image: row.meta_image },
    splash: row.splash,
    overlay: row.overlay,
    pixels: row.pixels,
    createdAt: row.created_at,
  }
}

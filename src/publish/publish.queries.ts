import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'

/**
 * The properties that determine whether a link is a plain redirect. Boolean properties such as
 * `password` say whether the link has one.
 */
export type StoredLink = {
  /** The id of its branded domain, or 0 for the service's own host. */
  siteId: number
  alias: string
  url: string
  disabled: boolean
  suspended: boolean
  startsAt: Date | null
  endsAt: Date | null
  maxClicks: boolean
  confirm: boolean
  redirect: 'direct' | 'frame' | 'splash' | 'overlay'
  overlay: boolean
  password: boolean
  rules: boolean
  split: boolean
  parameters: boolean
  forwards: boolean
  pixels: boolean
  preview: boolean
}

/** The number of links per query. Each may have a URL of 8 KiB. */
const PAGE_SIZE = 500

/** Returns every branded domain, sorted by host. */
export function readDomains(db: Db) {
  return db
    .selectFrom('domains')
    .select(['id', 'origin', 'redirect_root as root', 'redirect_404 as notFound'])
    .orderBy(sql`host collate "C"`)
    .execute()
}

export async function countLinks(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('links')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('kind', '<>', 'deleted')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Yields every link that visitors can open, including links of QR codes. Links on the service's own
 * host come first. The others are sorted by host, then by alias in ASCII lowercase.
 */
export async function* readLinks(tx: Tx): AsyncGenerator<StoredLink, void> {
  await sql`
    declare published_links no scroll cursor for
    select
      coalesce(links.domain_id, 0) as "siteId",
      links.alias,
      links.url,
      links.status = 'disabled' as disabled,
      accounts.suspended_at is not null as suspended,
      links.starts_at as "startsAt",
      links.ends_at as "endsAt",
      links.max_clicks is not null as "maxClicks",
      links.confirm,
      links.redirect,
      links.overlay_id is not null as overlay,
      links.password_hash is not null as password,
      links.rules <> '[]' as rules,
      links.split <> '[]' as split,
      links.parameters <> '[]' as parameters,
      coalesce(links.forward_query, domains.forward_query, false)
        or coalesce(links.forward_path, domains.forward_path, false) as forwards,
      exists (select from link_pixels where link_pixels.link_id = links.id) as pixels,
      coalesce(links.meta_title, links.meta_description, links.meta_image) is not null as preview
    from links
    join accounts on accounts.id = links.account_id
    left join domains on domains.id = links.domain_id
    where links.kind <> 'deleted'
    order by
      domains.host collate "C" nulls first,
      lower(links.alias collate "C"),
      links.alias collate "C"
  `.execute(tx)
  for (;;) {
    const { rows } =
      await sql<StoredLink>`fetch ${sql.lit(PAGE_SIZE)} from published_links`.execute(tx)
    if (rows.length === 0) return
    yield* rows
  }
}

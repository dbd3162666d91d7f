import type pg from 'pg'
import type { Kind } from '../../db/local-store.ts'
import { LINK_COLUMNS } from '../link.queries.ts'

/** A stored entry. Its value is JSON, without null columns. */
export type StoredEntry = { id: number; name: string | null; value: string }

type Source = {
  table: string
  /** The SQL expression of the name. */
  name: string
  columns: readonly string[]
}

/** The SQL source of each kind of entry. */
const SOURCES: Readonly<Record<Kind, Source>> = {
  blocked_host: { table: 'blocked_hosts', name: 'host', columns: ['subdomains'] },
  account: { table: 'accounts', name: 'null', columns: ['suspended_at', 'robots'] },
  domain: {
    table: 'domains',
    name: 'host',
    columns: [
      'account_id',
      'origin',
      'redirect_root',
      'redirect_404',
      'expired_url',
      'forward_query',
      'forward_path',
      'asset_links',
      'app_site_association',
      'accent',
      'logo',
      'footer',
    ],
  },
  splash: {
    table: 'splash_pages',
    name: 'null',
    columns: ['title', 'message', 'image', 'link', 'seconds'],
  },
  overlay: {
    table: 'overlays',
    name: 'null',
    columns: ['type', 'text', 'button', 'link', 'image', 'options'],
  },
  pixel: { table: 'pixels', name: 'null', columns: ['type', 'tag'] },
  campaign: { table: 'campaigns', name: 'slug', columns: ['account_id'] },
  // The name starts with the campaign's id, so that the links of a campaign can be found by prefix.
  campaign_link: {
    table: 'campaign_links',
    name: `campaign_id || '/' || link_id`,
    columns: ['link_id', 'weight'],
  },
  link: {
    table: `(select * from links where kind <> 'deleted') as links`,
    name: `coalesce(domain_id::text, '') || '/' || alias`,
    columns: [
      ...listOwnLinkColumns(),
      'kind',
      'account_id',
      'domain_id',
      `(select json_agg(pixel_id order by position) from link_pixels
        where link_id = links.id) as pixel_ids`,
    ],
  },
  bio_page: {
    table: 'bio_pages',
    name: 'alias',
    columns: [
      'account_id',
      'title',
      'text',
      'links',
      'theme',
      'color',
      'picture_hash',
      'created_at',
      `encode(picture, 'base64') as picture`,
    ],
  },
}

/**
 * Returns the number of entries to read at once. Bio pages come in smaller batches, because each
 * may have a picture of up to 66 KB.
 */
export function getBatchSize(kind: Kind): number {
  return kind === 'bio_page' ? 100 : 2000
}

/** Returns the columns of a kind. Stored values omit columns that are null. */
export function listColumns(kind: Kind): string[] {
  return SOURCES[kind].columns.map((column) => column.replace(/^.* as /s, ''))
}

/** Returns the SQL query for the entries of a kind. */
export function selectEntries(kind: Kind): string {
  const { table, name, columns } = SOURCES[kind]
  return `select id, (${name})::text as name,
      json_strip_nulls(row_to_json((select value from (select ${columns.join(', ')}) as value)))::text as value
    from ${table}`
}

/** Returns the existing entries with these ids. */
export async function readEntries(
  client: pg.ClientBase,
  kind: Kind,
  ids: readonly number[],
): Promise<StoredEntry[]> {
  const text = `${selectEntries(kind)} where id = any ($1::bigint[])`
  return (await client.query<StoredEntry>(text, [ids])).rows
}

/** Returns the next entries by id. */
export async function readNextEntries(
  client: pg.ClientBase,
  kind: Kind,
  { after, limit }: { after: number; limit: number },
): Promise<StoredEntry[]> {
  const text = `${selectEntries(kind)} where id > $1 order by id limit $2`
  return (await client.query<StoredEntry>(text, [after, limit])).rows
}

/**
 * Returns those of `LINK_COLUMNS` that belong to the link itself and are not part of every entry.
 */
function listOwnLinkColumns(): string[] {
  return LINK_COLUMNS.flatMap((column) => {
    const [table, name = ''] = column.split('.')
    return table === 'links' && name !== 'id' && name !== 'alias' ? [name] : []
  })
}

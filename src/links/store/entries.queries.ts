import type pg from 'pg'
import type { Kind } from '../../db/local-store.ts'
import { LINK_COLUMNS } from '../link-columns.ts'

/** An entry as it is stored: its value as JSON, without the columns that are null. */
export type StoredEntry = { id: number; name: string | null; value: string }

type Source = {
  table: string
  /** SQL for the name. */
  name: string
  columns: readonly string[]
}

/** Where the entries of each kind come from. */
const SOURCES: Readonly<Record<Kind, Source>> = {
  blocked_host: { table: 'blocked_hosts', name: 'host', columns: ['subdomains'] },
  account: { table: 'accounts', name: 'null', columns: ['suspended_at'] },
  domain: {
    table: 'domains',
    name: 'host',
    columns: ['account_id', 'origin', 'redirect_root', 'redirect_404'],
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
  // Named so that those of one campaign are found by what their names begin with.
  campaign_link: {
    table: 'campaign_links',
    name: `campaign_id || '/' || link_id`,
    columns: ['link_id'],
  },
  link: {
    table: 'links',
    name: `coalesce(domain_id::text, '') || '/' || alias`,
    columns: [
      ...ownColumnsOfLinks(),
      ...['kind', 'account_id', 'domain_id', 'splash_id', 'overlay_id'],
      `(select json_agg(pixel_id order by position) from link_pixels
        where link_id = links.id) as pixel_ids`,
    ],
  },
}

/** The columns of a kind, which a stored value lacks where they are null. */
export function columnsOf(kind: Kind): string[] {
  return SOURCES[kind].columns.map((column) => column.replace(/^.* as /s, ''))
}

/** SQL for the entries of a kind. */
export function selectEntries(kind: Kind): string {
  const { table, name, columns } = SOURCES[kind]
  return `select id, (${name})::text as name,
      json_strip_nulls(row_to_json((select value from (select ${columns.join(', ')}) as value)))::text as value
    from ${table}`
}

/** The entries with these ids that there are. */
export async function readEntries(
  client: pg.ClientBase,
  kind: Kind,
  ids: readonly number[],
): Promise<StoredEntry[]> {
  const text = `${selectEntries(kind)} where id = any ($1::bigint[])`
  return (await client.query<StoredEntry>(text, [ids])).rows
}

/** The next entries by id. */
export async function nextEntries(
  client: pg.ClientBase,
  kind: Kind,
  { after, limit }: { after: number; limit: number },
): Promise<StoredEntry[]> {
  const text = `${selectEntries(kind)} where id > $1 order by id limit $2`
  return (await client.query<StoredEntry>(text, [after, limit])).rows
}

/** Those of `LINK_COLUMNS` that are a link's own, but for what an entry has anyway. */
function ownColumnsOfLinks(): string[] {
  return LINK_COLUMNS.flatMap((column) => {
    const [table, name = ''] = column.split('.')
    return table === 'links' && name !== 'id' && name !== 'alias' ? [name] : []
  })
}

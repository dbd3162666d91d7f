import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { own, unscoped } from '../db/account-rows.ts'
import { idArray, textArray } from '../db/arrays.ts'
import { int8Array } from '../db/pg-binary.ts'
import type { Db } from '../db/pool.ts'
import { prepareStatement } from '../db/prepared.ts'
import type { Tx } from '../db/transaction.ts'
import type { AccountScope } from '../scope.ts'
import { RESTRICTIONS, type StoredSettings } from './stored-settings.ts'

/** The identity of a row at its source: its domain and alias there. */
export type SourceKey = { domain: string; alias: string }
/** `historyBytes` is the approximate size of the imported clicks. */
export type ImportedLink = SourceKey & { linkId: number; historyBytes: number }
type Address = { domainId: number | null; alias: string }

/** Returns the account's domains by host. */
export async function findOwnDomains(scope: AccountScope): Promise<ReadonlyMap<string, number>> {
  const rows = await own(scope).selectFrom('domains').select(['id', 'host']).execute()
  return new Map(rows.map(({ id, host }) => [host, id]))
}

/** Returns the hosts that are branded domains of any account. */
export async function findBrandedHosts(
  db: Db,
  hosts: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('domains')
    .select('host')
    .where('host', '=', sql<string>`any(${hosts}::text[])`)
    .execute()
  return new Set(rows.map(({ host }) => host))
}

/**
 * Returns the keys (see `formatSourceKey`) of the rows that have already been imported, with the
 * settings of their links. A link that was deleted has none.
 */
export async function findImportedKeys(
  scope: AccountScope,
  source: string,
  keys: readonly SourceKey[],
): Promise<ReadonlyMap<string, StoredSettings | undefined>> {
  const rows = await own(scope)
    .selectFrom('imported_links')
    .select(['domain', 'alias', 'link_id'])
    .where('source', '=', source)
    .where('alias', '=', sql<string>`any(${textArray(keys.map(({ alias }) => alias))}::text[])`)
    .execute()
  if (rows.length === 0) return new Map()
  const ids = idArray(rows.map(({ link_id: id }) => id))
  const links = await own(scope)
    .selectFrom('links')
    .select(['id', ...RESTRICTIONS])
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('kind', '<>', 'deleted')
    .execute()
  const settings = new Map(links.map(({ id, ...own }) => [id, own]))
  return new Map(rows.map((row) => [formatSourceKey(row), settings.get(row.link_id)]))
}

export function formatSourceKey({ domain, alias }: SourceKey): string {
  return `${domain} ${alias}`
}

/**
 * Returns the alias to record in the key of a row if an earlier row in the file has the same alias,
 * but another destination.
 */
export function createRepeatedAliasKey(alias: string, url: string): string {
  return `${alias} ${createHash('sha256').update(url).digest('base64url')}`
}

/** The length of the row's number in the key of a row of a list. */
export const ROW_DIGITS = 10

/**
 * Returns the key that identifies a row of a list, so that a list that was interrupted resumes. The
 * same list can be shortened again by another import.
 */
export function createRowKey(importId: number, row: number, url: string): SourceKey {
  const digest = createHash('sha256').update(url).digest('base64url').slice(0, 16)
  return { domain: String(importId), alias: `${String(row).padStart(ROW_DIGITS, '0')} ${digest}` }
}

type Importer = { accountId: number; source: string }

const insertImportedStatement = prepareStatement(`
  insert into imported_links (account_id, source, link_id, domain, alias, history_bytes)
  select $1::bigint, $2, link_id, domain, alias, history_bytes
  from unnest($3::bigint[], $4::text[], $5::text[], $6::bigint[]) n (link_id, domain, alias, history_bytes)
  on conflict on constraint imported_links_row_key do nothing`)

/**
 * Records which links were created from the rows. Rows recorded by another import are not changed.
 */
export async function insertImported(
  tx: Tx,
  { accountId, source }: Importer,
  links: readonly ImportedLink[],
): Promise<void> {
  if (links.length > 0) await insertImportedStatement(tx, [accountId, source, ...toColumns(links)])
}

function toColumns(links: readonly ImportedLink[]) {
  return [
    int8Array(links.map(({ linkId }) => linkId)),
    textArray(links.map(({ domain }) => domain)),
    textArray(links.map(({ alias }) => alias)),
    int8Array(links.map(({ historyBytes }) => historyBytes)),
  ]
}

/**
 * Returns the links at these addresses by key (see `toAddressKey`), and possibly other links with
 * the same aliases. Omits links in the account's own trash.
 */
export async function findLinksAt(
  scope: AccountScope,
  addresses: readonly Address[],
): Promise<ReadonlyMap<string, { accountId: number; url: string; settings: StoredSettings }>> {
  if (addresses.length === 0) return new Map()
  const rows = await unscoped(scope)
    .selectFrom('links')
    .select(['domain_id', 'alias', 'account_id', 'url', ...RESTRICTIONS])
    .where(
      'alias',
      '=',
      sql<string>`any(${textArray(addresses.map(({ alias }) => alias))}::text[])`,
    )
    .where(({ eb, or }) =>
      or([eb('kind', '<>', 'deleted'), eb('account_id', '<>', scope.accountId)]),
    )
    .execute()
  return new Map(
    rows.map(({ domain_id: domainId, alias, account_id: accountId, url, ...settings }) => [
      toAddressKey({ domainId, alias }),
      { accountId, url, settings },
    ]),
  )
}

export function toAddressKey({ domainId, alias }: Address): string {
  return `${domainId} ${alias}`
}

import { type Insertable, sql, type Updateable } from 'kysely'
import { readScans, readTotals } from '../clicks/read.ts'
import { own, unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import type { QrCodes } from '../db/tables.generated.ts'
import type { Tx } from '../db/transaction.ts'
import type { AccountScope } from '../scope.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { isEncodedLink } from './code-link.queries.ts'
import { PLAIN_STYLE } from './drawing/style.ts'
import type { QrCode, QrContent, QrDetails } from './qr.ts'

type Columns = Omit<Insertable<QrCodes>, 'id' | 'name' | 'created_at'> & { name: string | null }

/**
 * Creates a code. Without a name, it is named after its id. Returns the id, or undefined if the
 * alias is taken.
 */
export async function insertQrCode(db: Db, code: Columns): Promise<number | undefined> {
  const { account_id, alias, name, type, payload, background, foreground, logo } = code
  const {
    link_id,
    own_link_id,
    dots = PLAIN_STYLE.dots,
    eyes = PLAIN_STYLE.eyes,
    caption = null,
  } = code
  const { rows } = await sql<{ id: number }>`
    with next as materialized (select nextval(pg_get_serial_sequence('qr_codes', 'id')) as id)
    insert into qr_codes
      (id, account_id, alias, name, type, payload, background, foreground, logo, dots, eyes, caption,
       link_id, own_link_id)
    overriding system value
    select id, ${account_id}, ${alias}, coalesce(${name}, 'QR code ' || id), ${type}, ${payload},
           ${background}, ${foreground}, ${logo}::bytea, ${dots}, ${eyes}, ${caption},
           ${link_id}, ${own_link_id}
    from next
    on conflict on constraint qr_codes_alias_key do nothing
    returning id`.execute(db)
  return rows[0]?.id
}

export async function findQrCode(
  scope: AccountScope,
  baseUrl: string,
  id: number,
): Promise<QrCode | undefined> {
  const [code] = await findCodes(scope, baseUrl, [id])
  return code
}

/** Returns a code with its content and style, or undefined if the account has no such code. */
export async function findQrDetails(
  scope: AccountScope,
  baseUrl: string,
  id: number,
): Promise<QrDetails | undefined> {
  const [code] = await findCodes(scope, baseUrl, [id])
  const row = await own(scope)
    .selectFrom('qr_codes')
    .leftJoin('links', 'links.id', 'qr_codes.own_link_id')
    .select(['qr_codes.payload', 'qr_codes.background', 'qr_codes.foreground', 'links.url'])
    .select(['qr_codes.dots', 'qr_codes.eyes', 'qr_codes.caption'])
    .select(sql<boolean>`qr_codes.logo is not null`.as('has_logo'))
    .where('qr_codes.id', '=', id)
    .executeTakeFirst()
  if (!code || !row) return undefined
  const { background, foreground, has_logo: hasLogo, dots, eyes, caption } = row
  const content = toContent(row.payload, row.url ?? code.shortUrl)
  const style = { dots, eyes, caption }
  return { ...code, content, background, foreground, hasLogo, style }
}

/** Returns the logo of a code, null if it has none, or undefined if there is no such code. */
export async function findLogo(
  scope: AccountScope,
  id: number,
): Promise<Buffer | null | undefined> {
  const row = await own(scope)
    .selectFrom('qr_codes')
    .select('logo')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.logo
}

/**
 * Returns the content of a code. A check constraint ensures that there is a payload or a destination.
 */
function toContent(payload: string | null, destination: string | null): QrContent {
  return payload === null
    ? { kind: 'dynamic', destination: destination ?? '' }
    : { kind: 'static', payload }
}

/**
 * Locks a code and returns the values that an update leaves unchanged by default. Returns undefined
 * if the account has no such code.
 */
export async function lockQrCode(scope: AccountScope<Tx>, id: number) {
  const row = await own(scope)
    .selectFrom('qr_codes')
    .select(['background', 'foreground', 'own_link_id'])
    .select(sql<boolean>`logo is not null`.as('has_logo'))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) return undefined
  const { background, foreground, own_link_id: ownLinkId, has_logo: hasLogo } = row
  return { background, foreground, ownLinkId, hasLogo }
}

/** Updates a code that the caller has locked. A null name restores the default name. */
export async function updateQrCode(
  tx: Tx,
  id: number,
  { name, ...changes }: Omit<Updateable<QrCodes>, 'name'> & { name?: string | null },
): Promise<void> {
  await tx
    .updateTable('qr_codes')
    .set({
      ...changes,
      ...(name !== undefined && { name: name ?? sql<string>`'QR code ' || id` }),
    })
    .where('id', '=', id)
    .execute()
}

/**
 * Deletes a code of an account. Returns the id of its internal link, if any, which the caller must
 * delete. Returns undefined if the account has no such code.
 */
export async function deleteQrCode(
  scope: AccountScope<Tx>,
  id: number,
): Promise<{ ownLinkId: number | null } | undefined> {
  const row = await own(scope)
    .deleteFrom('qr_codes')
    .where('id', '=', id)
    .returning('own_link_id')
    .executeTakeFirst()
  return row && { ownLinkId: row.own_link_id }
}

/** Returns the codes with these ids, newest first. Skips ids of other accounts. */
export async function findCodes(
  scope: AccountScope,
  baseUrl: string,
  ids: readonly number[],
): Promise<QrCode[]> {
  if (ids.length === 0) return []
  const rows = await own(scope)
    .selectFrom('qr_codes')
    .leftJoin('links', (join) => join.on(isEncodedLink))
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select(['qr_codes.id', 'qr_codes.alias', 'qr_codes.name', 'qr_codes.type'])
    .select(['qr_codes.link_id', 'qr_codes.own_link_id', 'qr_codes.created_at'])
    .select(['links.alias as link_alias', 'links.meta_title as link_title', 'domains.origin'])
    .where('qr_codes.id', 'in', ids)
    .orderBy('qr_codes.id', 'desc')
    .execute()
  const linkIds = rows.flatMap(({ link_id }) => link_id ?? [])
  const [totals, linkScans] = await Promise.all([
    readTotals(unscoped(scope), linkIds),
    readScans(
      unscoped(scope),
      rows.flatMap(({ link_id, own_link_id }) => (link_id === own_link_id ? [] : (link_id ?? []))),
    ),
  ])
  return rows.map(({ id, alias, name, type, link_id: linkId, ...row }) => {
    const usesAccountLink = linkId !== row.own_link_id
    // All visits of a code's own link are scans, also those from before scans were told apart.
    const clicks = totals.get(linkId ?? 0)?.clicks ?? 0
    return {
      id,
      alias,
      name,
      type,
      linkId,
      usesAccountLink,
      hasOwnLink: row.own_link_id !== null,
      shortUrl: row.link_alias === null ? null : shortUrlOf(row.origin ?? baseUrl, row.link_alias),
      linkTitle: row.link_title,
      scans: usesAccountLink ? (linkScans.get(linkId ?? 0) ?? 0) : clicks,
      createdAt: row.created_at,
    }
  })
}

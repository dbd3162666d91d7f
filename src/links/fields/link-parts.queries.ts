import { own, unscoped } from '../../db/account-rows.ts'
import type { AccountScope } from '../../scope.ts'
import type { LinkParts } from '../link.ts'

/**
 * Returns the parts of an account's link that are stored in other tables, or undefined if there is
 * no such link.
 */
export async function findLinkParts(
  scope: AccountScope,
  id: number,
): Promise<LinkParts | undefined> {
  const rows = await own(scope)
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .leftJoin('link_pixels', 'link_pixels.link_id', 'links.id')
    .select(['domains.host', 'link_pixels.pixel_id'])
    .where('links.id', '=', id)
    .where('links.kind', '=', 'link')
    .orderBy('link_pixels.position')
    .execute()
  const [row] = rows
  return row && { domain: row.host, pixels: rows.flatMap(({ pixel_id }) => pixel_id ?? []) }
}

/**
 * Returns the account and id of the link at an address, if any. Ignores the trash of the account
 * itself.
 */
export function findAliasHolder(
  scope: AccountScope,
  domainId: number | null,
  alias: string,
): Promise<{ id: number; account_id: number } | undefined> {
  return unscoped(scope)
    .selectFrom('links')
    .select(['id', 'account_id'])
    .where('alias', '=', alias)
    .where('domain_id', domainId === null ? 'is' : '=', domainId)
    .where(({ eb, or }) =>
      or([eb('kind', '<>', 'deleted'), eb('account_id', '<>', scope.accountId)]),
    )
    .executeTakeFirst()
}

import type { Db } from '../db/pool.ts'

/**
 * Returns the ids of a channel's links and of the links of its dynamic QR codes, without
 * duplicates. Returns undefined if the account has no such channel.
 */
export async function findChannelLinkIds(
  db: Db,
  accountId: number,
  id: number,
): Promise<number[] | undefined> {
  const rows = await db
    .selectFrom('channels')
    .leftJoin('channel_items', 'channel_items.channel_id', 'channels.id')
    .leftJoin('qr_codes', 'qr_codes.id', 'channel_items.qr_id')
    .select(({ fn }) => fn.coalesce('channel_items.link_id', 'qr_codes.link_id').as('link_id'))
    .distinct()
    .where('channels.account_id', '=', accountId)
    .where('channels.id', '=', id)
    .execute()
  return rows.length === 0 ? undefined : rows.flatMap(({ link_id }) => link_id ?? [])
}

import type { Tx } from '../db/transaction.ts'
import type { LinkStatus } from './link.ts'

/** The link at a place, whoever's it is, locked until the transaction ends. */
export async function findAnyLink(tx: Tx, domainId: number | null, alias: string) {
  return tx
    .selectFrom('links')
    .innerJoin('accounts', 'accounts.id', 'links.account_id')
    .select(['links.id', 'links.url', 'links.status', 'accounts.email'])
    .where('links.alias', '=', alias)
    .where('links.domain_id', domainId === null ? 'is' : '=', domainId)
    .forUpdate('links')
    .executeTakeFirst()
}

export async function setLinkStatus(tx: Tx, id: number, status: LinkStatus): Promise<void> {
  await tx.updateTable('links').set({ status }).where('id', '=', id).execute()
}

import type { BlockList } from '../blocked-hosts/block-list.ts'
import { notify } from '../db/notify.ts'
import { deleteOwned, findOwned, lockOwned, updateOwned } from '../db/owned.queries.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { checkDestination } from '../holds/check-destination.ts'
import type { VisitLinks } from '../links/visit-links.ts'
import { insertSplash, listSplashes, toSplash } from './splash.queries.ts'
import type { SplashPage } from './splash.ts'
import { readChanges, readSplash, type SplashChanges, type SplashInput } from './splash-input.ts'

export type Splashes = ReturnType<typeof createSplashes>

type Dependencies = {
  db: Db
  visitLinks: Pick<VisitLinks, 'invalidatePart'>
  blockList: Pick<BlockList, 'check'>
}

/** Splash pages of accounts, which visitors see before they go on. */
export function createSplashes({ db, visitLinks, blockList }: Dependencies) {
  /** Every process reads the links again that show the page, and no others. */
  async function change(id: number, work: (tx: Tx) => Promise<void>): Promise<void> {
    await inTransaction(db, async (tx) => {
      await work(tx)
      await notify(tx, [{ kind: 'splash', id }])
    })
    visitLinks.invalidatePart({ kind: 'splash', id })
  }

  async function checkLink(accountId: number, link: string | null, before: string | null = null) {
    if (!link) return
    const url = new URL(link)
    await blockList.check('link', url)
    await checkDestination(db, accountId, 'link', url, [before])
  }

  return {
    /** One page of the account's splash pages with the number of all of them. */
    list: (accountId: number, page: PageQuery) => listSplashes(db, accountId, page),

    /** A splash page with all that it shows. @throws AppError `not_found` */
    async get(accountId: number, id: number): Promise<SplashPage> {
      const row = await findOwned(db, 'splash_pages', accountId, id)
      if (!row) throw new AppError('not_found')
      return toSplash(row)
    },

    /** Makes a splash page. @throws AppError `invalid_input` naming the field */
    async add(accountId: number, input: SplashInput): Promise<{ id: number }> {
      const columns = readSplash(input)
      await checkLink(accountId, columns.link)
      return { id: await insertSplash(db, { ...columns, account_id: accountId }) }
    },

    /**
     * Changes what is given; its links show it from the next visit on.
     *
     * @throws AppError `not_found`, `invalid_input` naming the field
     */
    update: (accountId: number, id: number, changes: SplashChanges): Promise<void> =>
      change(id, async (tx) => {
        const before = await lockOwned(tx, 'splash_pages', accountId, id)
        if (!before) throw new AppError('not_found')
        const columns = readChanges(before, changes)
        await checkLink(accountId, columns.link, before.link)
        await updateOwned(tx, 'splash_pages', accountId, id, columns)
      }),

    /** Deletes a splash page; its links show the common one. @throws AppError `not_found` */
    delete: (accountId: number, id: number): Promise<void> =>
      change(id, async (tx) => {
        if (!(await deleteOwned(tx, 'splash_pages', accountId, id))) throw new AppError('not_found')
      }),
  }
}

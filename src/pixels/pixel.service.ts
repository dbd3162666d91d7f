import { notify } from '../db/notify.ts'
import { deleteOwned, findOwned, updateOwned } from '../db/owned.queries.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import type { VisitLinks } from '../links/visit-links.ts'
import { requireText } from '../text.ts'
import { insertPixel, listPixels, toPixel } from './pixel.queries.ts'
import { type Pixel, type PixelInput, parseTag, parseType } from './pixel.ts'

export type Pixels = ReturnType<typeof createPixels>

type Dependencies = { db: Db; visitLinks: Pick<VisitLinks, 'invalidatePart'> }

export const MAX_NAME = 200

/** Pixels of accounts. Their tags are written into pages, so each vendor’s form is checked. */
export function createPixels({ db, visitLinks }: Dependencies) {
  /** Every process reads the links again that fire the pixel, and no others. */
  async function change(id: number, work: (tx: Tx) => Promise<object | undefined>): Promise<void> {
    await inTransaction(db, async (tx) => {
      if (!(await work(tx))) throw new AppError('not_found')
      await notify(tx, [{ kind: 'pixel', id }])
    })
    visitLinks.invalidatePart({ kind: 'pixel', id })
  }

  return {
    /** One page of the account's pixels with the number of all of them. */
    list: (accountId: number, page: PageQuery) => listPixels(db, accountId, page),

    /** A pixel. @throws AppError `not_found` */
    async get(accountId: number, id: number): Promise<Pixel> {
      const row = await findOwned(db, 'pixels', accountId, id)
      if (!row) throw new AppError('not_found')
      return toPixel(row)
    },

    /** Makes a pixel. @throws AppError `invalid_input` naming the field */
    async add(accountId: number, { type, name, tag }: PixelInput): Promise<Pixel> {
      return insertPixel(db, {
        account_id: accountId,
        type: parseType(type),
        name: requireText('name', name, MAX_NAME),
        tag: parseTag(tag),
      })
    },

    /**
     * Changes the tag, and the name if one is given.
     *
     * @throws AppError `not_found`, `invalid_input` naming the field
     */
    async update(
      accountId: number,
      id: number,
      { tag, name }: { tag: string; name?: string },
    ): Promise<void> {
      const changes = {
        tag: parseTag(tag),
        ...(name !== undefined && { name: requireText('name', name, MAX_NAME) }),
      }
      await change(id, (tx) => updateOwned(tx, 'pixels', accountId, id, changes))
    },

    /** Deletes a pixel, also from the links that fire it. @throws AppError `not_found` */
    delete: (accountId: number, id: number): Promise<void> =>
      change(id, (tx) => deleteOwned(tx, 'pixels', accountId, id)),
  }
}

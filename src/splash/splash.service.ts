import { notify } from '../db/notify.ts'
import { deleteOwned } from '../db/owned.queries.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import type { VisitLinks } from '../links/visit-links.ts'
import { parseTargetUrl } from '../target-url.ts'
import { requireText } from '../text.ts'
import { insertSplash, listSplashes } from './splash.queries.ts'

export type Splashes = ReturnType<typeof createSplashes>

/** What an operator says of a new splash page. */
export type SplashInput = {
  name: string
  title: string
  message: string
  image?: string
  link?: string
  /** After how many seconds the page goes on by itself; without them or with 0 it waits. */
  seconds?: number
}

type Dependencies = { db: Db; visitLinks: Pick<VisitLinks, 'invalidatePart'> }

const MAX_SECONDS = 300

export function createSplashes({ db, visitLinks }: Dependencies) {
  return {
    /** One page of the account's splash pages with the number of all of them. */
    list: (accountId: number, page: PageQuery) => listSplashes(db, accountId, page),

    /** Makes a splash page. @throws AppError `invalid_input` naming the field */
    async add(accountId: number, input: SplashInput): Promise<{ id: number }> {
      const { name, title, message, image, link, seconds } = input
      const id = await insertSplash(db, {
        account_id: accountId,
        name: requireText('name', name, 200),
        title: requireText('title', title, 200),
        message: requireText('message', message, 5000),
        image: image ? parseTargetUrl('image', image).href : null,
        link: link ? parseTargetUrl('link', link).href : null,
        seconds: seconds === undefined ? null : checkSeconds(seconds),
      })
      return { id }
    },

    /** Deletes a splash page; its links show the common one. @throws AppError `not_found` */
    async delete(accountId: number, id: number): Promise<void> {
      await inTransaction(db, async (tx) => {
        if (!(await deleteOwned(tx, 'splash_pages', accountId, id))) throw new AppError('not_found')
        await notify(tx, [{ kind: 'splash', id }])
      })
      visitLinks.invalidatePart({ kind: 'splash', id })
    },
  }
}

function checkSeconds(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_SECONDS) return seconds
  throw invalid('seconds', `must be a whole number from 0 to ${MAX_SECONDS}`)
}

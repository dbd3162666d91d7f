import type { BlockList } from '../blocked-hosts/block-list.ts'
import { notify } from '../db/notify.ts'
import { deleteOwned, findOwned, lockOwned, updateOwned } from '../db/owned.queries.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { checkDestination } from '../holds/check-destination.ts'
import type { VisitLinks } from '../links/visit-links.ts'
import {
  countChoices,
  insertAnswer,
  insertOverlay,
  latestAnswers,
  listAnswers,
  listOverlays,
  toOverlay,
} from './overlay.queries.ts'
import type { Answer, Overlay } from './overlay.ts'
import {
  type OverlayChanges,
  type OverlayInput,
  readChanges,
  readOverlay,
} from './overlay-input.ts'

export type Overlays = ReturnType<typeof createOverlays>

type Dependencies = {
  db: Db
  visitLinks: Pick<VisitLinks, 'invalidatePart'>
  blockList: Pick<BlockList, 'check'>
}

const ANSWERS_AT_ONCE = 1000
const MAX_FIELDS = 10
const MAX_FIELD_LENGTH = 5000

/** Overlays of accounts, and what visitors answered. */
export function createOverlays({ db, visitLinks, blockList }: Dependencies) {
  /** Every process reads the links again that show the overlay, and no others. */
  async function change(id: number, work: (tx: Tx) => Promise<void>): Promise<void> {
    await inTransaction(db, async (tx) => {
      await work(tx)
      await notify(tx, [{ kind: 'overlay', id }])
    })
    visitLinks.invalidatePart({ kind: 'overlay', id })
  }

  async function checkLink(accountId: number, link: string | null, before: string | null = null) {
    if (!link) return
    const url = new URL(link)
    await blockList.check('link', url)
    await checkDestination(db, accountId, 'link', url, [before])
  }

  return {
    /** One page of the account's overlays with the number of all of them. */
    list: (accountId: number, page: PageQuery) => listOverlays(db, accountId, page),

    /** An overlay with all that it shows. @throws AppError `not_found` */
    async get(accountId: number, id: number): Promise<Overlay> {
      const row = await findOwned(db, 'overlays', accountId, id)
      if (!row) throw new AppError('not_found')
      return toOverlay(row)
    },

    /** Makes an overlay. @throws AppError `invalid_input` naming the field */
    async add(accountId: number, input: OverlayInput): Promise<{ id: number }> {
      const columns = readOverlay(input)
      await checkLink(accountId, columns.link)
      return { id: await insertOverlay(db, { ...columns, account_id: accountId }) }
    },

    /**
     * Changes what is given; its links show it from the next visit on.
     *
     * @throws AppError `not_found`, `invalid_input` naming the field
     */
    update: (accountId: number, id: number, changes: OverlayChanges): Promise<void> =>
      change(id, async (tx) => {
        const before = await lockOwned(tx, 'overlays', accountId, id)
        if (!before) throw new AppError('not_found')
        const columns = readChanges(before, changes)
        await checkLink(accountId, columns.link, before.link)
        await updateOwned(tx, 'overlays', accountId, id, columns)
      }),

    /** Deletes an overlay with its answers; its links lead on directly. @throws AppError `not_found` */
    delete: (accountId: number, id: number): Promise<void> =>
      change(id, async (tx) => {
        if (!(await deleteOwned(tx, 'overlays', accountId, id))) throw new AppError('not_found')
      }),

    /** Keeps what a visitor sent, cut to what is reasonable and to what the database can hold. */
    recordAnswer: (
      overlayId: number,
      linkId: number,
      answer: Readonly<Record<string, string>>,
    ): Promise<void> => insertAnswer(db, { overlayId, linkId, answer: bounded(answer) }),

    /** The last answers to an overlay, newest first. */
    latestAnswers: (accountId: number, overlayId: number, limit: number): Promise<Answer[]> =>
      latestAnswers(db, accountId, overlayId, limit),

    /** How often each choice of a poll was taken, also of choices that it no longer offers. */
    countChoices: (accountId: number, overlayId: number) => countChoices(db, accountId, overlayId),

    /**
     * All answers to an overlay, oldest first, read as they are consumed.
     *
     * @throws AppError `not_found`
     */
    async *answers(accountId: number, overlayId: number): AsyncGenerator<Answer> {
      if (!(await findOwned(db, 'overlays', accountId, overlayId))) throw new AppError('not_found')
      let after = 0
      while (true) {
        const page = { after, limit: ANSWERS_AT_ONCE }
        const answers = await listAnswers(db, accountId, overlayId, page)
        yield* answers
        if (answers.length < ANSWERS_AT_ONCE) return
        after = answers.at(-1)?.id ?? after
      }
    },
  }
}

function bounded(answer: Readonly<Record<string, string>>): Record<string, string> {
  const clean = (text: string) =>
    text.slice(0, MAX_FIELD_LENGTH).toWellFormed().replaceAll('\0', '')
  return Object.fromEntries(
    Object.entries(answer)
      .slice(0, MAX_FIELDS)
      .map(([name, value]) => [clean(name), clean(value)]),
  )
}

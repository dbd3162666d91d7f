import type { Context, WebContext } from '../context.ts'
import { deleteOwned, findOwned, lockOwned, updateOwned } from '../db/owned.queries.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { checkDestination } from '../holds/hold.service.ts'
import { changeSharedPart } from '../links/shared-part.ts'
import { removeUnstorable } from '../text.ts'
import * as queries from './overlay.queries.ts'
import type { Answer, Overlay } from './overlay.ts'
import {
  type OverlayChanges,
  type OverlayInput,
  readChanges,
  readOverlay,
} from './overlay-input.ts'

/** The maximum number of responses per minute to the overlay of one link from one IP address. */
const ANSWERS_PER_MINUTE = 20

/** The number of responses that are read per query. */
const ANSWER_BATCH = 1000
/** The maximum number of fields of a stored response, and of UTF-16 units per name and value. */
const MAX_FIELDS = 10
const MAX_FIELD_LENGTH = 5000

export function listOverlays(
  db: Db,
  accountId: number,
  page: PageQuery,
): ReturnType<typeof queries.listOverlays> {
  return queries.listOverlays(db, accountId, page)
}

/** Returns an overlay. @throws AppError `not_found` */
export async function getOverlay(db: Db, accountId: number, id: number): Promise<Overlay> {
  const row = await findOwned(db, 'overlays', accountId, id)
  if (!row) throw new AppError('not_found')
  return queries.toOverlay(row)
}

/** Creates an overlay. @throws AppError `invalid_input` naming the field */
export async function addOverlay(
  ctx: Context,
  db: Db,
  accountId: number,
  input: OverlayInput,
): Promise<{ id: number }> {
  const columns = readOverlay(input)
  await ctx.storage.require(db, accountId)
  if (columns.link) await checkDestination(ctx, db, accountId, 'link', new URL(columns.link))
  return { id: await queries.insertOverlay(db, { ...columns, account_id: accountId }) }
}

/**
 * Changes the fields that are set in the input. Visitors of its links see the change immediately.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field
 */
export function updateOverlay(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
  changes: OverlayChanges,
): Promise<void> {
  return changeSharedPart(ctx, db, { kind: 'overlay', id }, async (tx) => {
    const current = await lockOwned(tx, 'overlays', accountId, id)
    if (!current) throw new AppError('not_found')
    await ctx.storage.require(tx, accountId)
    const columns = readChanges(current, changes)
    if (columns.link) {
      const url = new URL(columns.link)
      await checkDestination(ctx, tx, accountId, 'link', url, [current.link])
    }
    await updateOwned(tx, 'overlays', accountId, id, columns)
  })
}

/**
 * Deletes an overlay and its responses. Its links become direct links.
 *
 * @throws AppError `not_found`
 */
export function deleteOverlay(ctx: Context, db: Db, accountId: number, id: number): Promise<void> {
  return changeSharedPart(ctx, db, { kind: 'overlay', id }, async (tx) => {
    if (!(await deleteOwned(tx, 'overlays', accountId, id))) throw new AppError('not_found')
  })
}

/**
 * Stores a visitor's response. Truncates long texts, omits fields above the maximum number, and
 * removes characters that the database cannot store.
 */
export function recordAnswer(
  db: Db,
  overlayId: number,
  linkId: number,
  answer: Readonly<Record<string, string>>,
): Promise<void> {
  return queries.insertAnswer(db, { overlayId, linkId, answer: truncateAnswer(answer) })
}

/** Returns the most recent responses to an overlay, newest first. */
export function listLatestAnswers(
  db: Db,
  accountId: number,
  overlayId: number,
  limit: number,
): Promise<Answer[]> {
  return queries.listLatestAnswers(db, accountId, overlayId, limit)
}

/** Returns the votes per option of a poll, including removed options. */
export function countChoices(
  db: Db,
  accountId: number,
  overlayId: number,
): ReturnType<typeof queries.countChoices> {
  return queries.countChoices(db, accountId, overlayId)
}

/**
 * Yields all responses to an overlay, oldest first, reading them as they are consumed.
 *
 * @throws AppError `not_found`
 */
export async function* readAnswers(
  db: Db,
  accountId: number,
  overlayId: number,
): AsyncGenerator<Answer> {
  if (!(await findOwned(db, 'overlays', accountId, overlayId))) throw new AppError('not_found')
  let after = 0
  while (true) {
    const page = { after, limit: ANSWER_BATCH }
    const answers = await queries.listAnswers(db, accountId, overlayId, page)
    yield* answers
    if (answers.length < ANSWER_BATCH) return
    after = answers.at(-1)?.id ?? after
  }
}

function truncateAnswer(answer: Readonly<Record<string, string>>): Record<string, string> {
  const clean = (text: string) => removeUnstorable(text.slice(0, MAX_FIELD_LENGTH))
  return Object.fromEntries(
    Object.entries(answer)
      .slice(0, MAX_FIELDS)
      .map(([name, value]) => [clean(name), clean(value)]),
  )
}

/**
 * Counts a visitor's response to a link's overlay. Returns the seconds to wait if there were too
 * many.
 */
export function countAnswer(
  ctx: WebContext,
  linkId: number,
  address: string,
): Promise<number | undefined> {
  return ctx.rateLimiter.count(`answer:${linkId}:${ctx.hashAddress(address)}`, ANSWERS_PER_MINUTE)
}

import type { Insertable, Selectable } from 'kysely'
import type { Context } from '../context.ts'
import { deleteOwned, findOwned, listOwned, lockOwned, updateOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { SplashPageTable } from '../db/schema/pages.ts'
import { parseDestinationUrl, parseHttpUrl } from '../destination-url.ts'
import { AppError, invalid } from '../errors.ts'
import { checkDestination } from '../holds/hold.service.ts'
import { changeSharedPart } from '../links/shared-part.ts'
import { requireText } from '../text.ts'

export type SplashEntry = { id: number; name: string; createdAt: Date }

/** A page that visitors of a link see before its destination. */
export type SplashPage = SplashEntry & {
  title: string
  message: string
  image: string | null
  link: string | null
  /** The seconds after which the page redirects. With 0 or null, it waits for the visitor. */
  seconds: number | null
}

/** The properties of a splash page as sent by a client. Null has the same meaning as undefined. */
export type SplashInput = {
  name: string
  title: string
  message: string
  image?: string | null
  link?: string | null
  /**
   * The number of seconds after which the page redirects. With 0, null or undefined, it waits for
   * the visitor.
   */
  seconds?: number | null
}

/** Changes of a splash page. Undefined leaves a field unchanged, null clears it. */
type SplashChanges = { [Field in keyof SplashInput]?: SplashInput[Field] | null }

const MAX_SECONDS = 300

/** Returns a splash page. @throws AppError `not_found` */
export async function getSplash(db: Db, accountId: number, id: number): Promise<SplashPage> {
  const row = await findOwned(db, 'splash_pages', accountId, id)
  if (!row) throw new AppError('not_found')
  return toSplash(row)
}

/** Creates a splash page. @throws AppError `invalid_input` naming the field */
export async function addSplash(
  ctx: Context,
  db: Db,
  accountId: number,
  input: SplashInput,
): Promise<{ id: number }> {
  const columns = readSplash(input)
  await ctx.storage.require(db, accountId)
  if (columns.link) await checkDestination(ctx, db, accountId, 'link', new URL(columns.link))
  return { id: await insertSplash(db, { ...columns, account_id: accountId }) }
}

/**
 * Changes the fields that are set in the input. Visitors of its links see the change immediately.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field
 */
export function updateSplash(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
  changes: SplashChanges,
): Promise<void> {
  return changeSharedPart(ctx, db, { kind: 'splash', id }, async (tx) => {
    const current = await lockOwned(tx, 'splash_pages', accountId, id)
    if (!current) throw new AppError('not_found')
    await ctx.storage.require(tx, accountId)
    const columns = readChanges(current, changes)
    if (columns.link) {
      const url = new URL(columns.link)
      await checkDestination(ctx, tx, accountId, 'link', url, [current.link])
    }
    await updateOwned(tx, 'splash_pages', accountId, id, columns)
  })
}

/**
 * Deletes a splash page. Its links then show the default one.
 *
 * @throws AppError `not_found`
 */
export function deleteSplash(ctx: Context, db: Db, accountId: number, id: number): Promise<void> {
  return changeSharedPart(ctx, db, { kind: 'splash', id }, async (tx) => {
    if (!(await deleteOwned(tx, 'splash_pages', accountId, id))) throw new AppError('not_found')
  })
}

async function insertSplash(db: Db, values: Insertable<SplashPageTable>): Promise<number> {
  const { id } = await db
    .insertInto('splash_pages')
    .values(values)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function listSplashes(
  db: Db,
  accountId: number,
  page: PageQuery,
): Promise<Page<SplashEntry>> {
  const columns = ['id', 'name', 'created_at'] as const
  const { entries, total } = await listOwned(db, 'splash_pages', columns, accountId, page)
  return {
    entries: entries.map(({ created_at: createdAt, ...entry }) => ({ ...entry, createdAt })),
    total,
  }
}

function toSplash(row: Selectable<SplashPageTable>): SplashPage {
  const { id, name, title, message, image, link, seconds, created_at: createdAt } = row
  return { id, name, title, message, image, link, seconds, createdAt }
}

/**
 * Validates a splash page and returns its columns.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function readSplash({ name, title, message, image, link, seconds }: SplashInput) {
  return {
    name: requireText('name', name, 200),
    title: requireText('title', title, 200),
    message: requireText('message', message, 5000),
    image: image ? parseHttpUrl('image', image).href : null,
    link: link ? parseDestinationUrl('link', link).href : null,
    seconds: seconds == null ? null : checkSeconds(seconds),
  }
}

/**
 * Applies changes and validates the result like a new splash page.
 *
 * @throws AppError `invalid_input` naming the field
 */
function readChanges(current: SplashInput, changes: SplashChanges) {
  const { name = current.name, title = current.title, message = current.message, ...rest } = changes
  return readSplash({
    ...current,
    ...rest,
    name: name ?? '',
    title: title ?? '',
    message: message ?? '',
  })
}

function checkSeconds(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_SECONDS) return seconds
  throw invalid('seconds', 'whole_number_range', { min: 0, max: MAX_SECONDS })
}

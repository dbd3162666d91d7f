import type { Insertable, Selectable } from 'kysely'
import type { Context } from '../context.ts'
import { deleteOwned, findOwned, listOwned, lockOwned, updateOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import type { SplashPageTable } from '../db/schema/pages.ts'
import { AppError } from '../errors.ts'
import { checkDestination } from '../holds/hold.service.ts'
import { changeSharedPart } from '../links/shared-part.ts'
import type { SplashEntry, SplashPage } from './splash.ts'
import { readChanges, readSplash, type SplashChanges, type SplashInput } from './splash-input.ts'

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

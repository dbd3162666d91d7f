import { own } from '../db/account-rows.ts'
import type { AccountScope } from '../scope.ts'

/** Kinds of undo actions. */
const UNDO_ACTIONS = [
  'tag',
  'untag',
  'enable',
  'disable',
  'archive',
  'unarchive',
  'restore',
  'delete',
  'campaign',
  'uncampaign',
] as const

export type UndoAction = (typeof UNDO_ACTIONS)[number]

/** An undo action. `value` is the tag or campaign, if any. */
export type Undo = { action: UndoAction; value: string; ids: number[] }

/** Stores an account's undo action and returns its id. */
export async function recordUndo(
  scope: AccountScope,
  { action, value, ids }: Undo,
): Promise<number> {
  const { id } = await scope.db
    .insertInto('undo_actions')
    .values({ account_id: scope.accountId, action, value, link_ids: ids })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Deletes an undo action and returns it, or undefined if it was already used. */
export async function consumeUndo(scope: AccountScope, id: number): Promise<Undo | undefined> {
  const row = await own(scope)
    .deleteFrom('undo_actions')
    .where('id', '=', id)
    .returning(['action', 'value', 'link_ids'])
    .executeTakeFirst()
  const action = UNDO_ACTIONS.find((each) => each === row?.action)
  return row && action && { action, value: row.value, ids: row.link_ids }
}

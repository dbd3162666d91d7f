import type { Db } from '../db/pool.ts'
import * as queries from './undo.queries.ts'

/** A kind of undo action for links. */
export type UndoAction = queries.UndoAction
export type Undo = queries.Undo

/** Stores an account's undo action for a day and returns its id. */
export function recordUndo(db: Db, accountId: number, undo: Undo): Promise<number> {
  return queries.insertUndo(db, accountId, undo)
}

/** Deletes an undo action and returns it, or undefined if it was already used. */
export function consumeUndo(db: Db, accountId: number, id: number): Promise<Undo | undefined> {
  return queries.consumeUndo(db, accountId, id)
}

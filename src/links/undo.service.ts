import type { Db } from '../db/pool.ts'
import * as queries from './undo.queries.ts'

/** An action that takes back a change of links. */
export type UndoAction = queries.UndoAction
export type Undo = queries.Undo

/** Stores what takes a change of an account back, for a day, and returns its id. */
export function recordUndo(db: Db, accountId: number, undo: Undo): Promise<number> {
  return queries.insertUndo(db, accountId, undo)
}

/** Removes what takes a change back and returns it; undefined if it was used already. */
export function takeUndo(db: Db, accountId: number, id: number): Promise<Undo | undefined> {
  return queries.takeUndo(db, accountId, id)
}

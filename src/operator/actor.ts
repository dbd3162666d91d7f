import type { Tx } from '../db/transaction.ts'
import { requireAdmin } from '../people/admin.service.ts'
import { COMMAND_LINE } from './operator-log.service.ts'

/**
 * Requires that an actor, an email or the command line, may still act as an admin.
 *
 * @throws AppError `forbidden`
 */
export async function requireActor(tx: Tx, actor: string): Promise<void> {
  if (actor !== COMMAND_LINE) await requireAdmin(tx, actor)
}

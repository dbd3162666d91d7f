import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { requireAdmin } from '../identity/admin.service.ts'
import { COMMAND_LINE } from '../operator-log/operator-log.service.ts'

/**
 * Runs an admin's action in one transaction. The actor must be the command line, or the email
 * address of a current admin.
 *
 * @throws AppError `forbidden`
 */
export function inAdminTransaction<Result>(
  db: Db,
  actor: string,
  run: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return inTransaction(db, async (tx) => {
    if (actor !== COMMAND_LINE) await requireAdmin(tx, actor)
    return run(tx)
  })
}

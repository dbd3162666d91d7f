import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Holds } from '../holds/hold.service.ts'
import type { HeldLink, HoldDecision } from '../holds/hold.ts'
import type { OperatorLog } from './operator-log.ts'

export type HoldActs = ReturnType<typeof createHoldActs>

type Features = { holds: Pick<Holds, 'decide'>; operatorLog: Pick<OperatorLog, 'record'> }

/** Decisions about held links, each with its line in the log or not at all. */
export function createHoldActs({ db, bind }: { db: Db; bind: (tx: Tx) => Features }) {
  return {
    /** @throws AppError `not_found` where another admin was faster */
    decide: (actor: string, id: number, decision: HoldDecision): Promise<HeldLink> =>
      inTransaction(db, async (tx) => {
        const { holds, operatorLog } = bind(tx)
        const held = await holds.decide(id, decision, actor)
        const detail = `Deleted by ${held.account.username}`
        await operatorLog.record({
          actor,
          action: `hold.${decision}`,
          subject: held.shortUrl,
          detail,
        })
        return held
      }),
  }
}

import type { BlockedHosts, BlockRequest } from '../blocked-hosts/blocked-host.service.ts'
import type { BlockedHost } from '../blocked-hosts/blocked-host.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { OperatorLog } from './operator-log.ts'

export type HostActs = ReturnType<typeof createHostActs>

type Features = {
  blockedHosts: Pick<BlockedHosts, 'block' | 'unblock'>
  operatorLog: Pick<OperatorLog, 'record'>
}

/** Changes of the list of blocked hosts, each with its line in the log or not at all. */
export function createHostActs({ db, bind }: { db: Db; bind: (tx: Tx) => Features }) {
  return {
    /** @throws AppError `invalid_input` naming `host` or `reason` */
    block: (actor: string, request: Omit<BlockRequest, 'by'>): Promise<BlockedHost> =>
      inTransaction(db, async (tx) => {
        const { blockedHosts, operatorLog } = bind(tx)
        const blocked = await blockedHosts.block({ ...request, by: actor })
        const { reason: detail } = blocked
        await operatorLog.record({ actor, action: 'host.block', subject: nameOf(blocked), detail })
        return blocked
      }),

    /** @throws AppError `invalid_input` naming `host`, `not_found` */
    unblock: (actor: string, host: string): Promise<BlockedHost> =>
      inTransaction(db, async (tx) => {
        const { blockedHosts, operatorLog } = bind(tx)
        const unblocked = await blockedHosts.unblock(host)
        await operatorLog.record({ actor, action: 'host.unblock', subject: nameOf(unblocked) })
        return unblocked
      }),
  }
}

/** A host as people write it who mean what is below it too. */
function nameOf({ host, subdomains }: BlockedHost): string {
  return subdomains ? `*.${host}` : host
}

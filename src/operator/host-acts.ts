import type { BlockedHosts, BlockRequest } from '../blocked-hosts/blocked-host.service.ts'
import type { BlockedHost } from '../blocked-hosts/blocked-host.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import type { LinkModeration } from '../links/link-moderation.ts'
import { hostsOf } from '../links/link-targets.ts'
import type { OperatorLog } from './operator-log.ts'

export type HostActs = ReturnType<typeof createHostActs>

type Features = {
  blockedHosts: Pick<BlockedHosts, 'block' | 'find' | 'unblock'>
  moderation: Pick<LinkModeration, 'find'>
  operatorLog: Pick<OperatorLog, 'record'>
}

/** Characters of a reason. */
const LONGEST_REASON = 200

/** Changes of the list of blocked hosts, each with its line in the log or not at all. */
export function createHostActs({ db, bind }: { db: Db; bind: (tx: Tx) => Features }) {
  return {
    /** @throws AppError `invalid_input` naming `host` or `reason` */
    block: (actor: string, request: Omit<BlockRequest, 'by'>): Promise<BlockedHost> =>
      inTransaction(db, (tx) => block(bind(tx), actor, request)),

    /**
     * Blocks a host that the link at a short URL leads to. Its subdomains stay blocked where they are.
     *
     * @throws AppError `invalid_input` naming `url`, `not_found`, `link_changed` where it leads elsewhere
     */
    blockOfLink: (actor: string, shortUrl: string, host: string): Promise<BlockedHost> =>
      inTransaction(db, async (tx) => {
        const features = bind(tx)
        const link = await features.moderation.find(shortUrl)
        if (!hostsOf(link.targets).includes(host)) throw new AppError('link_changed')
        const { subdomains = false } = (await features.blockedHosts.find(host)) ?? {}
        const reason = `Led to by ${link.shortUrl}`.slice(0, LONGEST_REASON)
        return block(features, actor, { host, subdomains, reason })
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

async function block(
  { blockedHosts, operatorLog }: Pick<Features, 'blockedHosts' | 'operatorLog'>,
  actor: string,
  request: Omit<BlockRequest, 'by'>,
): Promise<BlockedHost> {
  const blocked = await blockedHosts.block({ ...request, by: actor })
  const { reason: detail } = blocked
  await operatorLog.record({ actor, action: 'host.block', subject: nameOf(blocked), detail })
  return blocked
}

/** A host as people write it who mean what is below it too. */
function nameOf({ host, subdomains }: BlockedHost): string {
  return subdomains ? `*.${host}` : host
}

import type { BlockedHosts } from '../blocked-hosts/blocked-host.service.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import type { Holds } from '../holds/hold.service.ts'
import { digestOf, hostsOf } from '../links/link-targets.ts'
import type { Reports } from '../reports/report.service.ts'
import type { LinkReport, Verdict } from '../reports/report.ts'
import { REPORT_REASONS } from '../reports/report.ts'
import type { OperatorActs } from './acts.ts'
import type { HostActs } from './host-acts.ts'
import type { OperatorLog } from './operator-log.ts'

export type ReportActs = ReturnType<typeof createReportActs>

type Features = {
  reports: Pick<Reports, 'take' | 'settle'>
  operatorLog: Pick<OperatorLog, 'record'>
  acts: Pick<OperatorActs, 'setLinkStatus' | 'setSuspended'>
  hostActs: Pick<HostActs, 'block'>
  blockedHosts: Pick<BlockedHosts, 'find'>
  holds: Pick<Holds, 'freeReviewed'>
}

/**
 * What the operator makes of reports: the decision, what it does and its line in the log, all or nothing.
 * `bind` gives the features on a transaction.
 */
export function createReportActs({ db, bind }: { db: Db; bind: (tx: Tx) => Features }) {
  return {
    /**
     * Settles the reports of a link in one step. What is done of it is told to the link's owner as it is when
     * it is done without reports.
     *
     * @throws AppError `not_found` where somebody has settled them, `forbidden` for the actor's own account,
     *   `link_changed` where the link leads elsewhere than what was seen, `invalid_input` naming `host`
     */
    decide: (actor: string, id: number, verdict: Verdict): Promise<LinkReport> =>
      inTransaction(db, async (tx) => {
        const features = bind(tx)
        const report = await features.reports.take(id)
        // Whoever owns the link could have the operator block or let pass what nobody looked at.
        if (verdict.seen !== digestOf(report.link.targets)) throw new AppError('link_changed')
        await carryOut(features, actor, report, verdict)
        await features.reports.settle(report, verdict.decision, actor)
        const { link, account } = report
        await features.holds.freeReviewed(
          verdict.decision === 'suspend' ? { accountId: account.id } : { linkId: link.id },
        )
        return report
      }),
  }
}

async function carryOut(
  { acts, hostActs, blockedHosts, operatorLog }: Features,
  actor: string,
  report: LinkReport,
  { decision, host }: Verdict,
): Promise<void> {
  const { link, account } = report
  const reason = `Reported by visitors: ${countsOf(report)}`
  switch (decision) {
    case 'disable':
      await acts.setLinkStatus(actor, link.shortUrl, 'disabled', reason)
      return
    case 'block': {
      if (host === undefined || !hostsOf([...link.targets, ...link.formerTargets]).includes(host)) {
        throw invalid('host', 'must be one that the link leads to')
      }
      // Its subdomains stay blocked where they are.
      const { subdomains = false } = (await blockedHosts.find(host)) ?? {}
      await hostActs.block(actor, { host, subdomains, reason })
      return
    }
    case 'suspend':
      await acts.setSuspended(actor, account.id, true, reason)
      return
    case 'dismiss': {
      const line = { actor, action: 'report.dismiss', subject: link.shortUrl } as const
      await operatorLog.record({ ...line, detail: countsOf(report) })
      return
    }
    default:
      decision satisfies never
  }
}

/** How often each reason was given: `2 phishing, 1 spam`. */
function countsOf({ counts }: LinkReport): string {
  const given = REPORT_REASONS.filter((reason) => counts[reason] > 0)
  return given.map((reason) => `${counts[reason]} ${reason}`).join(', ')
}

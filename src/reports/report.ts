import type { LinkStatus } from '../links/link.ts'

/** What visitors may report of a link. */
export const REPORT_REASONS = ['phishing', 'malware', 'spam', 'other'] as const

export type ReportReason = (typeof REPORT_REASONS)[number]

/** What the operator may make of the reports of a link. */
export const DECISIONS = ['disable', 'block', 'suspend', 'dismiss'] as const

export type Decision = (typeof DECISIONS)[number]

/** How reports were settled: by a decision about their link, or about what is held of a deleted one. */
export type Settlement = Decision | 'confirm' | 'release'

/** A decision about what was looked at, which may have been changed since. */
export type Verdict = {
  decision: Decision
  /** The digest of the targets that were shown. */
  seen: string
  /** Which of their hosts is to be blocked, for the decision that blocks one. */
  host?: string | undefined
}

/** Something that a reporter wrote. */
export type ReportText = { reason: ReportReason; text: string; at: Date }

/** All reports of a link since it was last looked at. */
export type LinkReport = {
  id: number
  link: {
    id: number
    shortUrl: string
    /** Everything that its visitors may be led to, its own target first. */
    targets: readonly string[]
    /** What it led to when it was reported, and no longer does. */
    formerTargets: readonly string[]
    /** Null once it is deleted. */
    status: LinkStatus | null
    /** Whether the hosts that it leads to are blocked. */
    blocked: 'all' | 'some' | 'none'
  }
  account: { id: number; username: string; suspended: boolean }
  /** How often each reason was given. */
  counts: Record<ReportReason, number>
  /** The latest of what reporters wrote, the newest first. */
  texts: readonly ReportText[]
  firstAt: Date
  lastAt: Date
  settled: { at: Date; decision: Settlement; by: string } | null
}

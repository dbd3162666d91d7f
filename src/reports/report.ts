import type { LinkStatus } from '../links/link.ts'

/** The reasons that visitors can select when they report a link. */
export const REPORT_REASONS = ['phishing', 'malware', 'spam', 'other'] as const

export type ReportReason = (typeof REPORT_REASONS)[number]

/** The decisions that an admin can make on the reports of a link. */
export const DECISIONS = ['disable', 'block', 'suspend', 'dismiss'] as const

export type Decision = (typeof DECISIONS)[number]

/**
 * How reports were settled: by a decision on their link, or by one on the held data of a deleted
 * link.
 */
export type Settlement = Decision | 'confirm' | 'release'

/** A decision about the destinations that the admin has seen. They may have changed since then. */
export type Verdict = {
  decision: Decision
  /** The hash of the destinations that were shown. */
  seen: string
  /** The host to block, for the decision `block`. */
  host?: string | undefined
}

/** A reporter's comment. */
export type ReportText = { reason: ReportReason; text: string; at: Date }

/** All reports of a link since the last decision. */
export type LinkReport = {
  id: number
  link: {
    id: number
    shortUrl: string
    /** All destinations to which visitors may be sent, the link's main one first. */
    destinations: readonly string[]
    /** Destinations at the time of the report that are no longer current. */
    formerDestinations: readonly string[]
    /** Null if the link has been deleted. */
    status: LinkStatus | null
    /** How many of its destinations are on blocked hosts. */
    blocked: 'all' | 'some' | 'none'
  }
  account: { id: number; username: string; suspended: boolean }
  /** The counts per reason. */
  counts: Record<ReportReason, number>
  /** The latest comments, newest first. */
  texts: readonly ReportText[]
  firstAt: Date
  lastAt: Date
  settled: { at: Date; decision: Settlement; by: string } | null
}

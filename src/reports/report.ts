import type { LinkStatus } from '../links/link.ts'

/** What visitors may report of a link. */
export const REPORT_REASONS = ['phishing', 'malware', 'spam', 'other'] as const

export type ReportReason = (typeof REPORT_REASONS)[number]

/** What the operator may make of the reports of a link. */
export const DECISIONS = ['disable', 'block', 'suspend', 'dismiss'] as const

export type Decision = (typeof DECISIONS)[number]

/** Something that a reporter wrote. */
export type ReportText = { reason: ReportReason; text: string; at: Date }

/** All reports of a link since it was last looked at. */
export type LinkReport = {
  id: number
  /** `blocked` says that the host it leads to is. */
  link: { id: number; shortUrl: string; url: string; status: LinkStatus; blocked: boolean }
  account: { id: number; username: string; suspended: boolean }
  /** How often each reason was given. */
  counts: Record<ReportReason, number>
  /** The latest of what reporters wrote, the newest first. */
  texts: readonly ReportText[]
  firstAt: Date
  lastAt: Date
  settled: { at: Date; decision: Decision; by: string } | null
}

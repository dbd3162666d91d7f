import type { ReportReason, ReportText } from '../reports/report.ts'

/** An admin's decision on a deleted link's reservations: keep them permanently, or release them. */
export const HOLD_DECISIONS = ['confirm', 'release'] as const

export type HoldDecision = (typeof HOLD_DECISIONS)[number]

/** A deleted link with reserved aliases and destinations. */
export type HeldLink = {
  /** The id of the deleted link. */
  id: number
  /** Its last short URL. */
  shortUrl: string
  /** Its earlier aliases with their hosts, which are also reserved. */
  formerAliases: readonly string[]
  destinations: readonly string[]
  account: { id: number; username: string; exists: boolean }
  createdAt: Date
  deletedAt: Date
  /** When and why an admin disabled it, or null if it was only reported. */
  disabled: { at: Date; reason: string | null } | null
  /**
   * Visitors' reports, newest first. There are several if it was reported again after a decision.
   */
  reports: readonly HeldReport[]
  /** Null until an admin decides. */
  confirmed: { at: Date; by: string } | null
}

export type HeldReport = {
  counts: Record<ReportReason, number>
  texts: readonly ReportText[]
  firstAt: Date
  lastAt: Date
}

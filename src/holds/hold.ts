import type { ReportReason, ReportText } from '../reports/report.ts'

/**
 * An admin's decision on the reservations of a deleted link: keep them permanently, or release
 * them.
 */
export const HOLD_DECISIONS = ['confirm', 'release'] as const

export type HoldDecision = (typeof HOLD_DECISIONS)[number]

/** A deleted link whose aliases and destinations are reserved. */
export type HeldLink = {
  /** The id of the deleted link. */
  id: number
  /** Its last short URL. */
  shortUrl: string
  /** Its earlier aliases with their hosts. They are reserved too. */
  formerAliases: readonly string[]
  destinations: readonly string[]
  account: { id: number; username: string; exists: boolean }
  createdAt: Date
  deletedAt: Date
  /** When and why an admin disabled the link, or null if it was only reported. */
  disabled: { at: Date; reason: string | null } | null
  /**
   * The reports by visitors, newest first. There are several if the link was reported again after a
   * decision.
   */
  reports: readonly HeldReport[]
  /** Set once an admin has confirmed the hold. */
  confirmed: { at: Date; by: string } | null
}

export type HeldReport = {
  counts: Record<ReportReason, number>
  texts: readonly ReportText[]
  firstAt: Date
  lastAt: Date
}

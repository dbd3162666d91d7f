import type { ReportReason, ReportText } from '../reports/report.ts'

/** What an admin may do with what is reserved for a deleted link: keep it so for good, or free it. */
export const HOLD_DECISIONS = ['confirm', 'release'] as const

export type HoldDecision = (typeof HOLD_DECISIONS)[number]

/** A deleted link whose aliases and destinations are reserved. */
export type HeldLink = {
  /** That of the deleted link. */
  id: number
  /** Its short URL when it was deleted. */
  shortUrl: string
  /** Its earlier aliases, each with its host, that are reserved as well. */
  formerAliases: readonly string[]
  destinations: readonly string[]
  account: { id: number; username: string; exists: boolean }
  createdAt: Date
  deletedAt: Date
  /** When and why an admin disabled it; null if it was only reported. */
  disabled: { at: Date; reason: string | null } | null
  /** What visitors reported, the newest first: of several rounds where it was reported again. */
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

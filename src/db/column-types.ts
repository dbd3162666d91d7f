import type { ColumnType } from 'kysely'

// What a database does not know about its columns. `npm run tables` refers to these types.

/** A moment that is now by default. It is not updated, with the exceptions below. */
export type DefaultNow<Name extends string> = ColumnType<
  Date,
  Date | undefined,
  Name extends UpdatedMoments ? Date : never
>

type UpdatedMoments =
  | 'idempotency_keys.created_at'
  | 'imports.started_at'
  | 'imports.updated_at'
  | 'journal_positions.updated_at'
  | 'link_known_visitors.seen_at'
  | 'members.created_at'

/** A JSON column: written as JSON text, read as a parsed value. */
export type JsonColumn<Name extends keyof JsonShapes> = ColumnType<JsonShapes[Name], string, string>

/** The shapes of JSON columns. */
type JsonShapes = {
  'bio_pages.links': BioLink[]
  'account_uncounted_days.visits': StoredVisits
  'deleted_links.parts': unknown
  'imports.counts': Record<string, number>
  'imports.options': Record<string, string>
  'link_reports.texts': StoredReportText[]
  'link_versions.changes': object
  'links.parameters': StoredParameter[]
  'links.rules': StoredRule[]
  'links.split': StoredVariant[]
  'oauth_records.payload': Record<string, unknown>
  'overlay_answers.answer': Record<string, string>
  'overlays.options': string[]
  'uncounted_days.visits': StoredVisits
  'utm_templates.values': object
  'webhook_messages.data': Record<string, unknown>
}

/** Visits that do not count, by kind and name. See `clicks/encoding/uncounted-visits.ts`. */
type StoredVisits = Record<string, Record<string, number>>

/** A stored rule. See `links/rules/rule.ts`. */
export type StoredRule = { when: object; to: string }

/** An entry of a split. See `links/split.ts`. */
export type StoredVariant = { to: string; weight: number }

export type StoredParameter = { name: string; value: string }

/**
 * A button. `linkId` is the link that counts its clicks, if there is one. `alias` is set if that
 * link belongs to the page.
 */
export type BioLink = { title: string; url: string; linkId?: number; alias?: string }

type StoredReportText = {
  reason: 'phishing' | 'malware' | 'spam' | 'other'
  text: string
  /** ISO 8601. */
  at: string
}

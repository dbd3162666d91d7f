import type { Selectable } from 'kysely'
import type { Links } from '../db/tables.generated.ts'
import type { Problem } from '../errors.ts'
import type { LinkRow } from '../links/insert-links.queries.ts'

/** The columns of a link that restrict it. */
export const RESTRICTIONS = [
  'status',
  'archived_at',
  'password_hash',
  'starts_at',
  'expires_at',
  'max_clicks',
  'confirm',
  'rules',
  'split',
] as const

export type StoredSettings = Pick<Selectable<Links>, (typeof RESTRICTIONS)[number]>

/** The existing link would stay less restricted than the row says. */
export const LACKS_RESTRICTION: Problem = { key: 'rowProblems.existing_settings' }

/**
 * Returns whether an existing link lacks a restriction of a row with the same alias and destination.
 * Restrictions that only the link has are the user's.
 */
export function lacksRestriction(stored: StoredSettings, row: LinkRow): boolean {
  const { starts_at: start, expires_at: end, max_clicks: limit } = row
  return (
    (row.status === 'disabled' && stored.status !== 'disabled') ||
    (row.archived_at != null && stored.archived_at === null) ||
    (row.password_hash != null && stored.password_hash === null) ||
    (row.confirm === true && !stored.confirm) ||
    (start != null && !(stored.starts_at && stored.starts_at >= start)) ||
    (end != null && !(stored.expires_at && stored.expires_at <= end)) ||
    (limit != null && !(stored.max_clicks && stored.max_clicks <= limit)) ||
    (isList(row.rules) && !isList(stored.rules)) ||
    (isList(row.split) && !isList(stored.split))
  )
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

import { sql } from 'kysely'
import type { Broken } from '../link.ts'
import type { Problem } from './verdict.ts'

/**
 * SQL condition on a row of `link_checks` that is true for broken links. Results older than a week
 * do not count, because the links may no longer be checked.
 */
export const isBroken = sql<boolean>`
  link_checks.broken_at is not null and link_checks.checked_at > now() - interval '7 days'`

/** The columns of `link_checks` in lists and details of links, apart from `isBroken`. */
export const BROKEN_COLUMNS = [
  'link_checks.failed_at',
  'link_checks.problem',
  'link_checks.destination',
] as const

export type BrokenRow = {
  failed_at: Date | null
  problem: string | null
  destination: string | null
}

export function toBroken({ failed_at, problem, destination }: BrokenRow): Broken | null {
  if (failed_at === null) return null
  return { since: failed_at, problem: problem as Problem, destination: destination ?? '' }
}

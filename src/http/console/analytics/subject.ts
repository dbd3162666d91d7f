import {
  countClicksOfAccount,
  dayOf,
  ifAvailable,
  readClickedDays,
  type Scope,
  sumTotals,
  type Totals,
} from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import type { Section } from '../shell/navigation.ts'
import type { Parameter } from './state.ts'

/** The subject of statistics. */
export type Subject = {
  /** The kind in file names, such as `link`. */
  kind: 'account' | 'link' | 'campaign' | 'channel' | 'code' | 'tag'
  id: number
  /** A short URL, or the name of a group. */
  name: string
  /** The path of its statistics page, and its section of the console. */
  path: string
  section: Section
  scope: Scope
  /** When the subject was created. By default, its history starts on the day of its first click. */
  createdAt?: Date
  /** Parameters in every URL of the page, such as the tag. */
  extraParameters?: readonly Parameter[]
}

/** The days with clicks, and the all-time clicks. */
export type History = {
  days: { first: number; last: number } | undefined
  /** The first day of `all time`. */
  first: number
  /** Undefined while the database server that stores the totals is down. */
  allTime: Totals | undefined
}

/** Reads the days with clicks of a subject, and its all-time clicks. */
export async function readHistory(
  { db, clock }: Pick<HttpContext, 'db' | 'clock'>,
  { scope, createdAt }: Subject,
): Promise<History> {
  const { accountId, linkIds } = scope
  const [days, allTime] = await Promise.all([
    ifAvailable(readClickedDays(db, scope)),
    ifAvailable(
      linkIds
        ? sumTotals(db, linkIds)
        : countClicksOfAccount(db, accountId).then((clicks) => ({
            clicks,
            lastClickAt: undefined,
          })),
    ),
  ])
  const today = dayOf(clock())
  const first = Math.min(createdAt ? dayOf(createdAt) : today, days?.first ?? today)
  return { days, first, allTime }
}

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

/** Whose statistics a page shows. */
export type Subject = {
  /** The name of its kind in the names of files, such as `link`. */
  kind: 'account' | 'link' | 'campaign' | 'channel' | 'code' | 'tag'
  id: number
  /** A short URL, or the name of a group. */
  name: string
  /** The page with its statistics, and its section of the console. */
  path: string
  section: Section
  scope: Scope
  /** The first day of its history if it is known, else the day of its first click. */
  createdAt?: Date
  /** Parameters of the page that are no part of its state, such as the tag. */
  kept?: readonly Parameter[]
}

/** The days with clicks, and clicks of all time. */
export type History = {
  days: { first: number; last: number } | undefined
  /** The first day of all time. */
  first: number
  /** Undefined while the server that stores them is down. */
  all: Totals | undefined
}

/** Reads when a subject was clicked, and how often in all. */
export async function readHistory(
  { db, clock }: Pick<HttpContext, 'db' | 'clock'>,
  { scope, createdAt }: Subject,
): Promise<History> {
  const { accountId, linkIds } = scope
  const [days, all] = await Promise.all([
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
  return { days, first, all }
}

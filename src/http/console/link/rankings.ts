import type { LabelClicks, PeriodStatistics } from '../../../clicks/read.ts'
import { countryCode } from '../../../visitors/country-names.ts'
import type { Rank } from './ranking.ts'

/** The lists of a link's page, by the last part of their paths. */
export const rankingKinds = {
  countries: { title: 'Countries', one: 'Country' },
  referrers: { title: 'Referrers', one: 'Referrer' },
  browsers: { title: 'Browsers', one: 'Browser' },
  systems: { title: 'Operating systems', one: 'System' },
  devices: { title: 'Devices', one: 'Device' },
  languages: { title: 'Languages', one: 'Language' },
} as const

export type RankingKind = keyof typeof rankingKinds

export const rankingNames = Object.keys(rankingKinds) as RankingKind[]

/** The labels of one kind. */
export function labelsOf(kind: RankingKind, found: PeriodStatistics): LabelClicks[] {
  return found[kind === 'systems' ? 'os' : kind]
}

/** The labels of one kind; countries with their codes, since many systems have no flags to draw. */
export function ranksOf(kind: RankingKind, found: PeriodStatistics): Rank[] {
  const ranks = labelsOf(kind, found)
  if (kind !== 'countries') return ranks
  return ranks.map((rank) => ({ ...rank, sign: countryCode(rank.label) }))
}

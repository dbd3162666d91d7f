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

/** The labels of one kind; countries with their flags. */
export function ranksOf(kind: RankingKind, found: PeriodStatistics): Rank[] {
  const ranks = labelsOf(kind, found)
  if (kind !== 'countries') return ranks
  return ranks.map((rank) => ({ ...rank, sign: flagOf(rank.label) }))
}

/** The flag of a country by its English name: its code in regional indicator symbols. */
function flagOf(country: string): string | undefined {
  const code = countryCode(country)
  if (code === undefined) return undefined
  const offset = 0x1f1e6 - 'A'.charCodeAt(0)
  return String.fromCodePoint(...[...code].map((letter) => letter.charCodeAt(0) + offset))
}

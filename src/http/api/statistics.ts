import { Type } from '@sinclair/typebox'
import type { Statistics } from '../../clicks/read.ts'

const Counts = Type.Union([
  Type.Record(Type.String(), Type.String(), {
    description: 'Clicks by label, highest first, at most 10.',
  }),
  Type.Literal(0, { description: 'There is no data.' }),
])

export const StatisticsReply = Type.Object({
  clicks: Type.Integer(),
  uniqueClicks: Type.Integer({
    description: 'Distinct pairs of network (IPv4 address or IPv6 /64) and User-Agent.',
  }),
  topCountries: Counts,
  topReferrers: Counts,
  topBrowsers: Counts,
  topOs: Counts,
  socialCount: Type.Object({
    facebook: Type.Integer(),
    twitter: Type.Integer(),
    instagram: Type.Integer(),
  }),
  unavailable: Type.Optional(
    Type.Literal(true, {
      description:
        'Only present while the database server that stores the visitors of this link is down. ' +
        '`clicks` is exact even then; the other values are 0 until the server is back.',
    }),
  ),
})

/** Returns the statistics of a link or QR code under their API names. */
export function presentStatistics(statistics: Statistics) {
  return {
    clicks: statistics.clicks,
    uniqueClicks: statistics.visitors,
    topCountries: presentCounts(statistics.countries),
    topReferrers: presentCounts(statistics.referrers),
    topBrowsers: presentCounts(statistics.browsers),
    topOs: presentCounts(statistics.systems),
    socialCount: statistics.social,
    ...(statistics.unavailable && { unavailable: true as const }),
  }
}

/** Returns counts as strings, and the integer 0 for an empty list. */
function presentCounts(counts: readonly (readonly [label: string, count: number])[]) {
  if (counts.length === 0) return 0 as const
  return Object.fromEntries(counts.map(([label, count]) => [label, String(count)]))
}

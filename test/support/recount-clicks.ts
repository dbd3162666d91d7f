import { filterNames, type LabelFilters, type readStatistics } from '../../src/clicks/read.ts'

const DAY = 86_400_000
export const LABELS = {
  country: ['Germany', 'Austria', 'Unknown'],
  referrer: ['Direct, email and other', 'a.example', 'b.example'],
  browser: ['Firefox', 'Chrome'],
  os: ['Linux', 'iOS 17'],
  device: ['Desktop', 'Mobile', 'Unknown'],
  language: ['de', 'nds', 'Unknown'],
  variant: ['https://a.example/', 'https://b.example/'],
} as const
const LISTS = {
  country: 'countries',
  referrer: 'referrers',
  browser: 'browsers',
  os: 'os',
  device: 'devices',
  language: 'languages',
  variant: 'variants',
} as const
const LANGUAGES: Record<string, string> = { de: 'German', nds: 'Low German', Unknown: 'Unknown' }

export type Click = {
  link: number
  at: number
  visitor: number
  crawler: boolean
} & Record<keyof typeof LABELS, string>

export type Recounted = {
  totals: { clicks: number; newVisitors: number }
  timeline: Record<string, string>
  links: Record<string, number>
} & Record<keyof typeof LABELS, Record<string, number>>

type StatisticsQuery = {
  zone: string
  period: { from: number; to: number; interval: 'hour' | 'day' | 'week' | 'month' }
  filters: LabelFilters
  linkIds: readonly number[]
}

/** Counts clicks one by one, by local dates as formatted by the platform. */
export function recount(
  all: readonly Click[],
  { zone, period, filters, linkIds }: StatisticsQuery,
) {
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  })
  const date = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)
  const counted: Recounted = {
    totals: { clicks: 0, newVisitors: 0 },
    ...{ timeline: {}, links: {}, country: {}, referrer: {}, browser: {} },
    ...{ os: {}, device: {}, language: {}, variant: {} },
  }
  const steps = new Map<string, [clicks: number, newVisitors: number]>()
  const known = new Set<string>()
  for (const click of all.filter(({ crawler }) => !crawler)) {
    const isNew = !known.has(`${click.link} ${click.visitor}`)
    known.add(`${click.link} ${click.visitor}`)
    const [local = '', time = ''] = format.format(click.at).split(' ')
    if (!linkIds.includes(click.link) || local < date(period.from) || local > date(period.to))
      continue
    if (!filterNames.every((name) => filters[name]?.includes(click[name]) ?? true)) continue
    counted.totals.clicks += 1
    counted.totals.newVisitors += isNew ? 1 : 0
    const start =
      period.interval === 'hour'
        ? `${local} ${time.slice(0, 2)}:00:00`
        : [date(period.from), startOf(local, period.interval)].sort()[1]
    const [clicksOf, newOf] = steps.get(start ?? '') ?? [0, 0]
    steps.set(start ?? '', [clicksOf + 1, newOf + (isNew ? 1 : 0)])
    counted.links[click.link] = (counted.links[click.link] ?? 0) + 1
    for (const name of filterNames) {
      const label = name === 'language' ? (LANGUAGES[click.language] ?? '') : click[name]
      counted[name][label] = (counted[name][label] ?? 0) + 1
    }
  }
  counted.timeline = Object.fromEntries([...steps].map(([start, counts]) => [start, counts.join()]))
  return counted
}

/** Returns the first day of a date's step. */
function startOf(local: string, interval: 'day' | 'week' | 'month'): string {
  if (interval === 'day') return local
  if (interval === 'month') return `${local.slice(0, 7)}-01`
  const at = Date.parse(local)
  return new Date(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY).toISOString().slice(0, 10)
}

/** Converts statistics to the form of a recount. */
export function summarize(found: Awaited<ReturnType<typeof readStatistics>>): Recounted {
  const busy = found.timeline.filter(({ clicks: count }) => count > 0)
  const byLabel = (list: readonly { label: string; clicks: number }[]) =>
    Object.fromEntries(
      list.flatMap(({ label, clicks: count }) => (count > 0 ? [[label, count]] : [])),
    )
  return {
    totals: { clicks: found.clicks, newVisitors: found.newVisitors },
    timeline: Object.fromEntries(
      busy.map((step) => [step.start, `${step.clicks},${step.newVisitors}`]),
    ),
    links: Object.fromEntries(found.links.map(({ linkId, clicks: count }) => [linkId, count])),
    country: byLabel(found[LISTS.country]),
    referrer: byLabel(found[LISTS.referrer]),
    browser: byLabel(found[LISTS.browser]),
    os: byLabel(found[LISTS.os]),
    device: byLabel(found[LISTS.device]),
    language: byLabel(found[LISTS.language]),
    variant: byLabel(found[LISTS.variant]),
  }
}

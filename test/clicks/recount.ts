import type { LabelFilters, readStatistics } from '../../src/clicks/read.ts'

export const DAY = 86_400_000
export const LABELS = {
  country: ['Germany', 'Austria', 'Unknown'],
  referrer: ['Direct, email and other', 'a.example', 'b.example'],
  browser: ['Firefox', 'Chrome'],
  os: ['Linux', 'iOS 17'],
  device: ['Desktop', 'Mobile', 'Unknown'],
  language: ['de', 'nds', 'Unknown'],
  variant: ['https://a.example/', 'https://b.example/'],
  source: ['QR code', 'Unknown'],
  automated: ['likely', 'unlikely'],
} as const
/** The names of the lists of labels in statistics, by kind. */
const LISTS = {
  country: 'countries',
  referrer: 'referrers',
  browser: 'browsers',
  os: 'os',
  device: 'devices',
  language: 'languages',
  variant: 'variants',
  source: 'sources',
  automated: 'automated',
} as const
const LANGUAGES: Record<string, string> = { de: 'German', nds: 'Low German', Unknown: 'Unknown' }

/** The kinds of labels that are flags of a click. */
const FLAGS: readonly string[] = ['source', 'automated']

type Kind = keyof typeof LABELS
const KINDS = Object.keys(LABELS) as Kind[]

export type Click = {
  link: number
  at: number
  visitor: number
  crawler: boolean
} & Record<Kind, string>

type Recounted = {
  totals: { clicks: number; newVisitors: number }
  timeline: Record<string, string>
  links: Record<string, number>
} & Record<Kind, Record<string, number>>

type StatisticsQuery = {
  zone: string
  period: { from: number; to: number; interval: 'hour' | 'day' | 'week' | 'month' }
  filters: LabelFilters
  linkIds: readonly number[]
}

/**
 * Returns the expected statistics of a query. Counts clicks one by one, by the local dates that
 * `Intl.DateTimeFormat` returns.
 */
export function recount(
  allClicks: readonly Click[],
  { zone, period, filters, linkIds }: StatisticsQuery,
) {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const date = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)
  const counted: Recounted = {
    totals: { clicks: 0, newVisitors: 0 },
    timeline: {},
    links: {},
    ...mapLabels(() => ({})),
  }
  const steps = new Map<string, [clicks: number, newVisitors: number]>()
  const knownVisitors = new Set<string>()
  for (const click of allClicks.filter(({ crawler }) => !crawler)) {
    const isNew = !knownVisitors.has(`${click.link} ${click.visitor}`)
    knownVisitors.add(`${click.link} ${click.visitor}`)
    const [localDate = '', time = ''] = format.format(click.at).split(' ')
    if (
      !linkIds.includes(click.link) ||
      localDate < date(period.from) ||
      localDate > date(period.to)
    )
      continue
    if (!KINDS.every((name) => filters[name]?.includes(click[name]) ?? true)) continue
    counted.totals.clicks += 1
    counted.totals.newVisitors += isNew ? 1 : 0
    const start =
      period.interval === 'hour'
        ? `${localDate} ${time.slice(0, 2)}:00:00`
        : [date(period.from), findStepStart(localDate, period.interval)].sort()[1]
    const [stepClicks, stepNewVisitors] = steps.get(start ?? '') ?? [0, 0]
    steps.set(start ?? '', [stepClicks + 1, stepNewVisitors + (isNew ? 1 : 0)])
    counted.links[click.link] = (counted.links[click.link] ?? 0) + 1
    for (const name of KINDS) {
      // These lists have only clicks with the flag.
      if (['Unknown', 'unlikely'].includes(click[name]) && FLAGS.includes(name)) continue
      const label = name === 'language' ? (LANGUAGES[click.language] ?? '') : click[name]
      counted[name][label] = (counted[name][label] ?? 0) + 1
    }
  }
  counted.timeline = Object.fromEntries([...steps].map(([start, counts]) => [start, counts.join()]))
  return counted
}

/** Returns the first day of the day, week or month that contains a date. */
function findStepStart(localDate: string, interval: 'day' | 'week' | 'month'): string {
  if (interval === 'day') return localDate
  if (interval === 'month') return `${localDate.slice(0, 7)}-01`
  const at = Date.parse(localDate)
  return new Date(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY).toISOString().slice(0, 10)
}

/** Returns an object with a value for each kind of label. */
export function mapLabels<T>(createValue: (kind: Kind) => T) {
  return Object.fromEntries(KINDS.map((kind) => [kind, createValue(kind)])) as Record<Kind, T>
}

/** Converts statistics to the form of a recount. */
export function summarize(statistics: Awaited<ReturnType<typeof readStatistics>>): Recounted {
  const clickedSteps = statistics.timeline.filter(({ clicks: count }) => count > 0)
  const byLabel = (list: readonly { label: string; clicks: number }[]) =>
    Object.fromEntries(
      list.flatMap(({ label, clicks: count }) => (count > 0 ? [[label, count]] : [])),
    )
  return {
    totals: { clicks: statistics.clicks, newVisitors: statistics.newVisitors },
    timeline: Object.fromEntries(
      clickedSteps.map((at) => [at.start, `${at.clicks},${at.newVisitors}`]),
    ),
    links: Object.fromEntries(statistics.links.map(({ linkId, clicks: count }) => [linkId, count])),
    ...mapLabels((name) => byLabel(statistics[LISTS[name]])),
  }
}

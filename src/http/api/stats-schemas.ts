import { type Static, Type } from '@sinclair/typebox'
import {
  type FilterName,
  type NotCounted,
  type Period,
  UNCOUNTED_KINDS,
  type UncountedKind,
} from '../../clicks/read.ts'
import { Id } from './schemas.ts'

const filterHints: Record<FilterName, string> = {
  country: 'a country code or an English name, such as DE or Germany',
  referrer: 'a label of the list referrers, such as google.com',
  browser: 'a label of the list browsers, such as Firefox',
  os: 'a label of the list os, such as Windows 11',
  device: 'Desktop, Mobile, Tablet or Unknown',
  language: 'a language code or an English name, such as de or German',
  variant: 'a label of the list variants, such as https://example.com/b',
  source: 'a label of the list sources, such as QR code',
  automated: 'likely for those that look automated, unlikely for all others',
}

function createFilterParameter(name: FilterName) {
  return Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description: `Counts only clicks with this ${name}: ${filterHints[name]}. Repeat the parameter for several values.`,
    }),
  )
}

/** The query parameters of statistics over time. */
export const StatsQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      description: 'First day, YYYY-MM-DD, in the time zone `tz`.',
      examples: ['2026-11-20'],
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: 'Last day, inclusive. Default: today.',
      examples: ['2026-11-21'],
    }),
  ),
  interval: Type.Optional(
    Type.String({
      description:
        'hour (periods of up to 7 days within the last 35 days), day (up to 400 days), week or month. Default: the finest of day, week and month that gives at most 100 steps.',
    }),
  ),
  tz: Type.Optional(
    Type.String({
      description: 'IANA time zone for days and hours. Default: UTC.',
      examples: ['Europe/Berlin'],
    }),
  ),
  compare: Type.Optional(
    Type.String({
      description:
        'previous (the same number of days immediately before) or year (the same days a year earlier). Adds `comparison` to the totals, each step and each label.',
    }),
  ),
  country: createFilterParameter('country'),
  referrer: createFilterParameter('referrer'),
  browser: createFilterParameter('browser'),
  os: createFilterParameter('os'),
  device: createFilterParameter('device'),
  language: createFilterParameter('language'),
  variant: createFilterParameter('variant'),
  source: createFilterParameter('source'),
  automated: createFilterParameter('automated'),
  limit: Type.Optional(
    Type.String({ description: 'Maximum number of labels per list, 1 to 1000. Default: 10.' }),
  ),
  format: Type.Optional(
    Type.String({ description: 'json (the default) or csv, which returns the timeline.' }),
  ),
})

const comparison = Type.Optional(
  Type.Integer({ description: 'Clicks in the comparison period. Only with `compare`.' }),
)
const LabelCount = Type.Object({ label: Type.String(), clicks: Type.Integer(), comparison })
const CountryCount = Type.Object({
  label: Type.String(),
  code: Type.String({ description: 'ISO 3166-1 alpha-2 code, or empty if there is none.' }),
  clicks: Type.Integer(),
  comparison,
})
/** A link in a list of most clicked links. */
export const LinkEntry = Type.Object({
  id: Id,
  alias: Type.String(),
  shorturl: Type.String(),
  clicks: Type.Integer(),
  comparison,
})

const step = {
  start: Type.String({ description: 'YYYY-MM-DD, or YYYY-MM-DD HH:00:00 for hours.' }),
  clicks: Type.Integer(),
  newVisitors: Type.Integer(),
}

const uncountedSums = {
  visits: Type.Integer(),
  previews: Type.Integer({ description: 'Bots that show a preview of the link.' }),
  crawlers: Type.Integer(),
  monitors: Type.Integer(),
  prefetches: Type.Integer({ description: 'Browsers that load the page in advance.' }),
  headRequests: Type.Integer({ description: 'HEAD requests of other clients.' }),
}

const NotCountedVisits = Type.Object(
  {
    ...uncountedSums,
    names: Type.Array(
      Type.Object({
        kind: Type.Unsafe<UncountedKind>({ type: 'string', enum: UNCOUNTED_KINDS }),
        name: Type.String(),
        visits: Type.Integer(),
      }),
      { description: 'The most frequent robots or browsers; Other sums up the rest of a kind.' },
    ),
    days: Type.Array(Type.Object({ day: Type.String(), ...uncountedSums }), {
      description: 'The days of UTC with such visits.',
    }),
  },
  { description: 'Visits that do not count as clicks. Not with filters, which cannot match them.' },
)

const fields = {
  from: Type.String({ description: 'YYYY-MM-DD' }),
  to: Type.String({ description: 'YYYY-MM-DD, inclusive.' }),
  interval: Type.Unsafe<Period['interval']>({
    type: 'string',
    enum: ['hour', 'day', 'week', 'month'],
  }),
  tz: Type.Optional(Type.String({ description: 'The time zone, if the request specified one.' })),
  filtered: Type.Optional(
    Type.Literal(true, {
      description: 'Counted from raw clicks that match the filters of the request.',
    }),
  ),
  leftOut: Type.Optional(
    Type.Integer({
      description:
        'Only with filters: clicks in the period that no filter can match because no raw clicks are stored, such as imported clicks and those of deleted links.',
    }),
  ),
  notCounted: Type.Optional(NotCountedVisits),
  approximate: Type.Optional(
    Type.Literal(true, {
      description:
        'Some hours span two steps in this time zone. Where no raw clicks are stored, they count toward the first.',
    }),
  ),
  comparison: Type.Optional(
    Type.Object(
      {
        from: Type.String({ description: 'YYYY-MM-DD' }),
        to: Type.String({ description: 'YYYY-MM-DD, inclusive.' }),
        clicks: Type.Integer(),
        newVisitors: Type.Integer(),
      },
      { description: 'The comparison period.' },
    ),
  ),
  clicks: Type.Integer(),
  newVisitors: Type.Integer({ description: 'Visitors who had never visited the link before.' }),
  timeline: Type.Array(
    Type.Object({
      ...step,
      comparison: Type.Optional(
        Type.Union([Type.Object(step), Type.Null()], {
          description: 'The corresponding step of the comparison period, or null if there is none.',
        }),
      ),
    }),
    { description: 'Every step of the period, including those without clicks.' },
  ),
  countries: Type.Array(CountryCount, {
    description:
      'Each list is sorted by clicks and adds up to the total; an entry Other sums up the rest.',
  }),
  referrers: Type.Array(LabelCount),
  browsers: Type.Array(LabelCount),
  os: Type.Array(LabelCount),
  devices: Type.Array(LabelCount),
  languages: Type.Array(LabelCount),
  variants: Type.Array(LabelCount, {
    description: 'Destination URLs of split links. Clicks without a variant are not included.',
  }),
  sources: Type.Array(LabelCount, {
    description: 'Scans of QR codes. Other clicks are not included.',
  }),
  automated: Type.Array(LabelCount, {
    description:
      'Clicks that look automated although they name a browser, as `likely`. They are part of all counts.',
  }),
}

const example = {
  from: '2026-11-20',
  to: '2026-11-21',
  interval: 'day',
  clicks: 3,
  newVisitors: 2,
  timeline: [
    { start: '2026-11-20', clicks: 1, newVisitors: 1 },
    { start: '2026-11-21', clicks: 2, newVisitors: 1 },
  ],
  countries: [
    { label: 'Germany', code: 'DE', clicks: 2 },
    { label: 'Unknown', code: '', clicks: 1 },
  ],
  referrers: [{ label: 'Direct, email and other', clicks: 3 }],
  browsers: [{ label: 'Firefox', clicks: 3 }],
  os: [{ label: 'Linux', clicks: 3 }],
  devices: [{ label: 'Desktop', clicks: 3 }],
  languages: [{ label: 'German', clicks: 3 }],
  variants: [],
  sources: [{ label: 'QR code', clicks: 1 }],
  automated: [],
  notCounted: {
    visits: 2,
    previews: 1,
    crawlers: 1,
    monitors: 0,
    prefetches: 0,
    headRequests: 0,
    names: [
      { kind: 'preview', name: 'Slackbot', visits: 1 },
      { kind: 'crawler', name: 'Googlebot', visits: 1 },
    ],
    days: [
      {
        day: '2026-11-20',
        visits: 2,
        previews: 1,
        crawlers: 1,
        monitors: 0,
        prefetches: 0,
        headRequests: 0,
      },
    ],
  },
}
const exampleLinks = [{ id: 1, alias: 'hello', shorturl: 'https://brev.example/hello', clicks: 3 }]

/** The statistics of a period. */
export const Stats = Type.Object(fields, { examples: [example] })
/** The statistics of a period, with the most clicked links. */
export const StatsWithLinks = Type.Object(
  { ...fields, links: Type.Array(LinkEntry) },
  { examples: [{ ...example, links: exampleLinks }] },
)

/** Returns the visits that do not count in the form of replies. */
export function presentNotCounted({
  names,
  days,
  ...sums
}: NotCounted): Static<typeof NotCountedVisits> {
  return {
    ...presentSums(sums),
    names,
    days: days.map(({ day, names: _, ...daySums }) => ({ day, ...presentSums(daySums) })),
  }
}

function presentSums({
  visits,
  preview,
  crawler,
  monitor,
  prefetch,
  head,
}: Omit<NotCounted, 'names' | 'days'>) {
  return {
    visits,
    previews: preview,
    crawlers: crawler,
    monitors: monitor,
    prefetches: prefetch,
    headRequests: head,
  }
}

import { Type } from '@sinclair/typebox'
import type { FilterName, Period } from '../../clicks/read.ts'
import { Id } from './schemas.ts'

const filterHints: Record<FilterName, string> = {
  country: 'a country code or an English name, such as DE or Germany',
  referrer: 'a label of the list referrers, such as google.com',
  browser: 'a label of the list browsers, such as Firefox',
  os: 'a label of the list os, such as Windows 11',
  device: 'Desktop, Mobile, Tablet or Unknown',
  language: 'a language code or an English name, such as de or German',
  variant: 'a label of the list variants, such as https://example.com/b',
}

function filter(name: FilterName) {
  return Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description: `counts only clicks with this ${name}: ${filterHints[name]}; repeat it for several`,
    }),
  )
}

/** The query parameters of statistics over time. */
export const StatsQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      description: 'first day, YYYY-MM-DD, in the time zone `tz`',
      examples: ['2026-11-20'],
    }),
  ),
  to: Type.Optional(
    Type.String({
      description: 'last day, included; today by default',
      examples: ['2026-11-21'],
    }),
  ),
  interval: Type.Optional(
    Type.String({
      description:
        'hour (spans of up to 7 days within the last 35), day (up to 400 days), week or month; by default the finest of day, week and month with at most 100 steps',
    }),
  ),
  tz: Type.Optional(
    Type.String({
      description: 'IANA time zone of days and hours; UTC by default',
      examples: ['Europe/Berlin'],
    }),
  ),
  compare: Type.Optional(
    Type.String({
      description:
        'previous (the same number of days before) or year (the same days a year earlier): adds `comparison` to the totals, to each step and to each label',
    }),
  ),
  country: filter('country'),
  referrer: filter('referrer'),
  browser: filter('browser'),
  os: filter('os'),
  device: filter('device'),
  language: filter('language'),
  limit: Type.Optional(Type.String({ description: 'labels a list, 1 to 1000, by default 10' })),
  format: Type.Optional(Type.String({ description: 'json (the default), or csv: the timeline' })),
})

const comparison = Type.Optional(
  Type.Integer({ description: 'clicks in the period compared with; only with `compare`' }),
)
const Counted = Type.Object({ label: Type.String(), clicks: Type.Integer(), comparison })
const Country = Type.Object({
  label: Type.String(),
  code: Type.String({ description: 'ISO 3166-1 alpha-2, empty where there is none' }),
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
  start: Type.String({ description: 'YYYY-MM-DD, for hours YYYY-MM-DD HH:00:00' }),
  clicks: Type.Integer(),
  newVisitors: Type.Integer(),
}

const fields = {
  from: Type.String({ description: 'YYYY-MM-DD' }),
  to: Type.String({ description: 'YYYY-MM-DD, included' }),
  interval: Type.Unsafe<Period['interval']>({
    type: 'string',
    enum: ['hour', 'day', 'week', 'month'],
  }),
  tz: Type.Optional(Type.String({ description: 'the time zone, if the request named one' })),
  filtered: Type.Optional(
    Type.Literal(true, { description: 'counted from raw clicks by the filters of the request' }),
  ),
  leftOut: Type.Optional(
    Type.Integer({
      description:
        'only with filters: clicks of the span without raw clicks, which are in no filtered result: imported ones and those of deleted links',
    }),
  ),
  approximate: Type.Optional(
    Type.Literal(true, {
      description:
        'some hours belong to two steps of the time zone, and without raw clicks they count in the first',
    }),
  ),
  comparison: Type.Optional(
    Type.Object(
      {
        from: Type.String({ description: 'YYYY-MM-DD' }),
        to: Type.String({ description: 'YYYY-MM-DD, included' }),
        clicks: Type.Integer(),
        newVisitors: Type.Integer(),
      },
      { description: 'the period compared with' },
    ),
  ),
  clicks: Type.Integer(),
  newVisitors: Type.Integer({ description: 'visitors whom the link had not seen before' }),
  timeline: Type.Array(
    Type.Object({
      ...step,
      comparison: Type.Optional(
        Type.Union([Type.Object(step), Type.Null()], {
          description: 'the step at the same place of the period compared with, null for none',
        }),
      ),
    }),
    { description: 'every step of the span, also those without clicks' },
  ),
  countries: Type.Array(Country, {
    description: 'each list is most clicked first and sums to clicks, cut off by an entry Other',
  }),
  referrers: Type.Array(Counted),
  browsers: Type.Array(Counted),
  os: Type.Array(Counted),
  devices: Type.Array(Counted),
  languages: Type.Array(Counted),
  variants: Type.Array(Counted, {
    description: 'destinations of split links, as URLs; clicks without a variant are not in it',
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
}
const exampleLinks = [{ id: 1, alias: 'hello', shorturl: 'https://brev.example/hello', clicks: 3 }]

/** Statistics of a period. */
export const Stats = Type.Object(fields, { examples: [example] })
/** Statistics of a period with the most clicked links. */
export const StatsWithLinks = Type.Object(
  { ...fields, links: Type.Array(LinkEntry) },
  { examples: [{ ...example, links: exampleLinks }] },
)

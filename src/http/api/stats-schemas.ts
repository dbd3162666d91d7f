import { Type } from '@sinclair/typebox'
import type { Period } from '../../clicks/read.ts'
import { Id } from './schemas.ts'

/** What may be asked of statistics over time. */
export const StatsQuery = Type.Object({
  from: Type.Optional(
    Type.String({ description: 'first day, YYYY-MM-DD (UTC)', examples: ['2026-11-20'] }),
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
  limit: Type.Optional(Type.String({ description: 'labels a list, 1 to 1000, by default 10' })),
  format: Type.Optional(Type.String({ description: 'json (the default), or csv: the timeline' })),
})

const Counted = Type.Object({ label: Type.String(), clicks: Type.Integer() })
const Country = Type.Object({
  label: Type.String(),
  code: Type.String({ description: 'ISO 3166-1 alpha-2, empty where there is none' }),
  clicks: Type.Integer(),
})
/** A link in a list of the most clicked. */
export const LinkEntry = Type.Object({
  id: Id,
  alias: Type.String(),
  shorturl: Type.String(),
  clicks: Type.Integer(),
})

const fields = {
  from: Type.String({ description: 'YYYY-MM-DD' }),
  to: Type.String({ description: 'YYYY-MM-DD, included' }),
  interval: Type.Unsafe<Period['interval']>({
    type: 'string',
    enum: ['hour', 'day', 'week', 'month'],
  }),
  clicks: Type.Integer(),
  newVisitors: Type.Integer({ description: 'visitors whom the link had not seen before' }),
  timeline: Type.Array(
    Type.Object({
      start: Type.String({ description: 'YYYY-MM-DD, for hours YYYY-MM-DD HH:00:00' }),
      clicks: Type.Integer(),
      newVisitors: Type.Integer(),
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
}
const exampleLinks = [{ id: 1, alias: 'hello', shorturl: 'https://brev.example/hello', clicks: 3 }]

/** What happened within a span. */
export const Stats = Type.Object(fields, { examples: [example] })
/** The same with the links that were clicked most. */
export const StatsWithLinks = Type.Object(
  { ...fields, links: Type.Array(LinkEntry) },
  { examples: [{ ...example, links: exampleLinks }] },
)

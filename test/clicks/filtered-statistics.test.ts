import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { type ClickScope, type LabelFilters, readStatistics } from '../../src/clicks/read.ts'
import { createFairQueue } from '../../src/concurrency/fair-queue.ts'
import { appendAll, createClick, openTestJournal } from '../support/click-journal.ts'
import { createTestImporter } from '../support/clicks.ts'
import { importTest } from '../support/imports.ts'
import { type Click, DAY, LABELS, mapLabels, recount, summarize } from './recount.ts'

/** The number of generated inputs. It is low, because each takes many times as long on a cluster. */
const RUNS = 12
const HOUR = 3_600_000
/** Time zones, each with a day on which its clock changes or its offset matters. */
const ZONES_AND_DAYS = [
  ['UTC', '2026-11-01'],
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2025-10-26'],
  ['America/New_York', '2026-03-08'],
  ['America/St_Johns', '2025-11-02'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['America/Asuncion', '2024-03-24'],
  ['Asia/Kolkata', '2026-06-01'],
  ['Asia/Kathmandu', '2026-06-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2025-10-05'],
  ['Pacific/Apia', '2011-12-30'],
  ['Pacific/Kiritimati', '2026-01-01'],
  ['Pacific/Pago_Pago', '2026-01-01'],
] as const

const labels = fc.record(mapLabels((name) => fc.constantFrom<string>(...LABELS[name])))

const clicks = fc
  .uniqueArray(
    fc.record({
      link: fc.nat(2),
      /** Milliseconds from the start of the day, often at or just before a full or half hour. */
      offset: fc.oneof(
        fc.integer({ min: -4 * DAY, max: 5 * DAY }),
        fc.integer({ min: -26, max: 50 }).map((hours) => hours * HOUR),
        fc.integer({ min: -52, max: 100 }).map((halves) => (halves * HOUR) / 2 - 1),
      ),
      visitor: fc.nat(4),
      crawler: fc.nat(9).map((number) => number === 9),
      labels,
    }),
    { selector: ({ offset }) => offset, minLength: 1, maxLength: 60 },
  )
  .map((list) => list.sort((a, b) => a.offset - b.offset))

const createSubset = (values: readonly string[]) =>
  fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined, freq: 2 })

const filters = fc.record(
  mapLabels((name) =>
    createSubset(name === 'referrer' ? [...LABELS[name], 'never.example'] : LABELS[name]),
  ),
)

const view = fc.record({
  from: fc.integer({ min: -6, max: 4 }),
  days: fc.integer({ min: 1, max: 7 }),
  interval: fc.constantFrom('hour' as const, 'day' as const, 'week' as const, 'month' as const),
  scope: fc.constantFrom('link' as const, 'links' as const, 'account' as const),
  compare: fc.constantFrom(undefined, 'previous' as const),
  filters,
  isFiltered: fc.boolean(),
})

const test = importTest().extend('read', { scope: 'file' }, ({ database }) => {
  const ctx = {
    clock: () => new Date('2026-11-20T12:00:00Z'),
    config: { clickRetentionDays: 10_000 },
    rawReads: createFairQueue({ maxRunning: 1, maxWaiting: 9 }),
  }
  return (input: Parameters<typeof readStatistics>[2]) => readStatistics(ctx, database.db, input)
})

const NO_FILTERS = mapLabels(() => undefined)

type ValueOf<A> = A extends fc.Arbitrary<infer Value> ? Value : never

/** An input whose local day starts in the middle of a UTC hour, in which a link has its only click. */
const HALF_HOUR_EXAMPLES: [
  (typeof ZONES_AND_DAYS)[number],
  ValueOf<typeof clicks>,
  ValueOf<typeof view>[],
] = [
  ['Asia/Kolkata', '2026-06-01'],
  [-5 * HOUR - 1, -1].map((offset, visitor) => ({
    link: 1 - visitor,
    offset,
    visitor,
    crawler: false,
    labels: {
      country: 'Unknown',
      referrer: LABELS.referrer[0],
      browser: LABELS.browser[0],
      os: LABELS.os[0],
      device: 'Unknown',
      language: 'Unknown',
      variant: LABELS.variant[0],
      source: 'Unknown',
      automated: 'unlikely',
    },
  })),
  [
    {
      from: 0,
      days: 1,
      interval: 'hour',
      scope: 'account',
      compare: undefined,
      filters: NO_FILTERS,
      isFiltered: false,
    },
  ],
]

let account = 0

describe('statistics with filters, time zones and comparisons', () => {
  test('equal a recount of raw clicks', { timeout: 300_000 }, async ({
    database,
    read,
    createImport,
  }) => {
    const { dir } = createImport()
    const journal = openTestJournal(dir)
    const importer = createTestImporter(dir, database, {
      retentionDays: 10_000,
      describe: ({ userAgent }) => {
        const { visitor, ...description } = JSON.parse(userAgent)
        return { ...description, visitor: BigInt(visitor) }
      },
    })
    const zoneAndDay = fc.constantFrom(...ZONES_AND_DAYS)
    await fc.assert(
      fc.asyncProperty(
        zoneAndDay,
        clicks,
        fc.array(view, { minLength: 4, maxLength: 8 }),
        async ([zone, anchorDay], created, views) => {
          account += 1
          const { rows } = await database.pool.query<{ id: number; account_id: number }>(
            `with owner as (
             insert into accounts (email, username) values ($1, $1) returning id
           ) insert into links (account_id, alias, url)
           select owner.id, $1 || n, 'https://example.com/' from owner, generate_series(1, 3) n
           returning id, account_id`,
            [`recount-${account}`],
          )
          const ids = rows.map(({ id }) => id)
          const day = Date.parse(anchorDay) / DAY
          const allClicks = created.map(
            ({ link, offset, visitor, crawler, labels: ownLabels }): Click => {
              return {
                ...ownLabels,
                link: ids[link] ?? 0,
                at: day * DAY + offset,
                visitor,
                crawler,
              }
            },
          )
          const middle = Math.floor(allClicks.length / 2)
          for (const part of [allClicks.slice(0, middle), allClicks.slice(middle)]) {
            await appendAll(journal, part.map(toRecord))
            await importer.drain()
          }
          for (const { from, days, interval, scope, compare, ...filterOptions } of views) {
            const period = { from: day + from, to: day + from + days - 1, interval }
            const linkIds = { link: ids.slice(0, 1), links: ids, account: undefined }[scope]
            const queriedScope: ClickScope = { accountId: rows[0]?.account_id ?? 0, linkIds }
            const filters: LabelFilters = filterOptions.isFiltered
              ? omitUndefined(filterOptions.filters)
              : {}
            const statistics = await read({
              scope: queriedScope,
              period,
              zone,
              filters,
              compare,
              limit: 1000,
            })
            const counted = recount(allClicks, { zone, period, filters, linkIds: linkIds ?? ids })
            expect(summarize(statistics)).toEqual(counted)
            expect(statistics.approximate).toBeUndefined()
            if (compare) {
              const before = { ...period, from: period.from - days, to: period.from - 1 }
              const earlier = recount(allClicks, {
                zone,
                period: before,
                filters,
                linkIds: linkIds ?? ids,
              })
              expect(statistics.comparison).toMatchObject(earlier.totals)
              const sum = (list: readonly { comparison?: number }[]) =>
                list.reduce((total, each) => total + (each.comparison ?? 0), 0)
              expect(sum(statistics.countries)).toBe(earlier.totals.clicks)
              for (const { label, comparison } of statistics.browsers) {
                if (label !== 'Other') expect(comparison).toBe(earlier.browser[label] ?? 0)
              }
            }
          }
          const widePeriod = { from: day - 15, to: day + 15, interval: 'day' as const }
          const scope = { accountId: rows[0]?.account_id ?? 0 }
          const wideQuery = {
            scope,
            period: widePeriod,
            filters: {},
            compare: undefined,
            limit: 10,
          }
          const utc = await read({ ...wideQuery, zone: 'UTC' })
          const localDate = await read({ ...wideQuery, zone })
          expect([localDate.clicks, localDate.newVisitors]).toEqual([utc.clicks, utc.newVisitors])
        },
      ),
      { numRuns: RUNS, examples: [HALF_HOUR_EXAMPLES] },
    )
    await journal.close()
  })
})

function toRecord({ link, at, visitor, crawler, ...ownLabels }: Click) {
  const language = ownLabels.language === 'Unknown' ? undefined : ownLabels.language
  const description = {
    ...ownLabels,
    language,
    device: ownLabels.device.toLowerCase(),
    crawler,
    visitor,
  }
  return createClick(link, visitor, { at, userAgent: JSON.stringify(description) })
}

function omitUndefined(
  filters: { [Name in keyof LabelFilters]?: string[] | undefined },
): LabelFilters {
  return Object.fromEntries(Object.entries(filters).filter(([, values]) => values !== undefined))
}

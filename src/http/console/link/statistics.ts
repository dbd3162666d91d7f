import {
  type Calendar,
  dayOf,
  ifAvailable,
  intervalsFor,
  neighbor,
  presets,
  presetWith,
  readClickedDays,
  readImportedClicks,
} from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { formatDate, formatTimestamp } from '../../timestamp.ts'
import type { Chooser } from './chooser.ts'
import { lookParameters, usualLook } from './code-form.ts'
import { spanText, units } from './period-words.ts'
import { rankingKinds, rankingNames, ranksOf } from './rankings.ts'
import { chartOf, readReport } from './report.ts'
import { addressOf, parametersOf, type State } from './state.ts'
import type { ShownStatistics, UnavailableStatistics } from './statistics-section.ts'

/** What was clicked: one link, or several together. */
export type Clicked = {
  linkIds: readonly number[]
  /** The days on which any of them was clicked; undefined where none ever was. */
  days: { first: number; last: number } | undefined
  /** Whether the server that stores these days is down. */
  unavailable: boolean
  /** What the names of periods mean for them. */
  calendar: Calendar
}

/** Links that the figures of an open page follow; those of more are read when it is opened. */
const MOST_FOLLOWED = 500

/** Links with the days of their clicks; their history begins at `createdAt`, or with the first click. */
export async function readClicked(
  { db, clock }: Pick<HttpContext, 'db' | 'clock'>,
  linkIds: readonly number[],
  createdAt?: Date,
): Promise<Clicked> {
  const found = await ifAvailable(readClickedDays(db, linkIds).then((days) => ({ days })))
  const days = found?.days
  const today = dayOf(clock())
  const first = Math.min(createdAt ? dayOf(createdAt) : today, days?.first ?? today)
  return { linkIds, days, unavailable: found === undefined, calendar: { today, first } }
}

type Shown = {
  state: State & { error?: string }
  /** Where the page is that shows it. */
  path: string
  /** The clicks of all time, and the last of them. */
  all: { clicks: number; lastClickAt: Date | null | undefined }
}

/** Reads what a page shows of clicks in the period that was requested, as far as it is available. */
export async function readStatistics(
  ctx: Pick<HttpContext, 'db' | 'clock' | 'country'>,
  clicked: Clicked,
  shown: Shown,
): Promise<ShownStatistics | UnavailableStatistics> {
  const read = clicked.unavailable ? undefined : await ifAvailable(readShown(ctx, clicked, shown))
  return read ?? { unavailable: true, ...allTimeOf(shown) }
}

async function readShown(
  ctx: Pick<HttpContext, 'db' | 'clock' | 'country'>,
  { linkIds, days, calendar }: Clicked,
  shown: Shown,
): Promise<ShownStatistics> {
  const {
    state: { error, ...state },
    path,
  } = shown
  const { choice, compare } = state
  const now = ctx.clock()
  const to = (change: Change, under = '') =>
    addressOf(`${path}${under}`, parametersOf({ ...state, ...change }, calendar))
  const report = await readReport(ctx, linkIds, choice, calendar)
  const imported = await readImportedClicks(ctx.db, linkIds)
  const { found, before } = report
  const elsewhere = days && presetWith(days.last, calendar)
  const drawnBefore = compare && before?.drawn && before
  return {
    error,
    chooser: chooserOf(state, { calendar, path, to }),
    figures: {
      clicks: { total: found.clicks, before: before?.clicks },
      newVisitors: { total: found.newVisitors, before: before?.newVisitors },
      ...allTimeOf(shown),
    },
    chart:
      found.clicks > 0 || (drawnBefore && drawnBefore.clicks > 0)
        ? chartOf(report, choice, {
            calendar,
            now,
            compare,
            // Of several links, others may have been clicked here on those days.
            imported: linkIds.length === 1 ? imported : undefined,
            hrefOf: (days) => to({ choice: days }),
          })
        : undefined,
    elsewhere: elsewhere && {
      href: to({ choice: { from: 0, to: 0, preset: elsewhere } }),
      label: presets.find(({ name }) => name === elsewhere)?.label.toLowerCase() ?? '',
    },
    imported: imported && { clicks: imported.clicks, span: spanText(imported) },
    beforeName: drawnBefore ? drawnBefore.span : undefined,
    rankings: (found.clicks > 0 ? rankingNames : []).map((name) => ({
      name,
      ...rankingKinds[name],
      ranks: ranksOf(name, found),
      total: found.clicks,
      credit: name === 'countries' ? ctx.country.credit() : undefined,
      href: to({ look: usualLook, compare: false }, `/${name}`),
    })),
    timelineCsv: to({ look: usualLook, compare: false }, '/timeline.csv'),
    live: choice.to === calendar.today && linkIds.length <= MOST_FOLLOWED,
  }
}

function allTimeOf({ all }: Shown) {
  const lastClick = all.lastClickAt ? formatTimestamp(all.lastClickAt) : undefined
  return { allClicks: all.clicks, lastClick }
}

type Change = Partial<Parameters<typeof parametersOf>[0]>
type Addresses = { calendar: Calendar; path: string; to: (change: Change) => string }

function chooserOf(state: State, { calendar, path, to }: Addresses): Chooser {
  const { choice, compare } = state
  const [earlier, later] = [neighbor(choice, -1, calendar), neighbor(choice, 1, calendar)]
  const { interval } = choice
  return {
    span: spanText(choice),
    presets: presets.map(({ name, key, label }) => ({
      href: to({ choice: { from: 0, to: 0, preset: name } }),
      key,
      label,
      current: choice.preset === name,
    })),
    earlier: earlier && {
      href: to({ choice: { ...earlier, interval } }),
      label: `Previous period: ${spanText(earlier)}`,
    },
    later: later && {
      href: to({ choice: { ...later, interval } }),
      label: `Next period: ${spanText(later)}`,
    },
    intervals: intervalsFor(choice, calendar).map((each) => ({
      href: to({ choice: { ...choice, interval: each } }),
      label: units[each].choice,
      current: each === interval,
    })),
    compare: choice.preset === 'all' ? undefined : { href: to({ compare: !compare }), on: compare },
    custom: {
      action: path,
      from: dateText(choice.from),
      to: dateText(choice.to),
      max: dateText(calendar.today),
      kept: [
        ...(compare ? [['compare', '1'] satisfies [string, string]] : []),
        ...lookParameters(state.look),
      ],
    },
  }
}

function dateText(day: number): string {
  return formatDate(new Date(day * 86_400_000))
}

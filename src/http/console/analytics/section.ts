import { html, type SafeHtml } from '@remix-run/html-template'
import {
  AUTOMATED_LABEL,
  dayOf,
  findPresetWithDay,
  formatDay,
  listSteps,
  SCAN_LABEL,
  toLocalTime,
  zoomInto,
} from '../../../clicks/read.ts'
import { t } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import { renderReportMenu } from '../email-reports.ts'
import { type ChartStep, renderSample, renderTimeChart, type TimeChart } from '../kit/chart.ts'
import { type Counts, renderMetrics, renderUnavailableNote } from '../kit/metrics.ts'
import { renderRegion } from '../kit/parts.ts'
import { renderLiveNote } from '../live.ts'
import { formatCount } from '../shell/format.ts'
import type { Frame, Key } from '../shell/layout.ts'
import { PRESET_KEYS, renderBar, renderShareMenu } from './bar.ts'
import { renderCards } from './cards.ts'
import { chooseLabelInterval, formatMoment, formatSpan, formatStep } from './format.ts'
import { renderNotCounted } from './not-counted.ts'
import { buildUrl, isFiltered, isTodayByHour, type PageState } from './state.ts'
import type { Analytics, PageStatistics, Problem } from './statistics.ts'

/** Returns the keyboard shortcuts of a page with statistics. */
export function listAnalyticsKeys(): Key[] {
  const presets = Object.entries(PRESET_KEYS) as [keyof typeof PRESET_KEYS, string][]
  return [
    ...presets.map(([name, key]): Key => [key, t(`periods.presets.${name}`)]),
    ['← →', t('analytics.keys.neighbors')],
    ['X', t('analytics.keys.compare')],
  ]
}

/** Renders statistics, with content beside the chart. Public pages have no frame. */
export function renderAnalyticsSection(
  frame: Frame | null,
  analytics: Analytics,
  aside?: SafeHtml,
): SafeHtml {
  const { pageState, statistics, problem, isLive, scopes, share, report: setting } = analytics
  const menus = frame && [
    share ? renderShareMenu(frame, pageState, share) : null,
    setting ? renderReportMenu(frame, pageState.subject, setting, pageState.buildHref()) : null,
  ]
  const { error, subject, allTime } = pageState
  const liveAttribute = isLive ? html`${withScript('live', 'tabs')} data-live` : null
  const report = statistics
    ? renderReport(pageState, statistics)
    : renderUnavailableState(pageState, problem)
  const content = html`${renderRegion(t('analytics.title'), 'report', report, html` id="report"${liveAttribute}`)}
${isLive ? renderLiveNote(buildUrl(`${subject.path}/live`, subject.extraParameters ?? []), allTime?.clicks ?? 0) : null}
<div id="cards"${liveAttribute}>${statistics && statistics.clicks > 0 ? renderCards(pageState, statistics) : null}</div>`
  return html`${error ? html`<p class="notice" role="alert">${error}</p>` : null}
${renderBar(pageState, scopes, menus ?? [])}
${statistics && !subject.isOfScans ? renderLeftOut(statistics) : null}
${aside ? html`<div class="with-aside"><div>${content}</div><div class="aside">${aside}</div></div>` : content}`
}

function renderReport(pageState: PageState, statistics: PageStatistics): SafeHtml {
  const { metric, compare, subject, reader, buildHref } = pageState
  const { clicks, comparison, notice } = statistics
  const hasClicks =
    clicks > 0 || (!reader.isShared && compare && comparison && comparison.clicks > 0)
  const chart = hasClicks ? createChart(pageState, statistics) : undefined
  return html`${renderMetrics({
    counts: statistics,
    previous: findPreviousCounts(pageState, statistics),
    previousName: t(`periods.comparedWith.${compare ?? 'previous'}`),
    current: metric,
    clicksName: subject.kind === 'code' ? t('analytics.scans') : undefined,
    hrefOf: (name) => buildHref({ metric: name }),
  })}
${notice ? html`<p class="notice" role="status">${notice}</p>` : null}
${clicks === 0 ? html`<p class="inset">${renderEmptyState(pageState)}</p>` : null}
${chart && renderTimeChart(chart)}
${renderNotes(pageState, statistics, chart)}
${renderNotCounted(pageState, statistics)}`
}

function renderEmptyState(pageState: PageState): SafeHtml | string {
  const { choice, calendar, clickedDays, reader, buildHref } = pageState
  if (isFiltered(pageState)) return t('analytics.noClicksFiltered')
  if (reader.isShared) return t('analytics.noClicksNow')
  if (!clickedDays) return t('analytics.noClicks')
  const preset = findPresetWithDay(clickedDays.last, calendar)
  if (choice.preset === preset) return t('analytics.noClicksNow')
  return html`${t('analytics.noClicksNow')} <a href="${buildHref({ choice: { from: 0, to: 0, preset } })}">${t(`analytics.view.${preset}`)}</a>`
}

/** Renders the reason why statistics are unavailable, and a remedy. */
export function renderUnavailableState(
  pageState: PageState,
  problem: Problem | undefined,
): SafeHtml {
  const { choice, buildHref, allTime } = pageState
  if (!problem)
    return html`${renderUnavailableNote()}${allTime ? html`<p>${describeAllTime(allTime.clicks)}</p>` : null}`
  const { text, firstDay } = problem
  const span = firstDay === undefined ? undefined : { from: firstDay, to: choice.to }
  const remedy = span
    ? html`<a href="${buildHref({ choice: span })}">${t('analytics.viewSpan', { span: formatSpan(span) })}</a>`
    : html`<a href="${buildHref()}">${t('analytics.reload')}</a>`
  return html`<div class="notice" role="alert"><p><strong>${t('analytics.problem')}</strong></p><p>${text} ${remedy}${isFiltered(pageState) ? html` <a href="${buildHref({ filters: {} })}">${t('analytics.clearFilters')}</a>` : null}</p></div>`
}

/** Renders how many clicks filters leave out, and whether the compared period is comparable. */
function renderLeftOut({ unmatchableClicks = 0, comparison }: PageStatistics): SafeHtml | null {
  if (unmatchableClicks === 0 && !comparison?.unmatchableClicks) return null
  return html`<p class="inset" role="status">${unmatchableClicks > 0 ? t('analytics.leftOut', { n: unmatchableClicks }) : null} ${comparison?.unmatchableClicks ? t('analytics.notComparable', { n: comparison.unmatchableClicks }) : null}</p>`
}

function describeAllTime(clicks: number): string {
  return t('analytics.allTime', { clicks: t('analytics.clicks', { n: clicks }) })
}

/** Renders notes about the numbers and, unless the page is public, the link to download the timeline. */
function renderNotes(
  pageState: PageState,
  statistics: PageStatistics,
  chart: TimeChart | undefined,
): SafeHtml {
  const { choice, compare, zone, calendar, allTime, reader, buildHref } = pageState
  const { clicks, imported, approximate, comparison } = statistics
  const isCompared = compare !== undefined && comparison !== undefined
  const lastClickAt = allTime?.lastClickAt
  const notes = [
    allTime &&
      `${describeAllTime(allTime.clicks)}${lastClickAt ? ` · ${t('analytics.lastClick', { time: formatMoment(lastClickAt, zone) })}` : ''}`,
    (zone !== reader.zone || reader.isShared) &&
      t('analytics.zone', { zone: zone.replaceAll('_', ' ') }),
    chart &&
      clicks > 0 &&
      choice.to >= calendar.today &&
      html`${renderSample(chart, 'open')} ${t('analytics.unfinished')}`,
    chart &&
      isCompared &&
      html`${renderSample(chart, 'before')} ${t('analytics.comparison', { span: formatSpan(toSpan(comparison)) })}`,
    isCompared && isTodayByHour(pageState) && t('analytics.noRowChanges'),
    renderScans(pageState, statistics),
    renderAutomated(pageState, statistics),
    imported &&
      !statistics.filtered &&
      t('analytics.imported', { n: imported.clicks, span: formatSpan(imported) }),
    approximate && t('analytics.approximate'),
  ].filter(Boolean)
  const download = html`<p><a href="${buildHref({}, '/timeline.csv')}" download>${t('analytics.csv')}</a></p>`
  return html`<div class="notes small soft">${notes.map((note) => html`<p>${note}</p>`)}${reader.isShared ? null : download}</div>`
}

/** Renders how many of the clicks are scans, with a link that filters by them. */
function renderScans(
  { subject, filters, reader, buildHref }: PageState,
  statistics: PageStatistics,
) {
  const n = statistics.sources.find(({ label }) => label === SCAN_LABEL)?.clicks ?? 0
  if (n === 0 || filters.source || subject.kind === 'code') return undefined
  const text = t('analytics.ofScans', { n })
  if (reader.isShared) return text
  return html`<a href="${buildHref({ filters: { ...filters, source: [SCAN_LABEL] } })}">${text}</a>`
}

/** Renders how many of the clicks look automated, with a link that filters by them. */
function renderAutomated(
  { filters, reader, buildHref }: PageState,
  { automated, clicks }: PageStatistics,
) {
  const n = automated.find(({ label }) => label === AUTOMATED_LABEL)?.clicks ?? 0
  if (n === 0 || filters.automated) return undefined
  const text = t('analytics.ofAutomated', { n, total: formatCount(clicks) })
  if (reader.isShared) return text
  return html`<a href="${buildHref({ filters: { ...filters, automated: [AUTOMATED_LABEL] } })}">${text}</a>`
}

function toSpan({ from, to }: { from: string; to: string }) {
  return { from: dayOf(new Date(from)), to: dayOf(new Date(to)) }
}

/** Returns the chart of the selected metric. */
function createChart(pageState: PageState, statistics: PageStatistics): TimeChart {
  const { choice, metric, compare, calendar, buildHref, subject } = pageState
  const openStart = findOpenStart(pageState, statistics)
  // With several links, days with imported clicks may also have other clicks.
  const imported = subject.scope.linkIds?.length === 1 ? statistics.imported : undefined
  // Hours that clocks skip have no statistics.
  const stepsByStart = new Map(listSteps(choice).map((step) => [step.start, step]))
  const steps = statistics.timeline.flatMap(
    ({ start, clicks, newVisitors, comparison }): ChartStep | [] => {
      const step = stepsByStart.get(start)
      if (!step) return []
      const zoomedChoice = zoomInto(step, choice, calendar)
      const isEnded = openStart === undefined || start < openStart
      const isImported =
        imported && step.from / 24 < imported.to + 1 && step.to / 24 >= imported.from
      return {
        ...formatStep(step, choice),
        clicks,
        newVisitors,
        before: compare && comparison,
        href: zoomedChoice && buildHref({ choice: zoomedChoice }),
        isImported: Boolean(isImported) && clicks > 0,
        state: isEnded ? 'ended' : start === openStart ? 'open' : 'ahead',
      }
    },
  )
  return {
    title: t('analytics.chartTitle', {
      metric: t(`analytics.metrics.${metric}`),
      interval: t(`periods.intervals.${choice.interval}`).toLowerCase(),
      span: formatSpan(choice),
    }),
    unit: t(`periods.units.${choice.interval}`),
    steps,
    metric,
    every: chooseLabelInterval(choice, steps.length),
  }
}

/**
 * Returns the counts of the compared period, or undefined without a comparison. For a period by hour
 * that ends today, counts only up to the current hour.
 */
function findPreviousCounts(pageState: PageState, statistics: PageStatistics): Counts | undefined {
  const { comparison, timeline } = statistics
  const openStart = findOpenStart(pageState, statistics)
  if (comparison?.unmatchableClicks) return undefined
  if (!comparison || pageState.choice.interval !== 'hour' || !openStart) return comparison
  const steps = timeline.flatMap((step) => (step.start <= openStart && step.comparison) || [])
  return {
    clicks: steps.reduce((sum, { clicks }) => sum + clicks, 0),
    newVisitors: steps.reduce((sum, { newVisitors }) => sum + newVisitors, 0),
  }
}

/** Returns the start of the unfinished step, or undefined if the period has ended. */
function findOpenStart({ choice, zone, now }: PageState, { timeline }: PageStatistics) {
  const local = new Date(toLocalTime(zone, now.getTime())).toISOString()
  if (formatDay(choice.to) < local.slice(0, 10)) return undefined
  const text = local.slice(0, 19).replace('T', ' ')
  return timeline.findLast(({ start }) => start <= text)?.start
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { dayOf, findPresetWithDay } from '../../../clicks/read.ts'
import { t } from '../../../texts.ts'
import { renderTimeChart } from '../kit/chart.ts'
import type { MenuItem } from '../kit/menu.ts'
import { renderMetrics, renderUnavailableNote } from '../kit/metrics.ts'
import { renderLiveNote } from '../live/note.ts'
import type { Key } from '../shell/keys-help.ts'
import type { Frame } from '../shell/layout.ts'
import { presetKeys, renderBar } from './bar.ts'
import { type CardOptions, renderCardPanels } from './card-panels.ts'
import { createChart, findPreviousCounts, isTodayByHour } from './chart.ts'
import { formatMoment, formatSpan } from './format-period.ts'
import { isFiltered, type Outcome, type PageState, type PageStatistics } from './read.ts'
import { renderShareMenu, type Share } from './share/menu.ts'
import { buildUrl } from './state.ts'

/** The statistics of a subject, and everything else that their page shows. */
export type Analytics = {
  pageState: PageState
  outcome: Outcome
  now: Date
  credit: CardOptions['credit']
  /** Other subjects to navigate to. */
  scopes: readonly MenuItem[]
  /** Whether the numbers can still change. */
  isLive: boolean
  /** The public page with the same statistics, for subjects that can have one. */
  share?: Share | undefined
}

/** Returns the HTTP status of a page with statistics. */
export function chooseStatus({
  pageState,
  outcome,
}: Pick<Analytics, 'pageState' | 'outcome'>): number {
  if ('problem' in outcome) return outcome.problem.status
  return pageState.error === undefined ? 200 : 422
}

/** Returns the keyboard shortcuts of a page with statistics. */
export function listAnalyticsKeys(): Key[] {
  const presets = Object.entries(presetKeys) as [keyof typeof presetKeys, string][]
  return [
    ...presets.map(([name, key]): Key => [key, t(`periods.presets.${name}`)]),
    ['← →', t('analytics.keys.neighbors')],
    ['X', t('analytics.keys.compare')],
  ]
}

/** Renders the statistics. */
export function renderAnalyticsSection(frame: Frame, analytics: Analytics): SafeHtml {
  const { pageState, outcome, isLive, scopes, share } = analytics
  const liveAttribute = isLive ? html` data-live` : null
  const error = pageState.error ? html`<p class="notice" role="alert">${pageState.error}</p>` : null
  return html`${error}
${renderBar(pageState, { scopes, trailing: share ? renderShareMenu(frame, pageState, share) : null })}
<section class="report" id="report" aria-label="${t('analytics.title')}"${liveAttribute}>
${'statistics' in outcome ? renderReport(analytics, outcome.statistics) : renderUnavailableState(pageState, outcome)}
</section>
${isLive ? renderPageLiveNote(pageState) : null}
<div id="cards"${liveAttribute}>${
    'statistics' in outcome && outcome.statistics.clicks > 0
      ? renderCardPanels(pageState, outcome.statistics, {
          credit: analytics.credit,
          isShared: false,
        })
      : null
  }</div>`
}

function renderPageLiveNote({ subject, history }: PageState): SafeHtml {
  return renderLiveNote(
    buildUrl(`${subject.path}/live`, subject.extraParameters ?? []),
    history.allTime?.clicks ?? 0,
  )
}

function renderReport({ pageState, now }: Analytics, statistics: PageStatistics): SafeHtml {
  const { state, subject, buildHref } = pageState
  const { metric, compare } = state
  const hasClicks = statistics.clicks > 0 || (compare && (statistics.comparison?.clicks ?? 0) > 0)
  return html`${renderMetrics({
    counts: statistics,
    previous: findPreviousCounts(pageState, statistics, now),
    previousName: t(`periods.comparedWith.${compare ?? 'previous'}`),
    current: metric,
    clicksName: subject.kind === 'code' ? t('analytics.scans') : undefined,
    hrefOf: (name) => buildHref({ metric: name }),
  })}
${statistics.notice ? html`<p class="notice" role="status">${statistics.notice}</p>` : null}
${statistics.clicks === 0 ? renderEmptyState(pageState) : null}
${hasClicks ? renderTimeChart(createChart(pageState, statistics, now)) : null}
${renderNotes(pageState, statistics)}`
}

/** Renders the reason why statistics are unavailable, and a remedy. */
export function renderUnavailableState(
  { state, buildHref, history }: PageState,
  outcome: Exclude<Outcome, { statistics: PageStatistics }>,
): SafeHtml {
  if ('unavailable' in outcome) {
    const { allTime } = history
    return html`${renderUnavailableNote()}${allTime ? html`<p>${describeAllTime(allTime.clicks)}</p>` : null}`
  }
  const { text, firstDay } = outcome.problem
  const { choice } = state
  const remedy =
    firstDay !== undefined
      ? html`<a href="${buildHref({ choice: { from: firstDay, to: choice.to } })}">${t('analytics.viewSpan', { span: formatSpan({ from: firstDay, to: choice.to }) })}</a>`
      : html`<a href="${buildHref()}">${t('analytics.reload')}</a>`
  return html`<div class="notice" role="alert"><p><strong>${t('analytics.problem')}</strong></p><p>${text} ${remedy}${isFiltered(state) ? html` <a href="${buildHref({ filters: {} })}">${t('analytics.clearFilters')}</a>` : null}</p></div>`
}

function describeAllTime(clicks: number): string {
  return t('analytics.allTime', { clicks: t('analytics.clicks', { n: clicks }) })
}

function renderEmptyState({ state, calendar, history, buildHref }: PageState): SafeHtml {
  const { last } = history.days ?? {}
  if (isFiltered(state)) return html`<p class="inset">${t('analytics.noClicksFiltered')}</p>`
  if (last === undefined) return html`<p class="inset">${t('analytics.noClicks')}</p>`
  const preset = findPresetWithDay(last, calendar)
  const view = t(`analytics.view.${preset}`)
  const isSame = state.choice.preset === preset
  return html`<p class="inset">${t('analytics.noClicksNow')}${isSame ? null : html` <a href="${buildHref({ choice: { from: 0, to: 0, preset } })}">${view}</a>`}</p>`
}

/** Renders notes about the numbers and, unless the page is public, the link to download the timeline. */
export function renderNotes(
  pageState: PageState,
  statistics: PageStatistics,
  isShared = false,
): SafeHtml {
  const { state, history, ownZone, buildHref } = pageState
  const { imported, unmatchableClicks = 0, approximate, comparison } = statistics
  const { allTime } = history
  const isRunning = statistics.timeline.length > 0 && state.choice.to >= pageState.calendar.today
  const comparisonSpan = comparison && {
    from: dayOf(new Date(comparison.from)),
    to: dayOf(new Date(comparison.to)),
  }
  const notes = [
    allTime &&
      html`${describeAllTime(allTime.clicks)}${allTime.lastClickAt ? html` · ${t('analytics.lastClick', { time: formatMoment(allTime.lastClickAt, state.zone) })}` : null}`,
    state.zone === ownZone && !isShared
      ? undefined
      : t('analytics.zone', { zone: state.zone.replaceAll('_', ' ') }),
    isRunning && statistics.clicks > 0 ? t('analytics.unfinished') : undefined,
    comparisonSpan && state.compare
      ? t('analytics.comparison', { span: formatSpan(comparisonSpan) })
      : undefined,
    comparison && state.compare && isTodayByHour(pageState)
      ? t('analytics.noRowChanges')
      : undefined,
    imported && !statistics.filtered
      ? t('analytics.imported', { n: imported.clicks, span: formatSpan(imported) })
      : undefined,
    unmatchableClicks > 0 ? t('analytics.leftOut', { n: unmatchableClicks }) : undefined,
    approximate ? t('analytics.approximate') : undefined,
  ].filter((note) => note !== undefined)
  return html`<div class="notes small soft">${notes.map((note) => html`<p>${note}</p>`)}${isShared ? null : html`<p><a href="${buildHref({}, '/timeline.csv')}" download>${t('analytics.csv')}</a></p>`}</div>`
}

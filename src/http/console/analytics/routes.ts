import { html, type SafeHtml } from '@remix-run/html-template'
import { stringify } from 'csv-stringify/sync'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { findCountryCode } from '../../../visitors/country-names.ts'
import { sendDownload } from '../kit/download.ts'
import { renderRanking } from '../kit/ranking.ts'
import { type ConsoleRequest, defineSubject, type Page } from '../kit/subject.ts'
import { formatCount } from '../shell/format.ts'
import { renderBar } from './bar.ts'
import { createRanking, getTabName, LISTS, renderCredit } from './cards.ts'
import { listNotCountedRows } from './not-counted.ts'
import { listAnalyticsKeys, renderAnalyticsSection, renderUnavailableState } from './section.ts'
import { buildUrl, type ListName, type PageState, readPageState } from './state.ts'
import {
  chooseStatus,
  loadAnalytics,
  type PageStatistics,
  readPageStatistics,
} from './statistics.ts'
import { findTagOrAccount, listStatisticsPages, type Subject } from './subject.ts'

type Row = Readonly<Record<string, string | number | undefined>>

/** The maximum number of labels or links on a list's page and in its file. */
const MAX_LABELS = 1000

/**
 * Registers the statistics of an account and of the links with a tag, and the lists and files of all
 * pages with statistics.
 */
export function registerAnalyticsRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page } = defineSubject(app, '/console/analytics')
  page('/analytics', 'viewer', async (request) => {
    const analytics = await loadAnalytics(ctx, request, await findTagOrAccount(ctx, request))
    return {
      title: t('analytics.title'),
      keys: listAnalyticsKeys(),
      status: chooseStatus(analytics),
      body: (frame) => html`<h1>${t('analytics.title')}</h1>
${renderAnalyticsSection(frame, analytics)}`,
    }
  })
  for (const each of listStatisticsPages(ctx)) registerLists(app, ctx, each)
}

/** Registers the lists of a page with statistics, as pages and files, and its timeline as a file. */
function registerLists(
  app: FastifyInstance,
  ctx: HttpContext,
  { path, section, findSubject }: ReturnType<typeof listStatisticsPages>[number],
): void {
  const { page } = defineSubject(app, section)
  for (const [name, list] of Object.entries(LISTS)) {
    page(`${path}/${name}`, 'viewer', (request) => renderList(request, name, list))
    registerFile(name, (statistics) => listRows(list, statistics))
  }
  registerFile('timeline', listTimelineRows)
  registerFile('not-counted', listNotCountedRows)

  async function renderList(request: ConsoleRequest, name: string, list: ListName): Promise<Page> {
    const subject = await findSubject(request)
    const listSubject = { ...subject, path: `${subject.path}/${name}` }
    const lists = await readLists(request, listSubject)
    const { pageState, statistics, problem } = lists
    const title = getTabName(list)
    return {
      title: `${title} – ${subject.name}`,
      status: chooseStatus(lists),
      body: () => html`<p class="small back"><a href="${buildUrl(subject.path, pageState.parameters)}">← <bdi>${subject.name}</bdi></a></p>
<h1 id="title">${title}</h1>
${renderBar(pageState)}
${statistics ? renderWholeList(list, pageState, statistics) : renderUnavailableState(pageState, problem)}`,
    }
  }

  /** Registers a file. It cannot contain messages, so problems are errors. */
  function registerFile(name: string, toRows: (statistics: PageStatistics) => Row[]): void {
    page(`${path}/${name}.csv`, 'viewer', async (request, reply) => {
      const subject = await findSubject(request)
      const { pageState, statistics, problem } = await readLists(request, subject)
      const message = pageState.error ?? problem?.text
      if (message !== undefined)
        throw new AppError(problem?.status === 503 ? 'busy' : 'invalid_input', { message })
      if (!statistics) throw new AppError('database_unavailable')
      return sendDownload(reply, {
        name: `${subject.kind}-${subject.id}-${name}.csv`,
        type: 'text/csv',
        // Visitors choose labels, which spreadsheets must not run as formulas.
        content: stringify(toRows(statistics), { header: true, bom: true, escape_formulas: true }),
      })
    })
  }

  async function readLists({ query, session }: ConsoleRequest, subject: Subject) {
    const pageState = await readPageState(ctx, subject, query, { zone: session.user.timeZone })
    return { pageState, ...(await readPageStatistics(ctx, pageState, MAX_LABELS)) }
  }
}

function renderWholeList(
  list: ListName,
  pageState: PageState,
  statistics: PageStatistics,
): SafeHtml {
  const ranking = createRanking(pageState, statistics, list)
  const { length } = ranking.ranks
  if (length === 0) return html`<p class="inset">${t('analytics.noClicksNow')}</p>`
  return html`<div class="panel">
${renderRanking(ranking, 'title')}
${renderCredit(list, statistics)}
<p class="small soft">${length > MAX_LABELS ? `${t('breakdowns.limited', { n: formatCount(MAX_LABELS) })} ` : ''}<a href="${pageState.buildHref({}, '.csv')}" download>${t('analytics.csv')}</a></p>
</div>`
}

/** Returns the steps of a period as rows, with those of the compared period. */
function listTimelineRows({ timeline, comparison }: PageStatistics): Row[] {
  return timeline.map(({ start, clicks, newVisitors, comparison: before }) => ({
    start,
    clicks,
    newVisitors,
    ...(comparison && {
      comparisonStart: before?.start ?? '',
      comparisonClicks: before?.clicks ?? '',
      comparisonNewVisitors: before?.newVisitors ?? '',
    }),
  }))
}

/** Returns a list as rows. Countries include their codes. */
function listRows(list: ListName, statistics: PageStatistics): Row[] {
  if (list === 'links') {
    return statistics.links.flatMap(({ linkId, ...counts }) => {
      const name = statistics.linkNames.get(linkId)
      return name ? [{ id: linkId, link: shortLinkText(name.shortUrl), ...counts }] : []
    })
  }
  const labels = statistics[list]
  if (list !== 'countries') return labels
  return labels.map(({ label, ...counts }) => ({
    label,
    code: findCountryCode(label) ?? '',
    ...counts,
  }))
}

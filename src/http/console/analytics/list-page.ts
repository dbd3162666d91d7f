import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { renderRanking } from '../kit/ranking.ts'
import { formatCount } from '../shell/format-count.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { renderBar } from './bar.ts'
import { getTabName } from './card-panels.ts'
import { type ListPath, listPaths } from './cards.ts'
import { describeCredit } from './label-text.ts'
import { createRanking } from './lists.ts'
import type { Outcome, PageState } from './read.ts'
import { renderUnavailableState } from './section.ts'

export type ListPage = {
  path: ListPath
  /** The state of the page. Its links open the same list. */
  pageState: PageState
  outcome: Outcome
  backUrl: string
  /** The maximum number of labels. */
  limit: number
  credit: { text: string; href: string } | undefined
}

/** Renders a complete list, such as all countries, of a period. */
export function renderListPage(frame: Frame, page: ListPage): string {
  const { path, pageState, outcome, backUrl } = page
  const { subject } = pageState
  const title = getTabName(listPaths[path])
  return renderConsolePage(frame, {
    title: `${title} – ${subject.name}`,
    section: subject.section,
    body: html`<p class="small back"><a href="${backUrl}">← <bdi>${subject.name}</bdi></a></p>
<h1 id="title">${title}</h1>
${renderBar(pageState)}
${'statistics' in outcome ? renderTable(page, outcome) : renderUnavailableState(pageState, outcome)}`,
  })
}

function renderTable(
  { path, pageState, limit, credit }: ListPage,
  { statistics }: Extract<Outcome, { statistics: unknown }>,
): SafeHtml {
  const list = listPaths[path]
  const ranking = createRanking(pageState, statistics, list)
  if (ranking.ranks.length === 0) return html`<p class="inset">${t('analytics.noClicksNow')}</p>`
  return html`<div class="panel">
${renderRanking(ranking, 'title')}
${list === 'countries' && credit ? html`<p class="small soft"><a href="${credit.href}" rel="noreferrer">${describeCredit(credit)}</a></p>` : null}
<p class="small soft">${ranking.ranks.length > limit ? `${t('breakdowns.limited', { n: formatCount(limit) })} ` : ''}<a href="${pageState.buildHref({}, '.csv')}" download>${t('analytics.csv')}</a></p>
</div>`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { OTHER_LABEL, UNKNOWN_LABEL } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { t } from '../../../texts.ts'
import { renderRanking, renderWorldMap } from '../kit/ranking.ts'
import { type Card, cards, type Tab, toListPath } from './cards.ts'
import { describeCredit } from './label-text.ts'
import { createRanking, selectLabels } from './lists.ts'
import { DEFAULT_LABELS, type PageState, type PageStatistics } from './read.ts'

export type CardOptions = {
  /** The attribution of the country data. */
  credit: ReturnType<HttpContext['country']['credit']>
  /** Whether the page is public. If so, other links are not named, and labels and lists are not links. */
  isShared: boolean
}

/** Renders the lists of a period in cards with tabs. */
export function renderCardPanels(
  pageState: PageState,
  statistics: PageStatistics,
  options: CardOptions,
): SafeHtml {
  const visibleCards = cards.flatMap(({ tabs, ...card }) => {
    const visibleTabs = tabs.filter((tab) => isTabVisible(tab, pageState, statistics, options))
    return visibleTabs.length > 0 ? [{ ...card, tabs: visibleTabs }] : []
  })
  const columns = [0, 1].map((column) => visibleCards.filter((card) => card.column === column))
  return html`<div class="label-cards">${columns.map((columnCards) => html`<div>${columnCards.map((card) => renderCardPanel(card, pageState, statistics, options))}</div>`)}</div>`
}

function isTabVisible(
  tab: Tab,
  { subject }: PageState,
  statistics: PageStatistics,
  { isShared }: CardOptions,
): boolean {
  // Variants show their destinations, which a password may protect.
  if (tab === 'variants')
    return !isShared && selectLabels(tab, statistics).length > 0 && hasVariants(statistics)
  if (tab !== 'links') return true
  return !isShared && subject.kind !== 'link' && subject.kind !== 'code'
}

/** Returns whether any clicks have a variant. Clicks on links without variants have none. */
function hasVariants(statistics: PageStatistics): boolean {
  return selectLabels('variants', statistics).some(
    ({ label }) => label !== UNKNOWN_LABEL && label !== OTHER_LABEL,
  )
}

/** Renders a card. Tabs are links; a script switches between loaded ones. */
function renderCardPanel(
  card: Card,
  pageState: PageState,
  statistics: PageStatistics,
  options: CardOptions,
): SafeHtml {
  const { name, tabs } = card
  const openTab = tabs.find((tab) => pageState.state.tabs.includes(tab)) ?? tabs[0]
  const headingId = `${name}-title`
  return html`<section class="panel card" id="${name}" aria-labelledby="${headingId}">
<h2 class="hidden-text" id="${headingId}">${t(`breakdowns.cards.${name}`)}</h2>
<ul class="tabs">${tabs.map((tab) => html`<li><a href="${buildTabHref(card, tab, pageState)}" data-tab="${name}-${tab}"${tab === openTab ? html` aria-current="true"` : null}>${getTabName(tab)}</a></li>`)}</ul>
${tabs.map((tab) =>
  // The map is large and needs more countries than the list, so it is loaded only if it is open.
  tab === 'map' && tab !== openTab
    ? null
    : html`<div id="${name}-${tab}"${tab === openTab ? null : html` hidden`}>${renderTabPanel(tab, headingId, pageState, statistics, options)}</div>`,
)}
</section>`
}

function renderTabPanel(
  tab: Tab,
  headingId: string,
  pageState: PageState,
  statistics: PageStatistics,
  { credit, isShared }: CardOptions,
): SafeHtml {
  const list = tab === 'map' ? 'countries' : tab
  const isLinked = !isShared
  const ranking = createRanking(pageState, statistics, list, { limit: DEFAULT_LABELS, isLinked })
  const map =
    tab === 'map'
      ? renderWorldMap(createRanking(pageState, statistics, 'countries', { isLinked }).ranks)
      : null
  const path = toListPath(list)
  const name = getTabName(list)
  return html`${map}
${ranking.ranks.length === 0 ? html`<p class="soft">${t('analytics.noClicksNow')}</p>` : renderRanking(ranking, headingId)}
${list === 'countries' && credit ? html`<p class="small soft"><a href="${credit.href}" rel="noreferrer">${describeCredit(credit)}</a></p>` : null}
${
  isShared || ranking.ranks.length === 0
    ? null
    : html`<p class="small more"><a href="${pageState.buildHref({}, `/${path}`)}" aria-label="${t('breakdowns.seeAllOf', { list: name })}">${t('breakdowns.seeAll')}</a> <a href="${pageState.buildHref({}, `/${path}.csv`)}" download aria-label="${t('analytics.csvOf', { list: name })}">CSV</a></p>`
}`
}

/** Returns the URL of a tab. The first tab of a card is the default. */
function buildTabHref({ tabs }: Card, tab: Tab, { state, buildHref }: PageState): string {
  const others = state.tabs.filter((each) => !tabs.includes(each))
  return buildHref({ tabs: tab === tabs[0] ? others : [...others, tab] })
}

/** Returns the name of a tab. */
export function getTabName(tab: Tab): string {
  if (tab === 'map') return t('breakdowns.map')
  return tab === 'links' ? t('breakdowns.topLinks') : t(`breakdowns.lists.${tab}`)
}

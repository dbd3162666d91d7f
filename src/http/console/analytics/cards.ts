import { html, type SafeHtml } from '@remix-run/html-template'
import {
  type FilterName,
  filterOfList,
  formatDay,
  OTHER_LABEL,
  readFilters,
  UNKNOWN_LABEL,
} from '../../../clicks/read.ts'
import { t } from '../../../texts.ts'
import { BUNDLED_CREDIT } from '../../../visitors/country-credit.ts'
import { findCountryCode } from '../../../visitors/country-names.ts'
import { linkNameText } from '../kit/link-name.ts'
import { renderTabs } from '../kit/menu.ts'
import { renderNamedLink } from '../kit/parts.ts'
import { type Rank, type Ranking, renderRanking } from '../kit/ranking.ts'
import { localizeLabel, toEnglishLabel } from './format.ts'
import { renderGlyph } from './glyphs.ts'
import { buildUrl, CARDS, isTodayByHour, type ListName, type PageState, type Tab } from './state.ts'
import { DEFAULT_LABELS, type PageStatistics } from './statistics.ts'
import { renderWorldMap } from './world-map.ts'

/** Lists with a page and a file, by the last segment of their paths. */
export const LISTS = {
  countries: 'countries',
  referrers: 'referrers',
  browsers: 'browsers',
  systems: 'os',
  devices: 'devices',
  languages: 'languages',
  variants: 'variants',
  sources: 'sources',
  'top-links': 'links',
} as const satisfies Record<string, ListName>

/** The number of links in their card. With their short URLs, they are as tall as ten labels. */
const SHOWN_LINKS = 6

/** Renders the lists of a period in cards with tabs, in two columns of equal cards on wide pages. */
export function renderCards(pageState: PageState, statistics: PageStatistics): SafeHtml {
  const cards = CARDS.map((card) => {
    const tabs = card.tabs.filter((tab) => isTabVisible(tab, pageState, statistics))
    return tabs.length > 0 ? renderCard(card.name, tabs, pageState, statistics) : null
  })
  return html`<div class="label-cards">${cards}</div>`
}

function isTabVisible(
  tab: Tab,
  { subject, reader }: PageState,
  statistics: PageStatistics,
): boolean {
  // Variants show their destinations, which a password may protect. Clicks on links without variants
  // have none.
  if (tab === 'variants')
    return (
      !reader.isShared &&
      statistics.variants.some(({ label }) => label !== UNKNOWN_LABEL && label !== OTHER_LABEL)
    )
  if (tab === 'sources') return statistics.sources.length > 0 && subject.kind !== 'code'
  return tab !== 'links' || !(reader.isShared || ['link', 'code'].includes(subject.kind))
}

function renderCard(
  name: (typeof CARDS)[number]['name'],
  tabs: readonly Tab[],
  pageState: PageState,
  statistics: PageStatistics,
): SafeHtml {
  const openTab = tabs.find((tab) => pageState.tabs.includes(tab)) ?? tabs[0]
  // The first tab of a card is the default.
  const otherTabs = pageState.tabs.filter((each) => !tabs.includes(each))
  return renderTabs(
    name,
    t(`breakdowns.cards.${name}`),
    tabs.map((tab) => ({
      id: `${name}-${tab}`,
      name: getTabName(tab),
      href: pageState.buildHref({ tabs: tab === tabs[0] ? otherTabs : [...otherTabs, tab] }),
      isOpen: tab === openTab,
      // The map is large and needs more countries than the list, so it is loaded only if it is open.
      content:
        tab === 'map' && tab !== openTab
          ? undefined
          : renderTab(tab, `${name}-title`, pageState, statistics),
    })),
  )
}

function renderTab(
  tab: Tab,
  headingId: string,
  pageState: PageState,
  statistics: PageStatistics,
): SafeHtml {
  const list = tab === 'map' ? 'countries' : tab
  const ranking = createRanking(pageState, statistics, list)
  const map = tab === 'map' ? renderWorldMap(ranking.ranks) : null
  if (ranking.ranks.length === 0)
    return html`${map}<p class="soft">${t('analytics.noClicksNow')}</p>${renderCredit(list, statistics)}`
  const path = Object.entries(LISTS).find(([, each]) => each === list)?.[0]
  const href = pageState.buildHref({}, `/${path}`)
  const fileHref = pageState.buildHref({}, `/${path}.csv`)
  const name = { list: getTabName(list) }
  const links = html`<p class="small more">${renderNamedLink(href, t('breakdowns.seeAll'), t('breakdowns.seeAllOf', name))} ${renderNamedLink(fileHref, 'CSV', t('analytics.csvOf', name), { isDownload: true })}</p>`
  return html`${map}
${renderRanking(shortenRanking(ranking, list, statistics), headingId)}
${renderCredit(list, statistics)}
${pageState.reader.isShared ? null : links}`
}

/** Renders the attribution of the country data below the list of countries. */
export function renderCredit(list: ListName, { credit }: PageStatistics): SafeHtml | null {
  if (list !== 'countries' || !credit) return null
  const text = credit.text === BUNDLED_CREDIT.text ? t('breakdowns.countryData') : credit.text
  return html`<p class="small soft"><a href="${credit.href}" rel="noreferrer">${text}</a></p>`
}

/** Returns the name of a tab. */
export function getTabName(tab: Tab): string {
  if (tab === 'map') return t('breakdowns.map')
  return tab === 'links' ? t('breakdowns.topLinks') : t(`breakdowns.lists.${tab}`)
}

/**
 * Returns the most clicked labels of a list. Each has a link that filters by it, unless the page is
 * public. Links are ranked likewise, with links to their pages.
 */
export function createRanking(
  pageState: PageState,
  statistics: PageStatistics,
  list: ListName,
): Ranking {
  // The labels of an unfinished day are not compared with those of a whole one.
  const isCompared =
    pageState.compare !== undefined &&
    statistics.comparison !== undefined &&
    !isTodayByHour(pageState)
  const { comparison, imported } = statistics
  // Imported clicks have no labels.
  const isComparable =
    !comparison?.unmatchableClicks &&
    !(
      comparison &&
      imported &&
      formatDay(imported.from) <= comparison.to &&
      formatDay(imported.to) >= comparison.from
    )
  const common = { total: statistics.clicks, isCompared, isComparable }
  if (list === 'links') {
    const ranks = rankLinks(pageState, statistics)
    return { ...common, labelName: t('breakdowns.link'), ranks }
  }
  const name = filterOfList[list]
  const ranks = statistics[list]
    // A label clicked only in the comparison period has 0 clicks here. Without the comparison column,
    // its row would be pointless.
    .filter(({ clicks }) => clicks > 0 || isCompared)
    .map((clicks) => ({
      ...clicks,
      text: localizeLabel(name, clicks.label),
      country: list === 'countries' ? findCountryCode(clicks.label) : undefined,
      glyph: renderGlyph(list, clicks.label),
      href: pageState.reader.isShared ? undefined : buildFilterHref(pageState, name, clicks.label),
    }))
  return { ...common, labelName: t(`breakdowns.kinds.${name}`), ranks }
}

/** Returns the most clicked links, linked to their pages with the same period and filters. */
function rankLinks({ parameters }: PageState, { links, linkNames }: PageStatistics): Rank[] {
  const kept = parameters.filter(([name]) => name !== 'tab' && name !== 'tag')
  return links.flatMap(({ linkId, clicks, comparison }) => {
    const name = linkNames.get(linkId)
    if (!name) return []
    const href = buildUrl(`/console/links/${linkId}`, kept)
    return [{ label: linkNameText(name), link: name, href, clicks, comparison }]
  })
}

/** Returns the URL with one more filter, or undefined if it is already set or not possible. */
function buildFilterHref(
  { filters, buildHref }: PageState,
  name: FilterName,
  label: string,
): string | undefined {
  const values = filters[name] ?? []
  const isSet = values.some((value) => toEnglishLabel(name, value) === label)
  if (label === OTHER_LABEL || isSet) return undefined
  try {
    readFilters({ [name]: label })
  } catch {
    return undefined
  }
  return buildHref({ filters: { ...filters, [name]: [...values, label] } })
}

/** Returns the first ranks of a list. One more sums up the rest of the labels as `Other`. */
function shortenRanking(
  ranking: Ranking,
  list: ListName,
  { clicks, comparison }: PageStatistics,
): Ranking {
  if (list === 'links') return { ...ranking, ranks: ranking.ranks.slice(0, SHOWN_LINKS) }
  const ranks = ranking.ranks.filter(({ label }) => label !== OTHER_LABEL)
  if (ranks.length <= DEFAULT_LABELS) return ranking
  const top = ranks.slice(0, DEFAULT_LABELS)
  const sumTop = (read: (rank: Rank) => number) => top.reduce((sum, rank) => sum + read(rank), 0)
  const before = (comparison?.clicks ?? 0) - sumTop((rank) => rank.comparison ?? 0)
  const other = {
    label: OTHER_LABEL,
    text: t('breakdowns.other'),
    clicks: clicks - sumTop((rank) => rank.clicks),
    comparison: Math.max(0, before),
  }
  return { ...ranking, ranks: [...top, other] }
}

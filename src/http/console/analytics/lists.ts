import {
  type FilterName,
  filterOfList,
  type LabelClicks,
  OTHER_LABEL,
  readFilters,
} from '../../../clicks/read.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { findCountryCode } from '../../../visitors/country-names.ts'
import type { Rank, Ranking } from '../kit/ranking.ts'
import type { ListName } from './cards.ts'
import { isTodayByHour } from './chart.ts'
import { localizeLabel, toEnglishLabel } from './label-text.ts'
import type { PageState, PageStatistics } from './read.ts'
import { buildUrl } from './state.ts'

/** Returns the labels of a list, or an empty array if the statistics do not include it. */
export function selectLabels(list: ListName, statistics: PageStatistics): readonly LabelClicks[] {
  return (statistics as Partial<Record<ListName, LabelClicks[]>>)[list] ?? []
}

/**
 * Returns the most clicked labels of a list. Each has a link that filters by it, unless `isLinked` is
 * false. Links are ranked likewise, with links to their pages.
 */
export function createRanking(
  pageState: PageState,
  statistics: PageStatistics,
  list: ListName | 'links',
  { limit = Number.POSITIVE_INFINITY, isLinked = true } = {},
): Ranking {
  const isCompared = isComparing(pageState, statistics)
  const ranks =
    list === 'links'
      ? rankLinks(pageState, statistics)
      : rankLabels(pageState, statistics, list, isLinked)
  return {
    labelName:
      list === 'links' ? t('breakdowns.link') : t(`breakdowns.kinds.${getFilterName(list)}`),
    ranks: list === 'links' ? ranks.slice(0, limit) : truncateRanks(ranks, limit, statistics),
    total: statistics.clicks,
    isCompared,
  }
}

/**
 * Returns whether changes are shown. False for an unfinished day, whose labels would be compared
 * with those of a whole one.
 */
function isComparing(pageState: PageState, statistics: PageStatistics): boolean {
  const { compare } = pageState.state
  return compare !== undefined && statistics.comparison !== undefined && !isTodayByHour(pageState)
}

function rankLabels(
  pageState: PageState,
  statistics: PageStatistics,
  list: ListName,
  isLinked: boolean,
): Rank[] {
  const isCompared = isComparing(pageState, statistics)
  // A label clicked only in the comparison period has 0 clicks here. Without the comparison column,
  // its row would be pointless.
  const visibleLabels = selectLabels(list, statistics).filter(
    ({ clicks }) => clicks > 0 || isCompared,
  )
  return visibleLabels.map(({ label, clicks, comparison }) => ({
    label,
    clicks,
    comparison,
    text: localizeLabel(getFilterName(list), label),
    country: list === 'countries' ? findCountryCode(label) : undefined,
    href: isLinked ? buildFilterHref(pageState, getFilterName(list), label) : undefined,
  }))
}

/** Returns the most clicked links, linked to their pages with the same period and filters. */
function rankLinks({ parameters }: PageState, { links, linkNames }: PageStatistics): Rank[] {
  const keptParameters = parameters.filter(([name]) => name !== 'tab' && name !== 'tag')
  return links.flatMap(({ linkId, clicks, comparison }) => {
    const name = linkNames.get(linkId)
    if (!name) return []
    const href = buildUrl(`/console/links/${linkId}`, keptParameters)
    return [{ label: shortLinkText(name.shortUrl), href, clicks, comparison }]
  })
}

/** Returns the URL with one more filter, or undefined if it is already set or not possible. */
function buildFilterHref(
  { state, buildHref }: PageState,
  name: FilterName,
  label: string,
): string | undefined {
  const { filters } = state
  const activeValues = filters[name] ?? []
  if (label === OTHER_LABEL || activeValues.some((value) => toEnglishLabel(name, value) === label))
    return undefined
  try {
    readFilters({ [name]: label })
  } catch {
    return undefined
  }
  return buildHref({ filters: { ...filters, [name]: [...activeValues, label] } })
}

function getFilterName(list: ListName): FilterName {
  return filterOfList[list as keyof typeof filterOfList] ?? (list as FilterName)
}

/** Returns the first `limit` ranks, followed by one that sums up the rest as `Other`. */
function truncateRanks(
  ranks: readonly Rank[],
  limit: number,
  statistics: PageStatistics,
): readonly Rank[] {
  const namedRanks = ranks.filter(({ label }) => label !== OTHER_LABEL)
  if (namedRanks.length <= limit) return ranks
  const top = namedRanks.slice(0, limit)
  const sumTop = (readValue: (rank: Rank) => number) =>
    top.reduce((all, rank) => all + readValue(rank), 0)
  const before = (statistics.comparison?.clicks ?? 0) - sumTop(({ comparison = 0 }) => comparison)
  const other = {
    clicks: statistics.clicks - sumTop(({ clicks }) => clicks),
    comparison: Math.max(0, before),
  }
  return [...top, { label: OTHER_LABEL, text: t('breakdowns.other'), ...other }]
}

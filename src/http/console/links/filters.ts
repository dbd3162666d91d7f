import { html, type SafeHtml } from '@remix-run/html-template'
import { hostText } from '../../../pages/short-link-text.ts'
import { t, tAll } from '../../../texts.ts'
import { renderIcon } from '../shell/icon.ts'
import { countFilters, type View } from './view.ts'

export type FilterChoices = {
  view: View
  tags: readonly string[]
  domains: readonly { id: number; host: string }[]
  campaigns: readonly { id: number; name: string }[]
  /** Whether the search or a filter is set. */
  isNarrowed: boolean
  /** Whether the daily link check is enabled. */
  isLinkCheckEnabled: boolean
}

type Options = readonly (readonly [value: string, text: string])[]

/** Renders the search, the filters and the order of the list. A script applies changes immediately. */
export function renderFilterForm(choices: FilterChoices): SafeHtml {
  const { view, tags, isNarrowed } = choices
  const filterCount = countFilters(view)
  const { broken, ...otherStatuses } = tAll('links.statuses')
  // Links can only be broken if they are checked.
  const statuses = {
    ...otherStatuses,
    ...((choices.isLinkCheckEnabled || view.status === 'broken') && { broken }),
  }
  return html`<form class="filters" id="filters" method="get" action="/console/links" role="search">
<div class="filter-text"><label class="hidden-text" for="q">${t('links.search')}</label>${renderIcon('search')}<input type="search" id="q" name="q" value="${view.q}" maxlength="500" autocomplete="off" dir="auto" placeholder="${t('links.searchPlaceholder')}"></div>
<details class="filter-more"${filterCount > 0 ? html` open` : null}><summary>${t('links.filters')}${filterCount > 0 ? html` <span class="count-mark">${filterCount}</span>` : null}</summary>
<div class="filter-fields">
${tags.length > 0 || view.tag ? renderSelect('tag', t('links.tag'), view.tag, createTagOptions(view.tag, tags)) : null}
${renderSelect('status', t('links.status'), view.status, [['', t('links.any')], ...Object.entries(statuses)])}
${renderSelect('sort', t('links.sort'), view.sort, Object.entries(tAll('links.sorts')))}
${renderMoreFilters(choices)}
</div></details>
<button class="button quiet small" data-apply>${t('links.apply')}</button>
${isNarrowed ? html`<a class="reset" href="/console/links">${t('links.clearFilters')}</a>` : null}
</form>`
}

/** Renders the less common filters, collapsed unless one is set. */
function renderMoreFilters({ view, domains, campaigns }: FilterChoices): SafeHtml {
  const { domain, campaign, clicks, from, to } = view
  const isSet = [domain, campaign, clicks, from, to].some((value) => value !== '')
  return html`<details class="filter-extra"${isSet ? html` open` : null}><summary>${t('links.moreFilters')}</summary>
<div class="filter-fields">
${
  domains.length > 0
    ? renderSelect('domain', t('links.domain'), domain, [
        ['', t('links.any')],
        ...domains.map(({ id, host }) => [String(id), hostText(host)] as const),
      ])
    : null
}
${
  campaigns.length > 0
    ? renderSelect('campaign', t('links.campaign'), campaign, [
        ['', t('links.any')],
        ...campaigns.map(({ id, name }) => [String(id), name] as const),
      ])
    : null
}
${renderSelect('clicks', t('links.clicksFilter'), clicks, [
  ['', t('links.any')],
  ['none', t('links.neverClicked')],
])}
${renderDayField('from', t('links.createdFrom'), from)}
${renderDayField('to', t('links.createdTo'), to)}
</div></details>`
}

/**
 * Returns the options of the tag filter, including a selected tag that is not in `tags`. Tags are
 * case-insensitive, so the URL may spell a tag differently.
 */
function createTagOptions(selected: string, tags: readonly string[]): Options {
  const isListed = tags.some((tag) => tag.toLowerCase() === selected.toLowerCase())
  const choices = selected === '' || isListed ? tags : [selected, ...tags]
  return [['', t('links.any')], ...choices.map((tag) => [tag, tag] as const)]
}

function renderDayField(name: string, label: string, value: string): SafeHtml {
  return html`<div class="field"><label for="${name}">${label}</label><input type="date" id="${name}" name="${name}" value="${value}"></div>`
}

function renderSelect(name: string, label: string, selected: string, options: Options): SafeHtml {
  const isSelected = (value: string) => value.toLowerCase() === selected.toLowerCase()
  return html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${options.map(
    ([value, text]) =>
      html`<option value="${value}"${isSelected(value) ? html` selected` : null}>${text}</option>`,
  )}</select></div>`
}

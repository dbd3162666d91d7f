import { html, type SafeHtml } from '@remix-run/html-template'
import {
  type ComparisonName,
  comparisons,
  type FilterName,
  filterNames,
  findAdjacentSpan,
  formatDay,
  type LabelFilters,
  listIntervals,
  type PresetName,
  presetNames,
} from '../../../clicks/read.ts'
import { formatSpan } from './format-period.ts'
import { localizeFilterValue } from './label-text.ts'
import { listMessages } from './list-messages.ts'
import { type MenuItem, renderMenu } from './menu.ts'
import { analyticsMessages as messages } from './messages.ts'
import { periodMessages } from './period-messages.ts'
import type { PageState } from './read.ts'
import { isFilter, type Parameter } from './state.ts'

/** The shortcut keys of periods. */
export const presetKeys: Partial<Record<PresetName, string>> = {
  today: 'T',
  '7d': 'W',
  '30d': 'M',
  '90d': 'Q',
  '12m': 'Y',
  all: 'A',
}

/** Returns the named periods as links, without the custom range. */
function listPresetItems({ state, buildHref }: PageState): MenuItem[] {
  return presetNames.map((preset) => ({
    href: buildHref({ choice: { from: 0, to: 0, preset } }),
    label: periodMessages.presets[preset],
    key: presetKeys[preset],
    isCurrent: state.choice.preset === preset,
  }))
}

type BarOptions = {
  /** The subjects in the menu, including the current one. */
  scopes?: readonly MenuItem[]
  /** Whether the page is public. Only the period can then be selected. */
  isShared?: boolean
  /** Content at the end of the bar. */
  trailing?: SafeHtml | null
}

/** Renders the bar with scope, period, comparison and filters. */
export function renderBar(
  pageState: PageState,
  { scopes = [], isShared = false, trailing = null }: BarOptions = {},
): SafeHtml {
  const { choice } = pageState.state
  const period = choice.preset ? periodMessages.presets[choice.preset] : formatSpan(choice)
  return html`<div class="controls" role="group" aria-label="${messages.filters}">
${scopes.length > 0 ? renderMenu(messages.scope, getScopeName(pageState), scopes) : null}
${renderPeriodSteps(pageState, renderMenu(periodMessages.period, period, listPresetItems(pageState), renderCustomForm(pageState, isShared)))}
${renderIntervalMenu(pageState)}
${renderCompareMenu(pageState)}
${isShared ? null : renderFilterMenu(pageState)}
${trailing}
${renderFilterPills(pageState)}
</div>`
}

/** Renders the menu of periods between links to the preceding and following period. */
function renderPeriodSteps({ state, calendar, buildHref }: PageState, periods: SafeHtml): SafeHtml {
  const { choice } = state
  const { interval } = choice
  const earlier = findAdjacentSpan(choice, -1, calendar)
  const later = findAdjacentSpan(choice, 1, calendar)
  const renderStep = (span: typeof earlier, sign: string, key: string, text: string) =>
    span
      ? html`<a class="step" href="${buildHref({ choice: { ...span, interval } })}" data-key="${key}"><span aria-hidden="true">${sign}</span><span class="hidden-text">${text.replace('{span}', formatSpan(span))}</span></a>`
      : html`<span class="step none" aria-hidden="true">${sign}</span>`
  return html`<div class="steps">${renderStep(earlier, '‹', 'ArrowLeft', periodMessages.earlier)}${periods}${renderStep(later, '›', 'ArrowRight', periodMessages.later)}</div>`
}

/** Returns filters without one label. */
function removeFilter(filters: LabelFilters, name: FilterName, value: string): LabelFilters {
  const remaining = (filters[name] ?? []).filter((each) => each !== value)
  const { [name]: _, ...others } = filters
  return remaining.length > 0 ? { ...others, [name]: remaining } : others
}

function getScopeName({ subject }: PageState): string {
  if (subject.kind === 'account') return messages.allLinks
  return subject.kind === 'tag' ? messages.tagged.replace('{name}', subject.name) : subject.name
}

function renderIntervalMenu({ state, calendar, buildHref }: PageState): SafeHtml | null {
  const { choice } = state
  const intervals = listIntervals(choice, calendar)
  if (intervals.length < 2) return null
  const items = intervals.map((interval) => ({
    href: buildHref({ choice: { ...choice, interval } }),
    label: periodMessages.intervals[interval],
    isCurrent: interval === choice.interval,
  }))
  return renderMenu(periodMessages.interval, periodMessages.intervals[choice.interval], items)
}

/** Renders the menu of comparisons. The key `X` toggles the comparison with the previous period. */
function renderCompareMenu({ state, buildHref }: PageState): SafeHtml | null {
  const { choice, compare } = state
  if (choice.preset === 'all') return null
  const toMenuItem = (name: ComparisonName): MenuItem => ({
    href: buildHref({ compare: name }),
    label: periodMessages.comparisons[name],
    isCurrent: name === compare,
    key: name === 'previous' && !compare ? 'X' : undefined,
  })
  const noComparison = {
    href: buildHref({ compare: undefined }),
    label: periodMessages.noComparison,
    isCurrent: !compare,
    key: compare ? 'X' : undefined,
  }
  const label = compare ? periodMessages.comparisons[compare] : periodMessages.compare
  return renderMenu(periodMessages.compare, label, [...comparisons.map(toMenuItem), noComparison])
}

function renderCustomForm(pageState: PageState, isShared: boolean): SafeHtml {
  const { state, calendar, subject } = pageState
  const { choice, zone } = state
  const max = formatDay(calendar.today)
  const keptParameters = pageState.parameters.filter(
    ([name]) => !['from', 'to', 'period', 'interval', 'tz'].includes(name),
  )
  return html`<form method="get" action="${subject.path}">
<p class="menu-name">${periodMessages.custom}</p>
${renderHiddenInputs(keptParameters)}
<label>${periodMessages.start} <input type="date" name="from" value="${formatDay(choice.from)}" max="${max}" required></label>
<label>${periodMessages.end} <input type="date" name="to" value="${formatDay(choice.to)}" max="${max}" required></label>
${isShared ? null : html`<label>${periodMessages.timeZone} <input name="tz" value="${zone}" maxlength="64" autocomplete="off" spellcheck="false" required></label>`}
<button class="button small">${messages.apply}</button>
</form>`
}

function renderFilterMenu({ subject, parameters }: PageState): SafeHtml {
  const selectParameters = (name: FilterName) => parameters.filter(([each]) => each === name)
  const keptParameters = parameters.filter(([name]) => !isFilter(name))
  const fields = filterNames.map((name) => {
    const [first, ...others] = selectParameters(name)
    return html`${renderHiddenInputs(others)}<label>${listMessages.kinds[name]} <input name="${name}" value="${first ? localizeFilterValue(name, first[1]) : ''}" maxlength="8192" autocomplete="off" dir="auto"></label>`
  })
  const form = html`<form method="get" action="${subject.path}">
${renderHiddenInputs(keptParameters)}${fields}
<p class="small soft">${messages.filterHint}</p>
<button class="button small">${messages.apply}</button>
</form>`
  return html`<details class="row-menu menu"><summary>${messages.filter}</summary>
<div class="menu-panel">${form}</div></details>`
}

/** Renders each filter with a link that removes it. */
function renderFilterPills({ subject, state, buildHref }: PageState): SafeHtml | null {
  const { filters } = state
  const renderPill = (href: string, kind: string, label: string, name: string) =>
    html`<li><a href="${href}"><span class="hidden-text">${name}</span><span class="soft" aria-hidden="true">${kind}</span> <bdi aria-hidden="true">${label}</bdi> <span aria-hidden="true">×</span></a></li>`
  const pills = filterNames.flatMap((name) =>
    (filters[name] ?? []).map((value) => {
      const kind = listMessages.kinds[name]
      const label = localizeFilterValue(name, value)
      const remove = messages.removeFilter.replace('{kind}', kind).replace('{label}', label)
      return renderPill(
        buildHref({ filters: removeFilter(filters, name, value) }),
        kind,
        label,
        remove,
      )
    }),
  )
  const tag =
    subject.kind === 'tag'
      ? renderPill('/console/analytics', messages.tag, subject.name, messages.removeTag)
      : null
  if (pills.length === 0 && !tag) return null
  return html`<ul class="pills" aria-label="${messages.filters}">${tag}${pills}${pills.length > 1 ? html`<li><a class="clear" href="${buildHref({ filters: {} })}">${messages.clearFilters}</a></li>` : null}</ul>`
}

function renderHiddenInputs(parameters: readonly Parameter[]): SafeHtml[] {
  return parameters.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
}

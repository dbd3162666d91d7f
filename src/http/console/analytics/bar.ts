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
import { t } from '../../../texts.ts'
import { type MenuItem, renderMenu } from '../kit/menu.ts'
import { formatSpan } from './format-period.ts'
import { localizeFilterValue } from './label-text.ts'
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
    label: t(`periods.presets.${preset}`),
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
  const period = choice.preset ? t(`periods.presets.${choice.preset}`) : formatSpan(choice)
  return html`<div class="controls" role="group" aria-label="${t('analytics.filters')}">
${scopes.length > 0 ? renderMenu(t('analytics.scope'), getScopeName(pageState), scopes) : null}
${renderPeriodSteps(pageState, renderMenu(t('periods.period'), period, listPresetItems(pageState), renderCustomForm(pageState, isShared)))}
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
  return html`<div class="steps">${renderStep(earlier, '‹', 'ArrowLeft', t('periods.earlier'))}${periods}${renderStep(later, '›', 'ArrowRight', t('periods.later'))}</div>`
}

/** Returns filters without one label. */
function removeFilter(filters: LabelFilters, name: FilterName, value: string): LabelFilters {
  const remaining = (filters[name] ?? []).filter((each) => each !== value)
  const { [name]: _, ...others } = filters
  return remaining.length > 0 ? { ...others, [name]: remaining } : others
}

function getScopeName({ subject }: PageState): string {
  if (subject.kind === 'account') return t('analytics.allLinks')
  return subject.kind === 'tag' ? t('analytics.tagged', { name: subject.name }) : subject.name
}

function renderIntervalMenu({ state, calendar, buildHref }: PageState): SafeHtml | null {
  const { choice } = state
  const intervals = listIntervals(choice, calendar)
  if (intervals.length < 2) return null
  const items = intervals.map((interval) => ({
    href: buildHref({ choice: { ...choice, interval } }),
    label: t(`periods.intervals.${interval}`),
    isCurrent: interval === choice.interval,
  }))
  return renderMenu(t('periods.interval'), t(`periods.intervals.${choice.interval}`), items)
}

/** Renders the menu of comparisons. The key `X` toggles the comparison with the previous period. */
function renderCompareMenu({ state, buildHref }: PageState): SafeHtml | null {
  const { choice, compare } = state
  if (choice.preset === 'all') return null
  const toMenuItem = (name: ComparisonName): MenuItem => ({
    href: buildHref({ compare: name }),
    label: t(`periods.comparisons.${name}`),
    isCurrent: name === compare,
    key: name === 'previous' && !compare ? 'X' : undefined,
  })
  const noComparison = {
    href: buildHref({ compare: undefined }),
    label: t('periods.noComparison'),
    isCurrent: !compare,
    key: compare ? 'X' : undefined,
  }
  const label = compare ? t(`periods.comparisons.${compare}`) : t('periods.compare')
  return renderMenu(t('periods.compare'), label, [...comparisons.map(toMenuItem), noComparison])
}

function renderCustomForm(pageState: PageState, isShared: boolean): SafeHtml {
  const { state, calendar, subject } = pageState
  const { choice, zone } = state
  const max = formatDay(calendar.today)
  const keptParameters = pageState.parameters.filter(
    ([name]) => !['from', 'to', 'period', 'interval', 'tz'].includes(name),
  )
  return html`<form method="get" action="${subject.path}">
<p class="menu-name">${t('periods.custom')}</p>
${renderHiddenInputs(keptParameters)}
<label>${t('periods.start')} <input type="date" name="from" value="${formatDay(choice.from)}" max="${max}" required></label>
<label>${t('periods.end')} <input type="date" name="to" value="${formatDay(choice.to)}" max="${max}" required></label>
${isShared ? null : html`<label>${t('periods.timeZone')} <input name="tz" value="${zone}" maxlength="64" autocomplete="off" spellcheck="false" required></label>`}
<button class="button small">${t('analytics.apply')}</button>
</form>`
}

function renderFilterMenu({ subject, parameters }: PageState): SafeHtml {
  const selectParameters = (name: FilterName) => parameters.filter(([each]) => each === name)
  const keptParameters = parameters.filter(([name]) => !isFilter(name))
  const fields = filterNames.map((name) => {
    const [first, ...others] = selectParameters(name)
    return html`${renderHiddenInputs(others)}<label>${t(`breakdowns.kinds.${name}`)} <input name="${name}" value="${first ? localizeFilterValue(name, first[1]) : ''}" maxlength="8192" autocomplete="off" dir="auto"></label>`
  })
  const form = html`<form method="get" action="${subject.path}">
${renderHiddenInputs(keptParameters)}${fields}
<p class="small soft">${t('analytics.filterHint')}</p>
<button class="button small">${t('analytics.apply')}</button>
</form>`
  return html`<details class="row-menu menu"><summary>${t('analytics.filter')}</summary>
<div class="menu-panel">${form}</div></details>`
}

/** Renders each filter with a link that removes it. */
function renderFilterPills({ subject, state, buildHref }: PageState): SafeHtml | null {
  const { filters } = state
  const renderPill = (href: string, kind: string, label: string, name: string) =>
    html`<li><a href="${href}"><span class="hidden-text">${name}</span><span class="soft" aria-hidden="true">${kind}</span> <bdi aria-hidden="true">${label}</bdi> <span aria-hidden="true">×</span></a></li>`
  const pills = filterNames.flatMap((name) =>
    (filters[name] ?? []).map((value) => {
      const kind = t(`breakdowns.kinds.${name}`)
      const label = localizeFilterValue(name, value)
      const remove = t('analytics.removeFilter', { kind, label })
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
      ? renderPill('/console/analytics', t('analytics.tag'), subject.name, t('analytics.removeTag'))
      : null
  if (pills.length === 0 && !tag) return null
  return html`<ul class="pills" aria-label="${t('analytics.filters')}">${tag}${pills}${pills.length > 1 ? html`<li><a class="clear" href="${buildHref({ filters: {} })}">${t('analytics.clearFilters')}</a></li>` : null}</ul>`
}

function renderHiddenInputs(parameters: readonly Parameter[]): SafeHtml[] {
  return parameters.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
}

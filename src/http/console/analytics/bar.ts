import { html, type SafeHtml } from '@remix-run/html-template'
import {
  comparisons,
  filterNames,
  findAdjacentSpan,
  formatDay,
  listIntervals,
  type PresetName,
  presetNames,
  type Span,
} from '../../../clicks/read.ts'
import { t, tAll } from '../../../texts.ts'
import {
  renderControls,
  renderDropdown,
  renderMenu,
  renderMenuForm,
  renderPills,
  renderSteps,
} from '../kit/menu.ts'
import { renderButtonForm, renderCopyable } from '../kit/parts.ts'
import type { Frame } from '../shell/layout.ts'
import { formatSpan, localizeFilterValue, parseLabel } from './format.ts'
import type { PageState } from './state.ts'
import type { Analytics } from './statistics.ts'

/** The shortcut keys of periods. */
export const PRESET_KEYS: Partial<Record<PresetName, string>> = {
  today: 'T',
  '7d': 'W',
  '30d': 'M',
  '90d': 'Q',
  '12m': 'Y',
  all: 'A',
}

/** Renders the bar that chooses subject, period, comparison and filters. */
export function renderBar(
  pageState: PageState,
  scopes: Analytics['scopes'] = [],
  menus: readonly (SafeHtml | null)[] = [],
): SafeHtml {
  const { subject, reader } = pageState
  const scope =
    subject.kind === 'tag' ? t('analytics.tagged', { name: subject.name }) : subject.name
  return renderControls(t('analytics.filters'), [
    scopes.length > 0 ? renderMenu(t('analytics.scope'), scope, scopes) : null,
    renderPeriodMenu(pageState),
    renderIntervalMenu(pageState),
    renderCompareMenu(pageState),
    reader.isShared ? null : renderFilterMenu(pageState),
    ...menus,
    renderFilters(pageState),
  ])
}

/** Renders the menu of periods between links to the preceding and following period. */
function renderPeriodMenu(pageState: PageState): SafeHtml {
  const { choice, calendar, buildHref } = pageState
  const presets = presetNames.map((preset) => ({
    href: buildHref({ choice: { from: 0, to: 0, preset } }),
    label: t(`periods.presets.${preset}`),
    key: PRESET_KEYS[preset],
    isCurrent: choice.preset === preset,
  }))
  const name = choice.preset ? t(`periods.presets.${choice.preset}`) : formatSpan(choice)
  const menu = renderMenu(t('periods.period'), name, presets, renderCustomPeriod(pageState))
  const toStep = (span: Span | undefined, key: string, text: 'earlier' | 'later') =>
    span && {
      href: buildHref({ choice: { ...span, interval: choice.interval } }),
      key,
      text: t(`periods.${text}`, { span: formatSpan(span) }),
    }
  return renderSteps(
    toStep(findAdjacentSpan(choice, -1, calendar), 'ArrowLeft', 'earlier'),
    menu,
    toStep(findAdjacentSpan(choice, 1, calendar), 'ArrowRight', 'later'),
  )
}

function renderCustomPeriod(pageState: PageState): SafeHtml {
  const { choice, zone, calendar, subject, parameters, reader } = pageState
  const attributes = html` max="${formatDay(calendar.today)}" required`
  const toField = (name: 'from' | 'to', label: string) =>
    ({ type: 'date', name, label, value: formatDay(choice[name]), attributes }) as const
  const zoneField = {
    type: 'text',
    name: 'tz',
    label: t('periods.timeZone'),
    value: zone,
    attributes: html` maxlength="64" autocomplete="off" spellcheck="false" required`,
  } as const
  return renderMenuForm({
    action: subject.path,
    kept: parameters.filter(([name]) => !['from', 'to', 'period', 'interval', 'tz'].includes(name)),
    title: t('periods.custom'),
    fields: [
      toField('from', t('periods.start')),
      toField('to', t('periods.end')),
      ...(reader.isShared ? [] : [zoneField]),
    ],
    button: t('analytics.apply'),
  })
}

function renderIntervalMenu({ choice, calendar, buildHref }: PageState): SafeHtml | null {
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
function renderCompareMenu({ choice, compare, buildHref }: PageState): SafeHtml | null {
  if (choice.preset === 'all') return null
  const toggled = compare ? undefined : 'previous'
  const items = [...comparisons, undefined].map((name) => ({
    href: buildHref({ compare: name }),
    label: name ? t(`periods.comparisons.${name}`) : t('periods.noComparison'),
    isCurrent: name === compare,
    key: name === toggled ? 'X' : undefined,
  }))
  const current = compare ? t(`periods.comparisons.${compare}`) : t('periods.compare')
  return renderMenu(t('periods.compare'), current, items)
}

/** Renders a form with a field for each kind of filter, which edits the first one of its kind. */
function renderFilterMenu({ subject, parameters }: PageState): SafeHtml {
  const edited = filterNames.map((name) => parameters.find(([each]) => each === name))
  const form = renderMenuForm({
    action: subject.path,
    kept: parameters.filter((parameter) => !edited.includes(parameter)),
    fields: filterNames.map((name, index) => {
      const value = edited[index]?.[1] ?? ''
      const field = { name, label: t(`breakdowns.kinds.${name}`) }
      if (name === 'automated') {
        const labels = Object.entries(tAll('breakdowns.automated'))
        const choices = labels.map(([value, label]) => ({ value, label }))
        const any = { value: '', label: t('links.any') }
        return {
          ...field,
          type: 'select',
          value: parseLabel(name, value),
          choices: [any, ...choices],
        }
      }
      return {
        ...field,
        type: 'text',
        value: value && localizeFilterValue(name, value),
        attributes: html` maxlength="8192" autocomplete="off" dir="auto"`,
      }
    }),
    hint: t('analytics.filterHint'),
    button: t('analytics.apply'),
  })
  return renderDropdown(t('analytics.filter'), form, 'filter-menu')
}

/** Renders the tag and each filter with a link that removes it. */
function renderFilters({ subject, filters, buildHref }: PageState): SafeHtml | null {
  const pills = filterNames.flatMap((name) => {
    const { [name]: values = [], ...others } = filters
    return values.map((value) => {
      const kind = t(`breakdowns.kinds.${name}`)
      const label = localizeFilterValue(name, value)
      const remaining = values.filter((each) => each !== value)
      const left = remaining.length > 0 ? { ...others, [name]: remaining } : others
      const remove = t('analytics.removeFilter', { kind, label })
      return { href: buildHref({ filters: left }), kind, label, remove }
    })
  })
  const tag = {
    href: '/console/analytics',
    kind: t('analytics.tag'),
    label: subject.name,
    remove: t('analytics.removeTag'),
  }
  return renderPills(t('analytics.filters'), [...(subject.kind === 'tag' ? [tag] : []), ...pills], {
    href: pills.length > 1 ? buildHref({ filters: {} }) : undefined,
    text: t('analytics.clearFilters'),
  })
}

/** Renders the URL of the public page, or a button to create it. */
export function renderShareMenu(
  frame: Frame,
  { subject, buildHref }: PageState,
  { url }: NonNullable<Analytics['share']>,
): SafeHtml | null {
  const renderButton = (name: 'share' | 'unshare', text: string, className: string) =>
    renderButtonForm(frame, {
      action: `${subject.path}/${name}`,
      text,
      className,
      fields: { back: buildHref() },
    })
  const button = url
    ? renderButton('unshare', t('share.revoke'), 'button danger small')
    : renderButton('share', t('share.create'), 'button small')
  if (!url && !button) return null
  const content = html`<p class="small">${t('share.about')}</p>
${url ? html`<p class="small">${renderCopyable({ id: 'shared', href: url })}</p>` : null}
${button}${url && button ? html`<p class="small soft">${t('share.revokeHint')}</p>` : null}`
  // A new page is there to be copied.
  const isNew = frame.toast?.name === 'pageShared'
  return renderDropdown(url ? t('share.on') : t('share.menu'), content, 'share-menu', isNew)
}

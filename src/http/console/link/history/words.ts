import { html, type SafeHtml } from '@remix-run/html-template'
import { FIELD_NAMES, FIELDS } from '../../../../links/fields.ts'
import { CONDITION_NAMES } from '../../../../links/rules/conditions.ts'
import type { Variant } from '../../../../links/split.ts'
import type { Change, Changes } from '../../../../links/versions/snapshot.ts'
import { findText, t, tHtml } from '../../../../texts.ts'
import { getFieldText } from '../../link-editor/field-texts.ts'
import { formatCondition } from '../../link-editor/rules/condition-value.ts'
import { formatCount, formatPercent } from '../../shell/format-count.ts'
import { formatMoment } from '../../shell/format-day.ts'

const fieldsByApiName = new Map(FIELD_NAMES.map((name) => [FIELDS[name].api, name]))

/** Describes the changes of a version, one sentence per field. */
export function describeChanges(changes: Changes, zone: string): SafeHtml[] {
  return Object.entries(changes).map(([name, change]) =>
    name === FIELDS.password.api
      ? html`${describePassword(change)}`
      : describeChange(name, change, zone),
  )
}

function describeChange(name: string, { before, after }: Change, zone: string): SafeHtml {
  const field = getFieldLabel(name)
  const state = before === null ? undefined : describeState(name, after)
  if (state !== undefined) return html`${state}`
  if (typeof after === 'boolean') {
    return html`${t(after ? 'history.on' : 'history.off', { field })}`
  }
  const from = describeValue(name, before, zone)
  const to = describeValue(name, after, zone)
  const key = to === '' ? 'history.removed' : from === '' ? 'history.set' : 'history.changed'
  return tHtml(key, { field, before: renderQuoted(from), after: renderQuoted(to) })
}

/** Returns the sentence for a change of state, such as a link being disabled. */
function describeState(name: string, value: unknown): string | undefined {
  return findText('history.states', `${name}.${String(value)}`)
}

/** Returns the label of a field by its API name. */
export function getFieldLabel(name: string): string {
  return findText('history.fields', name) ?? getFieldText(fieldsByApiName.get(name) ?? name).label
}

function describePassword({ before, after }: Change): string {
  if (after === null) return t('history.password.removed')
  return before === null ? t('history.password.set') : t('history.password.changed')
}

/** Formats the value of a field by its API name, or returns an empty string for an empty value. */
export function describeValue(name: string, value: unknown, zone: string): string {
  if (name === 'domain') return value === null ? t('history.values.ownHost') : String(value)
  if (value === null || value === undefined) return ''
  if (name === FIELDS.type.api) return describeType(String(value))
  if (isTimeField(name)) return formatMoment(new Date(String(value)), zone)
  if (name === FIELDS.split.api) return describeSplit(value as readonly Variant[])
  if (Array.isArray(value)) return value.map(describeEntry).join(', ')
  if (typeof value === 'number') return formatCount(value)
  return name === 'status' || typeof value === 'boolean'
    ? (findText('history.values', String(value)) ?? String(value))
    : String(value)
}

function isTimeField(name: string): boolean {
  const field = fieldsByApiName.get(name)
  return field !== undefined && FIELDS[field].kind === 'moment'
}

function describeType(type: string): string {
  if (type === 'direct' || type === 'frame' || type === 'splash') return t(`history.values.${type}`)
  const [, overlay] = /^overlay-(\d+)$/.exec(type) ?? []
  return overlay
    ? t('history.values.overlay', { id: overlay })
    : t('history.values.splashPage', { id: type })
}

/** Formats the variants of a split with their shares of the visitors. */
function describeSplit(variants: readonly Variant[]): string {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0)
  return variants
    .map(({ to, weight }) => {
      const share = formatPercent(weight / total)
      return t('history.values.variant', { share, to: to.replace(/^https?:\/\//, '') })
    })
    .join(', ')
}

/** Formats a rule, a parameter, or the name of a tag or pixel. */
function describeEntry(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return String(entry)
  if ('when' in entry && 'to' in entry) {
    const when = entry.when as Readonly<Record<string, unknown>>
    const conditions = CONDITION_NAMES.filter((name) => name in when).map(
      (name) => `${t(`rules.conditions.${name}.label`)} ${formatCondition(name, when[name])}`,
    )
    return t('history.values.rule', { conditions: conditions.join(', '), to: String(entry.to) })
  }
  if ('name' in entry && 'value' in entry) return `${entry.name}=${entry.value}`
  return JSON.stringify(entry)
}

function renderQuoted(text: string): SafeHtml {
  return html`<bdi class="address">${text}</bdi>`
}

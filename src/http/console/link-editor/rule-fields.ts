import { html, type SafeHtml } from '@remix-run/html-template'
import { CONDITION_NAMES, type ConditionName } from '../../../links/rules/conditions.ts'
import { MAX_RULES } from '../../../links/rules/rule.ts'
import { findText, t, tAll } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import {
  renderChoices,
  renderControl,
  renderField,
  renderGroup,
  renderHidden,
  renderNoteAttributes,
  renderNotes,
} from '../kit/fields.ts'
import { type Editor, notesOf } from './fields.ts'
import {
  createEmptyCondition,
  type FormRule,
  listConditionInputs,
  listConditions,
} from './rules.ts'

/** If a link has more rules than this, they are collapsed to summaries. */
const MAX_EXPANDED = 3

/** Datalists of typed conditions. */
const LISTS: Partial<Record<ConditionName, string>> = {
  country: 'countries',
  language: 'languages',
  browser: 'browsers',
  os: 'systems',
}

/** Renders the rules of a link as an ordered list. If scripts are enabled, a script handles its buttons. */
export function renderRules(editor: Editor): SafeHtml {
  const notes = notesOf(editor, 'rules')
  const rules = editor.form.rules.map((rule, index) => renderRule(editor, rule, String(index)))
  return renderGroup({
    id: 'rules',
    className: 'rules',
    legend: html`<span class="hidden-text">${t('rules.legend')}</span>`,
    hint: t('rules.hint'),
    ...notes,
    content: html`<ol class="rule-list" data-rules${withScript('reorder', 'rules')} data-most="${MAX_RULES}" data-text-moved="${t('rules.moved')}" data-text-removed="${t('rules.removed')}">${rules}</ol>
<p class="adding-rule">${renderConditionChoice('new-condition', t('rules.firstCondition'))}
<button class="button quiet small" name="more" value="rules:add" formnovalidate>${t('rules.add')}</button></p>
${renderSuggestions(editor)}`,
  })
}

/**
 * Renders templates that a script copies to add rules and conditions. `KEY` stands for a rule's
 * key.
 */
export function renderRuleTemplates(editor: Editor): SafeHtml {
  const conditions = CONDITION_NAMES.map((name) => {
    const rule = { to: '', inputs: createEmptyCondition(name, editor.timeZone) }
    return html`<template data-condition="${name}">${renderCondition(editor, name, rule, 'KEY')}</template>`
  })
  return html`<template data-rule>${renderRule(editor, { to: '', inputs: {} }, 'KEY')}</template>${conditions}`
}

function renderRule(editor: Editor, rule: FormRule, key: string): SafeHtml {
  const { errors = {}, focus = '', form } = editor
  const id = `rule-${key}`
  const hasFocus = [...Object.keys(errors), focus].some(
    (at) => at === id || at.startsWith(`${id}-`),
  )
  const isOpen = form.rules.length <= MAX_EXPANDED || hasFocus
  const addNotes = ruleNotesOf(editor, `${id}-add`, key)
  return html`<li id="${id}" data-key="${key}" tabindex="-1"${focus === id ? html` autofocus` : null}>
${renderHidden({ rule: key })}
<span class="grip" data-grip title="${t('rules.drag')}"></span>
<details${isOpen ? html` open` : null}>
<summary><strong>${t('rules.rule')} <span data-number>${formatNumber(key)}</span></strong> <span class="small soft" data-summary>${summarizeRule(rule)}</span></summary>
<div class="conditions" data-conditions>${listConditions(rule).map((name) => renderCondition(editor, name, rule, key))}</div>
<p class="adding-condition">${renderConditionChoice(`${id}-add`, t('rules.condition'), renderNoteAttributes(`${id}-add`, addNotes))}
<button class="button quiet small" name="more" value="rules:${key}:add" formnovalidate>${t('rules.addCondition')}</button></p>
${renderNotes(`${id}-add`, addNotes)}
${renderField({
  name: `${id}-to`,
  type: 'text',
  value: rule.to,
  label: t('rules.to'),
  ...ruleNotesOf(editor, `${id}-to`, key),
  attributes: html` inputmode="url" dir="ltr" spellcheck="false" autocomplete="off" placeholder="https://example.com/page"`,
})}
</details>
<span class="rule-moves">
${renderMoveButton(key, 'up', '↑')}
${renderMoveButton(key, 'down', '↓')}
${renderMoveButton(key, 'remove', '×')}
</span>
</li>`
}

/** Returns the error of a rule's input, with the rule's number, and whether to focus it. */
function ruleNotesOf(editor: Editor, id: string, key: string) {
  const { error, autofocus } = notesOf(editor, id)
  return { error: error && `${t('rules.rule')} ${formatNumber(key)}: ${error}`, autofocus }
}

function renderConditionChoice(name: string, label: string, attributes?: SafeHtml): SafeHtml {
  return renderControl({
    name,
    type: 'select',
    value: '',
    choices: CONDITION_NAMES.map((value) => ({
      value,
      label: t(`rules.conditions.${value}.label`),
    })),
    attributes: html` aria-label="${label}"${attributes ?? null}`,
  })
}

function renderMoveButton(key: string, verb: 'up' | 'down' | 'remove', sign: string): SafeHtml {
  const label = t(`rules.${verb}`)
  return html`<button class="button quiet small" name="more" value="rules:${key}:${verb}" formnovalidate title="${label}"><span aria-hidden="true">${sign}</span><span class="hidden-text">${label}: ${t('rules.rule')} <span data-number>${formatNumber(key)}</span></span></button>`
}

function formatNumber(key: string): string {
  return /^\d+$/.test(key) ? String(Number(key) + 1) : ''
}

/** Renders the inputs of one condition of a rule, and the button that removes it. */
function renderCondition(
  editor: Editor,
  name: ConditionName,
  { inputs }: FormRule,
  key: string,
): SafeHtml {
  const id = `rule-${key}-${name}`
  const label = t(`rules.conditions.${name}.label`)
  const notes = ruleNotesOf(editor, id, key)
  const attributes = renderNoteAttributes(id, notes)
  const fields =
    name === 'time'
      ? renderTime(editor, inputs, key)
      : html`<label for="${id}">${label}</label>
${name === 'device' ? renderDevices(editor, id, inputs.device, attributes) : renderText(name, id, inputs[name], attributes)}`
  return html`<div class="condition" data-of="${name}">
${fields}
<button class="button quiet small" name="more" value="rules:${key}:drop:${name}" formnovalidate title="${t('rules.removeCondition')}"><span aria-hidden="true">×</span><span class="hidden-text">${t('rules.removeCondition')}: ${label}</span></button>
${renderNotes(id, notes)}
</div>`
}

function renderText(name: ConditionName, id: string, value = '', notes: SafeHtml): SafeHtml {
  const list = LISTS[name]
  const attributes = html` placeholder="${t(`rules.conditions.${name}.example`)}" autocomplete="off" spellcheck="false"${list ? html` list="${list}"` : null}${notes}`
  return renderControl({ name: id, type: 'text', value, attributes })
}

function renderDevices(
  { choices }: Editor,
  id: string,
  value: string | undefined,
  notes: SafeHtml,
) {
  const selected = splitNames(value)
  const others = selected
    .filter((name) => !choices.devices.some((device) => device.value === name))
    .map((name) => ({ value: name, label: name }))
  // The hidden input keeps the condition, so that an empty one is an error.
  return html`${renderHidden({ [`${id}-set`]: '' })}
${renderControl({
  name: id,
  type: 'select',
  value: selected,
  choices: [...choices.devices, ...others],
  attributes: html` multiple size="4"${notes}`,
})}`
}

function splitNames(text = ''): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
}

function renderTime(editor: Editor, inputs: FormRule['inputs'], key: string): SafeHtml {
  const id = `rule-${key}-time`
  const selected = (inputs['time-days'] ?? '').split(',')
  const renderPart = (part: 'from' | 'until' | 'zone', type: 'time' | 'text', more?: SafeHtml) => {
    const name = `${id}-${part}`
    const notes = ruleNotesOf(editor, name, key)
    const attributes = html` autocomplete="off"${more ?? null}${renderNoteAttributes(name, notes)}`
    const value = inputs[`time-${part}`] ?? ''
    return html`<span><label class="small" for="${name}">${t(`rules.${part}`)}</label> ${renderControl({ name, type, value, attributes })}</span>${renderNotes(name, notes)}`
  }
  return html`<div class="time-condition">${renderChoices({
    id: `${id}-days`,
    type: 'checkbox',
    legend: t('rules.conditions.time.label'),
    choices: Object.entries(tAll('rules.days')).map(([value, label]) => ({
      value,
      label,
      isChecked: selected.includes(value),
    })),
    ...ruleNotesOf(editor, `${id}-days`, key),
    content: html`<span class="hours">${renderPart('from', 'time')} ${renderPart('until', 'time')} ${renderPart('zone', 'text', html` list="time-zones" spellcheck="false"`)}</span>`,
  })}</div>`
}

/** Returns the summary of a rule. */
export function summarizeRule(rule: FormRule): string {
  const conditions = listConditions(rule).map((name) => describeCondition(rule, name))
  const to = rule.to.replace(/^https?:\/\//, '')
  return [conditions.filter(Boolean).join(', '), to].filter(Boolean).join(' → ')
}

/** Returns a condition's text in a summary, or an empty string without a value. */
function describeCondition({ inputs }: FormRule, name: ConditionName): string {
  const values = listConditionInputs(name).map((input) => inputs[input] ?? '')
  if (name === 'device') {
    const devices = splitNames(values[0])
    return devices.map((device) => findText('rules.devices', device) ?? device).join(', ')
  }
  if (name !== 'time') return values[0] ?? ''
  const [picked = '', from = '', until = '', zone = ''] = values
  const named = picked.split(',').flatMap((day) => findText('rules.days', day) ?? [])
  const hours = from || until ? `${from || '00:00'}–${until || '24:00'}` : ''
  return [named.join(' '), hours, picked || hours ? zone : ''].filter(Boolean).join(' ')
}

function renderSuggestions({ choices }: Editor): SafeHtml[] {
  const lists = {
    countries: choices.countries,
    languages: choices.languages,
    'time-zones': choices.timeZones,
    browsers: ['Chrome', 'Edge', 'Firefox', 'Opera', 'Safari', 'Samsung Internet'],
    systems: ['Android', 'ChromeOS', 'iOS', 'Linux', 'macOS', 'Windows', 'Windows 10'],
  }
  return Object.entries(lists).map(
    ([id, names]) =>
      html`<datalist id="${id}">${names.map((name) => html`<option value="${name}">`)}</datalist>`,
  )
}

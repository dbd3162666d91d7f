import { html, type SafeHtml } from '@remix-run/html-template'
import type { ConditionName } from '../../../../links/rules/conditions.ts'
import { findText, t, tAll } from '../../../../texts.ts'
import { type FilledForm, findErrorText } from '../form.ts'
import { renderOptionTag } from '../rows.ts'
import { type FormRule, listConditionInputs } from './form.ts'

/** Datalists of typed conditions. */
const LISTS: Partial<Record<ConditionName, string>> = {
  country: 'countries',
  language: 'languages',
  browser: 'browsers',
  os: 'systems',
}

/** Renders the inputs of one condition of a rule, and the button that removes it. */
export function renderConditionField(
  filled: FilledForm,
  name: ConditionName,
  rule: FormRule,
  key: string,
): SafeHtml {
  const id = `rule-${key}-${name}`
  const draw =
    name === 'time' ? renderTimeInputs : name === 'device' ? renderDeviceInput : renderTextInput
  return html`<div class="condition" data-of="${name}">
${draw(filled, name, rule, key)}
<button class="button quiet small" name="more" value="rules:${key}:drop:${name}" formnovalidate title="${t('rules.removeCondition')}"><span aria-hidden="true">×</span><span class="hidden-text">${t('rules.removeCondition')}: ${t(`rules.conditions.${name}.label`)}</span></button>
${listConditionInputs(name).map((input) => renderErrorLine(filled, `rule-${key}-${input}`, key))}${listConditionInputs(name).includes(name) ? null : renderErrorLine(filled, id, key)}
</div>`
}

/** Renders the error of a rule's input with the rule's number. */
export function renderErrorLine(filled: FilledForm, id: string, key: string): SafeHtml | null {
  const error = findErrorText(filled, id)
  if (!error) return null
  return html`<p class="error" id="${id}-error" role="alert">${t('rules.rule')} ${Number(key) + 1}: ${error}</p>`
}

/** Returns a condition's text in a summary, or an empty string without a value. */
export function describeCondition({ inputs }: FormRule, name: ConditionName): string {
  const values = listConditionInputs(name).map((input) => inputs[input] ?? '')
  if (name === 'device') {
    return splitNames(values[0])
      .map((device) => findText('rules.devices', device) ?? device)
      .join(', ')
  }
  if (name !== 'time') return values[0] ?? ''
  const [picked = '', from = '', until = '', zone = ''] = values
  const named = picked.split(',').flatMap((day) => findText('rules.days', day) ?? [])
  const hours = from || until ? `${from || '00:00'}–${until || '24:00'}` : ''
  return [named.join(' '), hours, picked || hours ? zone : ''].filter(Boolean).join(' ')
}

function renderTextInput(
  filled: FilledForm,
  name: ConditionName,
  { inputs }: FormRule,
  key: string,
) {
  const id = `rule-${key}-${name}`
  const list = LISTS[name]
  return html`<label for="${id}">${t(`rules.conditions.${name}.label`)}</label>
<input type="text" id="${id}" name="${id}" value="${inputs[name] ?? ''}" placeholder="${t(`rules.conditions.${name}.example`)}" autocomplete="off" spellcheck="false"${list ? html` list="${list}"` : null}${renderErrorState(filled, id)}>`
}

function renderDeviceInput(
  filled: FilledForm,
  name: ConditionName,
  { inputs }: FormRule,
  key: string,
) {
  const { devices } = filled.choices
  const id = `rule-${key}-${name}`
  const chosen = splitNames(inputs[name])
  const others = chosen
    .filter((name) => !devices.some(({ value }) => value === name))
    .map((name) => ({ value: name, label: name }))
  // The hidden input keeps the condition, so that an empty one is an error.
  return html`<label for="${id}">${t('rules.conditions.device.label')}</label>
<input type="hidden" name="${id}-set" value="">
<select id="${id}" name="${id}" multiple size="4"${renderErrorState(filled, id)}>${[...devices, ...others].map((device) => renderOptionTag(device, chosen.includes(device.value) ? device.value : ''))}</select>`
}

function splitNames(text = ''): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
}

function renderTimeInputs(
  filled: FilledForm,
  name: ConditionName,
  { inputs }: FormRule,
  key: string,
) {
  const id = `rule-${key}-${name}`
  const picked = (inputs['time-days'] ?? '').split(',')
  const renderInput = (end: 'from' | 'until' | 'zone', attributes: SafeHtml) =>
    html`<span><label class="small" for="${id}-${end}">${t(`rules.${end}`)}</label> <input id="${id}-${end}" name="${id}-${end}" value="${inputs[`time-${end}`] ?? ''}" autocomplete="off"${attributes}${renderErrorState(filled, `${id}-${end}`)}></span>`
  return html`<fieldset class="time-condition" id="${id}-days" tabindex="-1"${[findErrorText(filled, `${id}-days`) ? html` autofocus` : null]}>
<legend>${t('rules.conditions.time.label')}</legend>
<span class="days">${Object.entries(tAll('rules.days')).map(
    ([day, label]) =>
      html`<label class="day"><input type="checkbox" name="${id}-days" value="${day}"${picked.includes(day) ? html` checked` : null}> ${label}</label>`,
  )}</span>
<span class="hours">${renderInput('from', html` type="time"`)} ${renderInput('until', html` type="time"`)} ${renderInput('zone', html` type="text" list="time-zones" spellcheck="false"`)}</span>
</fieldset>`
}

/** Returns the attributes of an invalid input, or of one to focus. */
function renderErrorState(filled: FilledForm, id: string): SafeHtml {
  const isWrong = findErrorText(filled, id) !== undefined
  return html`${isWrong ? html` aria-invalid="true" aria-describedby="${id}-error"` : null}${isWrong || filled.focus === id ? html` autofocus` : null}`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { CONDITION_NAMES } from '../../../../links/rules/conditions.ts'
import { MAX_RULES } from '../../../../links/rules/rule.ts'
import { t } from '../../../../texts.ts'
import { type FilledForm, findErrorText } from '../form.ts'
import { renderOptionTag } from '../rows.ts'
import { describeCondition, renderConditionField, renderErrorLine } from './condition-field.ts'
import { createEmptyCondition, type FormRule, listConditions } from './form.ts'

/** If a link has more rules than this, they are collapsed to summaries. */
const MAX_EXPANDED = 3

/** Renders the rules of a link as an ordered list. If scripts are enabled, a script handles its buttons. */
export function renderRulesPanel(filled: FilledForm): SafeHtml {
  const { rules } = filled.form
  const error = findErrorText(filled, 'rules')
  return html`<fieldset id="rules" class="rules" tabindex="-1" aria-describedby="rules-hint"${error || filled.focus === 'rules' ? html` autofocus` : null}>
<legend class="hidden-text">${t('rules.legend')}</legend>
<p class="hint" id="rules-hint">${t('rules.hint')}</p>
${error ? html`<p class="error" role="alert">${error}</p>` : null}
<ol class="rule-list" data-rules data-most="${MAX_RULES}">${rules.map((rule, index) => renderRuleItem(filled, rule, String(index)))}</ol>
<p class="adding-rule"><select name="new-condition" aria-label="${t('rules.firstCondition')}">${renderConditionOptions()}</select>
<button class="button quiet small" name="more" value="rules:add" formnovalidate>${t('rules.add')}</button></p>
<p class="hidden-text" role="status" data-said data-moved="${t('rules.moved')}" data-removed="${t('rules.removed')}"></p>
${renderSuggestions(filled)}
</fieldset>`
}

function renderConditionOptions(): SafeHtml[] {
  return CONDITION_NAMES.map((name) =>
    renderOptionTag({ value: name, label: t(`rules.conditions.${name}.label`) }, ''),
  )
}

/**
 * Renders templates that a script copies to add rules and conditions. `KEY` stands for a rule's
 * key.
 */
export function renderRuleTemplates(filled: FilledForm): SafeHtml {
  const zone = filled.timeZone
  const conditions = CONDITION_NAMES.map((name) => {
    const rule = { to: '', inputs: createEmptyCondition(name, zone) }
    return html`<template data-condition="${name}">${renderConditionField(filled, name, rule, 'KEY')}</template>`
  })
  return html`<template data-rule>${renderRuleItem(filled, { to: '', inputs: {} }, 'KEY')}</template>${conditions}`
}

function renderRuleItem(filled: FilledForm, rule: FormRule, key: string): SafeHtml {
  const { fieldError, focus, form } = filled
  const id = `rule-${key}`
  const hasFocus = [fieldError?.field, focus].some((at) => at === id || at?.startsWith(`${id}-`))
  const isOpen = form.rules.length <= MAX_EXPANDED || hasFocus
  return html`<li id="${id}" data-key="${key}" tabindex="-1"${focus === id ? html` autofocus` : null}>
<input type="hidden" name="rule" value="${key}">
<span class="grip" data-grip title="${t('rules.drag')}"></span>
<details${isOpen ? html` open` : null}>
<summary><strong>${t('rules.rule')} <span data-number>${formatNumber(key)}</span></strong> <span class="small soft" data-summary>${summarizeRule(rule)}</span></summary>
<div class="conditions" data-conditions>${listConditions(rule).map((name) => renderConditionField(filled, name, rule, key))}</div>
<p class="adding-condition"><select id="${id}-add" name="${id}-add" aria-label="${t('rules.condition')}"${findErrorText(filled, `${id}-add`) ? html` aria-invalid="true" aria-describedby="${id}-add-error"` : null}${[fieldError?.field, focus].includes(`${id}-add`) ? html` autofocus` : null}>${renderConditionOptions()}</select>
<button class="button quiet small" name="more" value="rules:${key}:add" formnovalidate>${t('rules.addCondition')}</button></p>
${renderErrorLine(filled, `${id}-add`, key)}
${renderDestinationField(filled, rule, key)}
</details>
<span class="rule-moves">
${renderMoveButton(key, 'up', '↑', t('rules.up'))}
${renderMoveButton(key, 'down', '↓', t('rules.down'))}
${renderMoveButton(key, 'remove', '×', t('rules.remove'))}
</span>
</li>`
}

function renderDestinationField(filled: FilledForm, { to }: FormRule, key: string): SafeHtml {
  const id = `rule-${key}-to`
  const error = findErrorText(filled, id)
  return html`<div class="field">
<label for="${id}">${t('rules.to')}</label>
<input type="text" id="${id}" name="${id}" value="${to}" inputmode="url" dir="ltr" spellcheck="false" autocomplete="off" placeholder="https://example.com/page"${error ? html` aria-invalid="true" aria-describedby="${id}-error" autofocus` : null}>
${renderErrorLine(filled, id, key)}
</div>`
}

function renderMoveButton(key: string, verb: string, sign: string, label: string): SafeHtml {
  return html`<button class="button quiet small" name="more" value="rules:${key}:${verb}" formnovalidate title="${label}"><span aria-hidden="true">${sign}</span><span class="hidden-text">${label}: ${t('rules.rule')} <span data-number>${formatNumber(key)}</span></span></button>`
}

function formatNumber(key: string): string {
  return /^\d+$/.test(key) ? String(Number(key) + 1) : ''
}

/** Returns the summary of a collapsed rule. */
function summarizeRule(rule: FormRule): string {
  const conditions = listConditions(rule).map((name) => describeCondition(rule, name))
  const to = rule.to.replace(/^https?:\/\//, '')
  return [conditions.filter(Boolean).join(', '), to].filter(Boolean).join(' → ')
}

function renderSuggestions({ choices }: FilledForm): SafeHtml[] {
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

// Edits the rules of a link in the page: the panel's buttons, which submit the form without
// scripts, and reordering by pointer or by Alt and the arrow keys. The order of the list items is
// the order of the rules.

import { announce, closest, find, findAll } from './page.js'
import { announceMove, itemOf, listenForMoves, swap } from './reorder.js'

const list = find('[data-rules]')

if (list) {
  list.closest('fieldset')?.addEventListener('click', press)
  listenForMoves(list, { step, drop: moved })
  list.addEventListener('input', (event) => summarize(ruleOf(event.target)))
}

/** @param {Event} event */
function press(event) {
  const button = closest(event, 'button')
  const [subject, key, verb, name] = (button?.getAttribute('value') ?? '').split(':')
  if (!button || subject !== 'rules') return
  event.preventDefault()
  if (key === 'add') return addRule()
  const rule = ruleOf(button)
  if (!rule) return
  if (verb === 'remove') return remove(rule)
  if (verb === 'add')
    return addCondition(rule, chosen(rule.querySelector('.adding-condition select')))
  if (verb === 'drop') return dropCondition(rule, name ?? '')
  step(rule, verb === 'up')
  button.focus()
}

function addRule() {
  if (!list) return
  // The server rejects too many rules.
  const keys = rules().map(({ dataset }) => Number(dataset.key))
  const key = String(Math.max(-1, ...keys) + 1)
  const rule = copyOf('template[data-rule]', key)
  if (!rule || keys.length >= Number(list.dataset.most)) return
  list.append(rule)
  rule.querySelector('details')?.setAttribute('open', '')
  settle()
  addCondition(rule, chosen(find('[name=new-condition]')))
}

/** @param {HTMLElement} rule @param {string} name */
function addCondition(rule, name) {
  const shown = rule.querySelector(`[data-of="${name}"]`)
  const condition = shown ?? copyOf(`template[data-condition="${name}"]`, rule.dataset.key ?? '')
  if (!condition) return
  if (!shown) rule.querySelector('[data-conditions]')?.append(condition)
  focusFirst(condition)
  changed()
}

/** @param {HTMLElement} rule @param {string} name */
function dropCondition(rule, name) {
  rule.querySelector(`[data-of="${name}"]`)?.remove()
  find('.adding-condition select', rule)?.focus()
  summarize(rule)
  changed()
}

/** @param {HTMLElement} rule */
function remove(rule) {
  const next = rule.nextElementSibling ?? rule.previousElementSibling
  rule.remove()
  settle()
  announce(list?.dataset.textRemoved)
  const target = next instanceof HTMLElement ? next : find('[name=new-condition]')
  target?.focus()
}

/** @param {HTMLElement} rule @param {boolean} up */
function step(rule, up) {
  swap(rule, up)
  moved(rule)
}

/** @param {HTMLElement} rule */
function moved(rule) {
  settle()
  if (list) announceMove(list, rule)
}

/** Renumbers the rules and marks the form as changed. */
function settle() {
  for (const [index, rule] of rules().entries()) {
    for (const number of findAll('[data-number]', rule)) number.textContent = String(index + 1)
  }
  changed()
}

/** @param {HTMLElement | null} rule */
function summarize(rule) {
  const summary = rule?.querySelector('[data-summary]')
  if (!rule || !summary) return
  const fields = [...rule.querySelectorAll('.condition input, .condition select')]
  const values = fields.map((field) => {
    if (field instanceof HTMLSelectElement) {
      return [...field.selectedOptions].map(({ label }) => label).join(', ')
    }
    if (!(field instanceof HTMLInputElement)) return ''
    if (field.type !== 'checkbox') return field.value
    return field.checked ? field.parentElement?.textContent?.trim() : ''
  })
  const to = /** @type {HTMLInputElement | null} */ (find('[id$="-to"]', rule))
  const url = to?.value.replace(/^https?:\/\//, '')
  summary.textContent = [values.filter(Boolean).join(', '), url].filter(Boolean).join(' → ')
}

function changed() {
  list?.dispatchEvent(new Event('change', { bubbles: true }))
}

function rules() {
  return list ? findAll(':scope > li', list) : []
}

/** @param {EventTarget | null} target */
function ruleOf(target) {
  return list ? itemOf(list, target) : null
}

/**
 * Returns a copy of a template's content for the rule with this key.
 * @param {string} selector @param {string} key
 */
function copyOf(selector, key) {
  const copy = document.createElement('template')
  copy.innerHTML = find(selector)?.innerHTML.replaceAll('KEY', key) ?? ''
  return find('*', copy.content)
}

/** @param {Element | null} select */
function chosen(select) {
  return select instanceof HTMLSelectElement ? select.value : ''
}

/** @param {Element} part */
function focusFirst(part) {
  find('input:not([type=hidden]), select', part)?.focus()
}

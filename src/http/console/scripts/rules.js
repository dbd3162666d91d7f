// Edits the rules of a link in the page: the panel's buttons, which submit the form without
// scripts, and reordering by pointer or by Alt and the arrow keys. The order of the list items is
// the order of the rules.

import { itemOf, listenForMoves } from './reorder.js'

const list = document.querySelector('[data-rules]')
const announcer = document.querySelector('[data-said]')

if (list instanceof HTMLElement) {
  list.closest('fieldset')?.addEventListener('click', press)
  listenForMoves(list, { step, drop: moved })
  list.addEventListener('input', (event) => summarize(ruleOf(event.target)))
}

/** @param {Event} event */
function press(event) {
  const button = event.target instanceof Element ? event.target.closest('button') : null
  const [subject, key, verb, name] = (button?.value ?? '').split(':')
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
  if (!(list instanceof HTMLElement)) return
  // The server rejects too many rules.
  const keys = rules().map(({ dataset }) => Number(dataset.key))
  const key = String(Math.max(-1, ...keys) + 1)
  const rule = copyOf('template[data-rule]', key)
  if (!rule || keys.length >= Number(list.dataset.most)) return
  list.append(rule)
  const details = rule.querySelector('details')
  if (details) details.open = true
  settle()
  addCondition(rule, chosen(document.querySelector('[name=new-condition]')))
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
  const other = rule.querySelector('.adding-condition select')
  if (other instanceof HTMLElement) other.focus()
  summarize(rule)
  changed()
}

/** @param {HTMLElement} rule */
function remove(rule) {
  const next = rule.nextElementSibling ?? rule.previousElementSibling
  rule.remove()
  settle()
  announce(announcer instanceof HTMLElement ? announcer.dataset.removed : '')
  const target = next instanceof HTMLElement ? next : document.querySelector('[name=new-condition]')
  if (target instanceof HTMLElement) target.focus()
}

/** @param {HTMLElement} rule @param {boolean} up */
function step(rule, up) {
  const other = up ? rule.previousElementSibling : rule.nextElementSibling
  if (up) other?.before(rule)
  else other?.after(rule)
  moved(rule)
}

/** @param {HTMLElement} rule */
function moved(rule) {
  settle()
  const text = announcer instanceof HTMLElement ? announcer.dataset.moved : ''
  announce(text?.replace('{n}', String(rules().indexOf(rule) + 1)))
}

/** Renumbers the rules and marks the form as changed. */
function settle() {
  for (const [index, rule] of rules().entries()) {
    for (const number of rule.querySelectorAll('[data-number]')) {
      number.textContent = String(index + 1)
    }
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
  const to = rule.querySelector('[id$="-to"]')
  const url = to instanceof HTMLInputElement ? to.value.replace(/^https?:\/\//, '') : ''
  summary.textContent = [values.filter(Boolean).join(', '), url].filter(Boolean).join(' → ')
}

function changed() {
  list?.dispatchEvent(new Event('change', { bubbles: true }))
}

/** @returns {HTMLElement[]} */
function rules() {
  return /** @type {HTMLElement[]} */ ([...(list?.children ?? [])])
}

/** @param {EventTarget | null} target */
function ruleOf(target) {
  return list instanceof HTMLElement ? itemOf(list, target) : null
}

/**
 * Returns a copy of a template's content for the rule with this key.
 *
 * @param {string} selector
 * @param {string} key
 * @returns {HTMLElement | undefined}
 */
function copyOf(selector, key) {
  const template = document.querySelector(selector)
  if (!(template instanceof HTMLTemplateElement)) return undefined
  const copy = document.createElement('template')
  copy.innerHTML = template.innerHTML.replaceAll('KEY', key)
  const first = copy.content.firstElementChild
  return first instanceof HTMLElement ? first : undefined
}

/** @param {Element | null} select */
function chosen(select) {
  return select instanceof HTMLSelectElement ? select.value : ''
}

/** @param {Element} part */
function focusFirst(part) {
  const field = part.querySelector('input:not([type=hidden]), select')
  if (field instanceof HTMLElement) field.focus()
}

/** @param {string | undefined} text */
function announce(text) {
  if (announcer && text) announcer.textContent = text
}

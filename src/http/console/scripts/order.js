// Reorders the rows of a list with `data-ordered` in place: by their buttons, which submit the form
// without scripts, by Alt and the arrow keys, and by pointer.

import { itemOf, listenForMoves } from './reorder.js'

for (const list of document.querySelectorAll('[data-ordered]')) {
  if (list instanceof HTMLElement) makeReorderable(list)
}

/** @param {HTMLElement} list */
function makeReorderable(list) {
  const group = list.closest('fieldset')
  group?.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    const row = itemOf(list, button)
    if (!button || !(row || 'add' in button.dataset)) return
    event.preventDefault()
    if (!row) return focusFirst(ensureEmptyRow(list))
    const move = button.dataset.move
    if (move === 'remove') return remove(list, row)
    moveRow(list, row, move === 'up')
    focusAgain(row, button)
  })
  list.addEventListener('input', () => {
    ensureEmptyRow(list)
  })
  listenForMoves(list, {
    step: (row, up) => moveRow(list, row, up),
    drop: (row) => {
      finishChange(list)
      announceMove(list, row)
    },
    isFixed: (row) => row === list.lastElementChild,
  })
}

/**
 * Moves a row up or down by one. The empty row stays last.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement} row
 * @param {boolean} up
 */
function moveRow(list, row, up) {
  const other = up ? row.previousElementSibling : row.nextElementSibling
  if (!other || row === list.lastElementChild || other === list.lastElementChild) return
  if (up) other.before(row)
  else other.after(row)
  finishChange(list)
  announceMove(list, row)
}

/** @param {HTMLElement} list @param {HTMLElement} row */
function remove(list, row) {
  const next = row.nextElementSibling
  row.remove()
  finishChange(list)
  announce(list.dataset.textRemoved ?? '')
  if (next instanceof HTMLElement) focusFirst(next)
}

/**
 * Returns the empty row at the end, adding one if the last is not empty.
 *
 * @param {HTMLElement} list
 * @returns {HTMLElement}
 */
function ensureEmptyRow(list) {
  const last = /** @type {HTMLElement} */ (list.lastElementChild)
  const isEmpty = [...last.querySelectorAll('input')].every(({ value }) => value === '')
  if (isEmpty) return last
  const row = /** @type {HTMLElement} */ (last.cloneNode(true))
  for (const error of row.querySelectorAll('.error')) error.remove()
  for (const field of row.querySelectorAll('input')) {
    field.value = ''
    for (const name of ['aria-invalid', 'aria-describedby', 'autofocus'])
      field.removeAttribute(name)
  }
  list.append(row)
  renumber(list)
  return row
}

/**
 * Renumbers the rows and marks the form as changed.
 *
 * @param {HTMLElement} list
 */
function finishChange(list) {
  renumber(list)
  list.dispatchEvent(new Event('change', { bubbles: true }))
}

/** @param {HTMLElement} list */
function renumber(list) {
  for (const [index, row] of [...list.children].entries()) {
    for (const element of row.querySelectorAll('[id], [aria-label], button')) {
      for (const name of ['id', 'aria-describedby']) replaceNumber(element, name, /\d+/, index)
      replaceNumber(element, 'aria-label', /\d+$/, index + 1)
      if (element instanceof HTMLButtonElement) replaceNumber(element, 'value', /\d+$/, index)
    }
  }
}

/** @param {Element} element @param {string} name @param {RegExp} digits @param {number} value */
function replaceNumber(element, name, digits, value) {
  const text = element.getAttribute(name)
  if (text !== null) element.setAttribute(name, text.replace(digits, String(value)))
}

/**
 * Keeps the focus on a moved button, or on its neighbor if it is now disabled.
 *
 * @param {HTMLElement} row
 * @param {HTMLElement} button
 */
function focusAgain(row, button) {
  button.focus()
  if (document.activeElement === button) return
  for (const other of row.querySelectorAll('button')) {
    other.focus()
    if (document.activeElement === other) return
  }
}

/** @param {HTMLElement} row */
function focusFirst(row) {
  row.querySelector('input')?.focus()
}

/** @param {HTMLElement} list @param {HTMLElement} row */
function announceMove(list, row) {
  announce(
    (list.dataset.textMoved ?? '').replace('{n}', String([...list.children].indexOf(row) + 1)),
  )
}

/** @param {string} text */
function announce(text) {
  const status = document.getElementById('said')
  if (status) status.textContent = text
}

// Changes the rows of a form in place, which its buttons do without scripts by submitting it. Rows of a
// list with `data-ordered` can also be moved by Alt and the arrow keys, and by pointer. The button
// with `data-more` adds a row to the other lists.

import { announce, closest, find, findAll } from './page.js'
import { announceMove, itemOf, listenForMoves, swap } from './reorder.js'

document.addEventListener('click', (event) => {
  const group = closest(event, '[data-more]')?.closest('fieldset')
  const rows = group && find('[data-rows]', group)
  if (!rows) return
  event.preventDefault()
  focusFirst(addEmptyRow(rows))
})

for (const list of findAll('[data-ordered]')) makeReorderable(list)

/** @param {HTMLElement} list */
function makeReorderable(list) {
  const group = list.closest('fieldset')
  group?.addEventListener('click', (event) => {
    const button = closest(event, 'button')
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
 * @param {HTMLElement} list @param {HTMLElement} row @param {boolean} up
 */
function moveRow(list, row, up) {
  const other = up ? row.previousElementSibling : row.nextElementSibling
  if (!other || row === list.lastElementChild || other === list.lastElementChild) return
  swap(row, up)
  finishChange(list)
  announceMove(list, row)
}

/** @param {HTMLElement} list @param {HTMLElement} row */
function remove(list, row) {
  const next = row.nextElementSibling
  row.remove()
  finishChange(list)
  announce(list.dataset.textRemoved)
  if (next instanceof HTMLElement) focusFirst(next)
}

/** Returns the empty row at the end, adding one if the last is not empty. @param {HTMLElement} list */
function ensureEmptyRow(list) {
  const last = /** @type {HTMLElement} */ (list.lastElementChild)
  const isEmpty = [...last.querySelectorAll('input')].every(({ value }) => value === '')
  return isEmpty ? last : addEmptyRow(list)
}

/** Adds an empty copy of the last row. @param {HTMLElement} list */
function addEmptyRow(list) {
  const last = /** @type {HTMLElement} */ (list.lastElementChild)
  const row = /** @type {HTMLElement} */ (last.cloneNode(true))
  for (const error of row.querySelectorAll('.error')) error.remove()
  for (const field of row.querySelectorAll('input')) {
    field.value = ''
    for (const name of ['aria-invalid', 'aria-describedby', 'autofocus']) {
      field.removeAttribute(name)
    }
  }
  list.append(row)
  renumber(list)
  return row
}

/** Renumbers the rows and marks the form as changed. @param {HTMLElement} list */
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

/** Keeps the focus on a moved button, or on its neighbor if it is now hidden. @param {HTMLElement} row @param {HTMLElement} button */
function focusAgain(row, button) {
  for (const each of [button, ...findAll('button', row)]) {
    each.focus()
    if (document.activeElement === each) return
  }
}

/** @param {HTMLElement} row */
function focusFirst(row) {
  row.querySelector('input')?.focus()
}

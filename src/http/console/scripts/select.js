// Selects several links: one checkbox selects all links of the page, and a click with Shift selects a
// range. Shows the number of selected links.

import { find, findAll } from './page.js'

/** @type {HTMLInputElement | undefined} */
let lastClicked

/** Returns the checkboxes of the links. */
function listCheckboxes() {
  return /** @type {HTMLInputElement[]} */ (findAll('input[form="change"][name="id"]'))
}

document.addEventListener('click', ({ target, shiftKey }) => {
  if (!(target instanceof HTMLInputElement) || target.getAttribute('form') !== 'change') return
  if (shiftKey && lastClicked) selectBetween(lastClicked, target)
  lastClicked = target
  updateSelection()
})

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return
  const isForAll = target.id === 'all'
  if (isForAll) for (const box of listCheckboxes()) box.checked = target.checked
  if (isForAll || target.name === 'all') updateSelection()
})

document.addEventListener('list-replaced', () => {
  lastClicked = undefined
  updateSelection()
})
// After going back, a browser may restore the selection.
addEventListener('pageshow', updateSelection)

/**
 * Applies the state of the second checkbox to the range from the first one.
 * @param {HTMLInputElement} from @param {HTMLInputElement} to
 */
function selectBetween(from, to) {
  const boxes = listCheckboxes()
  const [start, end] = [boxes.indexOf(from), boxes.indexOf(to)]
  const range = boxes.slice(Math.min(start, end), Math.max(start, end) + 1)
  for (const box of range) box.checked = to.checked
}

/** Updates the number of selected links and the checkbox that selects all of them. */
function updateSelection() {
  const boxes = listCheckboxes()
  const count = boxes.filter(({ checked }) => checked).length
  const selected = find('#picked')
  const { none = '', some = '' } = selected?.dataset ?? {}
  const number = count.toLocaleString(document.documentElement.lang)
  if (selected) selected.textContent = count === 0 ? none : some.replace('{n}', number)
  const all = /** @type {HTMLInputElement | null} */ (find('#all'))
  if (!all) return
  all.hidden = false
  all.checked = count > 0 && count === boxes.length
  all.indeterminate = count > 0 && count < boxes.length
}

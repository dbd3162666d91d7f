// Selects several links: one checkbox selects all links of the page, and a click with Shift selects a
// range. Shows the number of selected links.

/** @type {HTMLInputElement | undefined} */
let lastClicked

/**
 * Returns the checkboxes of the links.
 *
 * @returns {HTMLInputElement[]}
 */
function listCheckboxes() {
  return [...document.querySelectorAll('input[form="change"][name="id"]')].filter(
    (box) => box instanceof HTMLInputElement,
  )
}

document.addEventListener('click', ({ target, shiftKey }) => {
  if (!(target instanceof HTMLInputElement) || target.getAttribute('form') !== 'change') return
  if (shiftKey && lastClicked) selectBetween(lastClicked, target)
  lastClicked = target
  updateSelection()
})

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return
  if (target.id === 'all') {
    for (const box of listCheckboxes()) box.checked = target.checked
  } else if (target.name !== 'all') {
    return
  }
  updateSelection()
})

document.addEventListener('list-replaced', () => {
  lastClicked = undefined
  updateSelection()
})
// After going back, a browser may restore the selection.
addEventListener('pageshow', updateSelection)

/**
 * Applies the state of the second checkbox to the range from the first one.
 *
 * @param {HTMLInputElement} from
 * @param {HTMLInputElement} to
 */
function selectBetween(from, to) {
  const checkboxes = listCheckboxes()
  const [start = 0, end = 0] = [checkboxes.indexOf(from), checkboxes.indexOf(to)].sort(
    (a, b) => a - b,
  )
  for (const box of checkboxes.slice(start, end + 1)) box.checked = to.checked
}

/** Updates the number of selected links and the checkbox that selects all of them. */
function updateSelection() {
  const checkboxes = listCheckboxes()
  const count = checkboxes.filter(({ checked }) => checked).length
  const all = document.getElementById('all')
  const selected = document.getElementById('picked')
  if (selected instanceof HTMLElement) {
    const { none = '', some = '' } = selected.dataset
    const number = count.toLocaleString(document.documentElement.lang)
    selected.textContent = count === 0 ? none : some.replace('{n}', number)
  }
  if (all instanceof HTMLInputElement) {
    all.hidden = false
    all.checked = count > 0 && count === checkboxes.length
    all.indeterminate = count > 0 && count < checkboxes.length
  }
}

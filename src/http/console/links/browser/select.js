// Selects many links: one checkbox for the whole page, Shift for a range. Shows the number of
// selected links.

/** @type {HTMLInputElement | undefined} */
let last

/** @returns {HTMLInputElement[]} */
function boxes() {
  return [...document.querySelectorAll('input[form="change"][name="id"]')].filter(
    (box) => box instanceof HTMLInputElement,
  )
}

document.addEventListener('click', ({ target, shiftKey }) => {
  if (!(target instanceof HTMLInputElement) || target.getAttribute('form') !== 'change') return
  if (shiftKey && last) selectBetween(last, target)
  last = target
  show()
})

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return
  if (target.id === 'all') {
    for (const box of boxes()) box.checked = target.checked
  } else if (target.name !== 'all') {
    return
  }
  show()
})

document.addEventListener('list-replaced', () => {
  last = undefined
  show()
})
// After going back, a browser may restore the selection.
addEventListener('pageshow', show)

/**
 * @param {HTMLInputElement} from
 * @param {HTMLInputElement} to
 */
function selectBetween(from, to) {
  const known = boxes()
  const [start = 0, end = 0] = [known.indexOf(from), known.indexOf(to)].sort((a, b) => a - b)
  for (const box of known.slice(start, end + 1)) box.checked = to.checked
}

function show() {
  const known = boxes()
  const count = known.filter(({ checked }) => checked).length
  const all = document.getElementById('all')
  const selected = document.getElementById('picked')
  if (selected instanceof HTMLElement) {
    const { none = '', some = '' } = selected.dataset
    const number = count.toLocaleString(document.documentElement.lang)
    selected.textContent = count === 0 ? none : some.replace('{n}', number)
  }
  if (all instanceof HTMLInputElement) {
    all.hidden = false
    all.checked = count > 0 && count === known.length
    all.indeterminate = count > 0 && count < known.length
  }
}

// Picking many links: one box for all of the page, Shift for a stretch, and how many are picked.

/** @type {HTMLInputElement[]} */
const boxes = [...document.querySelectorAll('input[form="change"][name="id"]')].filter(
  (box) => box instanceof HTMLInputElement,
)
const all = document.getElementById('all')
const picked = document.getElementById('picked')
/** @type {HTMLInputElement | undefined} */
let last

for (const box of boxes) {
  box.addEventListener('click', ({ shiftKey }) => {
    if (shiftKey && last) pickBetween(last, box)
    last = box
    show()
  })
}
if (all instanceof HTMLInputElement) {
  all.hidden = false
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked
    show()
  })
}
// A browser that goes back may have kept what was picked.
addEventListener('pageshow', show)

/**
 * @param {HTMLInputElement} from
 * @param {HTMLInputElement} to
 */
function pickBetween(from, to) {
  const [start = 0, end = 0] = [boxes.indexOf(from), boxes.indexOf(to)].sort((a, b) => a - b)
  for (const box of boxes.slice(start, end + 1)) box.checked = to.checked
}

function show() {
  const count = boxes.filter(({ checked }) => checked).length
  if (picked) picked.textContent = count === 0 ? 'No link is picked.' : `${count} picked`
  if (all instanceof HTMLInputElement) {
    all.checked = count > 0 && count === boxes.length
    all.indeterminate = count > 0 && count < boxes.length
  }
}

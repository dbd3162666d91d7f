// Adds an empty row to a list when its button with `data-more` is pressed, which the server does
// without scripts. Rows are numbered in ids and names, for screen readers.

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-more]') : null
  const rows = button?.closest('fieldset')?.querySelector('[data-rows]')
  const last = rows?.lastElementChild
  if (!rows || !last) return
  event.preventDefault()
  const row = /** @type {Element} */ (last.cloneNode(true))
  for (const error of row.querySelectorAll('.error')) error.remove()
  for (const field of row.querySelectorAll('input, select')) {
    renumber(field, rows.childElementCount)
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = ''
  }
  rows.append(row)
  const first = row.querySelector('input, select')
  if (first instanceof HTMLElement) first.focus()
})

/** @param {Element} field @param {number} index */
function renumber(field, index) {
  field.id = field.id.replace(/\d+/, String(index))
  const label = field.getAttribute('aria-label') ?? ''
  field.setAttribute('aria-label', label.replace(/\d+$/, String(index + 1)))
  for (const name of ['aria-invalid', 'aria-describedby', 'autofocus']) field.removeAttribute(name)
}

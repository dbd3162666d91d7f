// Ctrl-K, or a link with `data-palette`, opens the search page as a dialog over the page.

import { closest, debounce, fetchPart, find, findAll } from './page.js'

const PATH = `/console/search?${new URLSearchParams({ at: location.pathname })}`
/** The time after the last input before the search starts. */
const DEBOUNCE_MS = 150

document.addEventListener('keydown', (event) => {
  const hasModifier = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
  if (hasModifier && event.key.toLowerCase() === 'k') openPalette(event)
})

document.addEventListener('click', (event) => {
  if (closest(event, '[data-palette]') && !(event.ctrlKey || event.metaKey || event.shiftKey))
    openPalette(event)
})

/** @param {Event} event */
function openPalette(event) {
  event.preventDefault()
  if (document.querySelector('dialog:modal')) return
  showDialog().catch(() => location.assign(PATH))
}

async function showDialog() {
  const search = await fetchSearch('')
  const input = search.querySelector('input')
  if (!input) throw new Error('no search')
  input.id = 'palette-input'
  search.querySelector('label')?.setAttribute('for', input.id)
  const dialog = document.createElement('dialog')
  dialog.className = 'palette-dialog'
  dialog.ariaLabel = search.querySelector('label')?.textContent ?? ''
  dialog.append(search)
  document.body.append(dialog)
  addListeners(dialog, input)
  // Closes the drawer on a phone, which is also in the top layer.
  const drawer = document.getElementById('sidebar')
  if (drawer?.matches(':popover-open')) drawer.hidePopover()
  dialog.showModal()
  input.focus()
}

/** @param {HTMLDialogElement} dialog @param {HTMLInputElement} input */
function addListeners(dialog, input) {
  const updateSoon = debounce(DEBOUNCE_MS, () => updateResults(dialog, input.value))
  input.addEventListener('input', updateSoon)
  input.form?.addEventListener('submit', async (event) => {
    event.preventDefault()
    updateSoon.cancel()
    await updateResults(dialog, input.value)
    find('[data-results] :is(a, button)', dialog)?.click()
  })
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const focusable = findAll('[type=search], [data-results] :is(a, button)', dialog)
    const index = focusable.findIndex((each) => each.matches(':focus'))
    focusable[index + (event.key === 'ArrowDown' ? 1 : -1)]?.focus()
    event.preventDefault()
  })
  // A click outside the dialog closes it.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
  })
  dialog.addEventListener('close', () => dialog.remove())
}

/**
 * Shows the results for a text, unless the text has changed meanwhile.
 * @param {HTMLDialogElement} dialog @param {string} text
 */
async function updateResults(dialog, text) {
  const search = await fetchSearch(text)
  const input = dialog.querySelector('input')
  if (input?.value !== text) return
  const results = find('[data-results]', search)
  if (results) find('[data-results]', dialog)?.replaceWith(results)
}

/** Fetches the search form with the results for a text. @param {string} text */
function fetchSearch(text) {
  return fetchPart(`${PATH}&${new URLSearchParams({ q: text })}`, '[data-search]')
}

// Ctrl-K, or a link with `data-palette`, opens the search page as a dialog over the page.

const PATH = '/console/search'
/** The time after the last input before the search starts. */
const DEBOUNCE_MS = 150

document.addEventListener('keydown', (event) => {
  const hasModifier = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
  if (!hasModifier || event.key.toLowerCase() !== 'k') return
  event.preventDefault()
  openPalette()
})

document.addEventListener('click', (event) => {
  const { target } = event
  if (!(target instanceof Element) || !target.closest('[data-palette]')) return
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  openPalette()
})

function openPalette() {
  if (document.querySelector('dialog:modal')) return
  showDialog().catch(() => location.assign(PATH))
}

async function showDialog() {
  const search = await fetchSearch('')
  const form = search.querySelector('form')
  const input = search.querySelector('input')
  if (!form || !input) throw new Error('no search')
  input.id = 'palette-input'
  search.querySelector('label')?.setAttribute('for', input.id)
  const dialog = document.createElement('dialog')
  dialog.className = 'palette-dialog'
  dialog.setAttribute('aria-label', search.querySelector('label')?.textContent ?? '')
  dialog.append(search)
  document.body.append(dialog)
  addListeners(dialog, form, input)
  // Closes the drawer on a phone, which is also in the top layer.
  const drawer = document.getElementById('sidebar')
  if (drawer?.matches(':popover-open')) drawer.hidePopover()
  dialog.showModal()
  input.focus()
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {HTMLFormElement} form
 * @param {HTMLInputElement} input
 */
function addListeners(dialog, form, input) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => updateResults(dialog, input.value), DEBOUNCE_MS)
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    clearTimeout(timer)
    await updateResults(dialog, input.value)
    const first = dialog.querySelector('[data-results] a')
    if (first instanceof HTMLAnchorElement) first.click()
  })
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const focusable = [input, ...dialog.querySelectorAll('[data-results] a')]
    const index = document.activeElement ? focusable.indexOf(document.activeElement) : -1
    const next = focusable[index + (event.key === 'ArrowDown' ? 1 : -1)]
    if (next instanceof HTMLElement) next.focus()
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
 *
 * @param {HTMLDialogElement} dialog
 * @param {string} text
 */
async function updateResults(dialog, text) {
  const search = await fetchSearch(text)
  const input = dialog.querySelector('input')
  if (input?.value !== text) return
  const [current, replacement] = [dialog, search].map((each) =>
    each.querySelector('[data-results]'),
  )
  if (current && replacement) current.replaceWith(replacement)
}

/**
 * Fetches the search form with the results for a text.
 *
 * @param {string} text
 * @returns {Promise<Element>}
 */
async function fetchSearch(text) {
  const response = await fetch(`${PATH}?${new URLSearchParams({ q: text })}`)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const search = page.querySelector('[data-search]')
  if (!response.ok || !search) throw new Error('no search')
  return document.adoptNode(search)
}

// Ctrl-K, or a link with `data-palette`, opens the search page as a dialog over the page.

const PATH = '/console/search'
const DELAY_MS = 150

document.addEventListener('keydown', (event) => {
  const isPalette = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
  if (!isPalette || event.key.toLowerCase() !== 'k') return
  event.preventDefault()
  open()
})

document.addEventListener('click', (event) => {
  const { target } = event
  if (!(target instanceof Element) || !target.closest('[data-palette]')) return
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  open()
})

function open() {
  if (document.querySelector('dialog:modal')) return
  show().catch(() => location.assign(PATH))
}

async function show() {
  const search = await load('')
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
  listen(dialog, form, input)
  // Closes the drawer on a phone, which is also in the top layer.
  const drawer = document.getElementById('sidebar')
  if (drawer?.matches(':popover-open')) drawer.hidePopover()
  dialog.showModal()
  input.focus()
}

/**
 * @param {HTMLDialogElement} shown
 * @param {HTMLFormElement} form
 * @param {HTMLInputElement} input
 */
function listen(shown, form, input) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting
  input.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => update(shown, input.value), DELAY_MS)
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    clearTimeout(waiting)
    await update(shown, input.value)
    const first = shown.querySelector('[data-results] a')
    if (first instanceof HTMLAnchorElement) first.click()
  })
  shown.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const stops = [input, ...shown.querySelectorAll('[data-results] a')]
    const at = document.activeElement ? stops.indexOf(document.activeElement) : -1
    const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)]
    if (next instanceof HTMLElement) next.focus()
    event.preventDefault()
  })
  // A click outside the dialog closes it.
  shown.addEventListener('click', ({ target }) => {
    if (target === shown) shown.close()
  })
  shown.addEventListener('close', () => shown.remove())
}

/**
 * @param {HTMLDialogElement} shown
 * @param {string} text
 */
async function update(shown, text) {
  const search = await load(text)
  const input = shown.querySelector('input')
  // The text has changed since the request.
  if (input?.value !== text) return
  const [before, after] = [shown, search].map((each) => each.querySelector('[data-results]'))
  if (before && after) before.replaceWith(after)
}

/**
 * Fetches the search results for a text.
 *
 * @param {string} text
 * @returns {Promise<Element>}
 */
async function load(text) {
  const reply = await fetch(`${PATH}?${new URLSearchParams({ q: text })}`)
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
  const search = page.querySelector('[data-search]')
  if (!reply.ok || !search) throw new Error('no search')
  return document.adoptNode(search)
}

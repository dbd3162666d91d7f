// Fetches the title of the destination without leaving the form, which the server does without
// scripts, and draws the QR code of the typed short link.

const button = document.querySelector('[data-title]')
const answer = document.querySelector('[data-title-answer]')
const code = document.querySelector('img[data-code]')
const note = document.querySelector('[data-code-note]')

/** Milliseconds after the last key. */
const DEBOUNCE_MS = 300

if (button instanceof HTMLButtonElement && button.form) {
  const { form } = button
  button.addEventListener('click', async (event) => {
    event.preventDefault()
    button.disabled = true
    try {
      await fetchTitle(form, String(button.dataset.title))
    } finally {
      button.disabled = false
    }
  })

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting
  form.addEventListener('input', ({ target }) => {
    const isPart = [fieldOf(form, 'alias'), fieldOf(form, 'domain')].some((each) => each === target)
    if (!isPart) return
    clearTimeout(waiting)
    waiting = setTimeout(() => drawCode(form), DEBOUNCE_MS)
  })
}

/** @param {HTMLFormElement} form @param {string} path */
async function fetchTitle(form, path) {
  announce('…')
  const body = new URLSearchParams({
    csrf: fieldOf(form, 'csrf')?.value ?? '',
    url: fieldOf(form, 'url')?.value ?? '',
  })
  try {
    const reply = await fetch(path, { method: 'POST', body })
    const { title, description, text } = await reply.json()
    announce(text)
    if (!title) return
    put(form, 'metaTitle', title)
    if (description && !fieldOf(form, 'metaDescription')?.value) {
      put(form, 'metaDescription', description)
    }
  } catch {
    announce('')
  }
}

/** @param {HTMLFormElement} form */
function drawCode(form) {
  if (!(code instanceof HTMLImageElement)) return
  const alias = fieldOf(form, 'alias')?.value.trim() ?? ''
  const query = new URLSearchParams({ alias, domain: fieldOf(form, 'domain')?.value ?? '' })
  code.src = `${code.dataset.code}?${query}`
  if (note instanceof HTMLElement) note.hidden = alias !== ''
}

/** @param {HTMLFormElement} form @param {string} name @param {string} value */
function put(form, name, value) {
  const field = fieldOf(form, name)
  if (!field) return
  field.value = value
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** @param {HTMLFormElement} form @param {string} name */
function fieldOf(form, name) {
  const field = form.elements.namedItem(name)
  const isField =
    field instanceof HTMLInputElement ||
    field instanceof HTMLTextAreaElement ||
    field instanceof HTMLSelectElement
  return isField ? field : undefined
}

/** @param {string} text */
function announce(text) {
  if (answer) answer.textContent = text
}

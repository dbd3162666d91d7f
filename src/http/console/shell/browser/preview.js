// Updates the preview beside a form while the user types: submits the form like its preview button,
// into a new frame that replaces the old one. Navigating the same frame would add every state to
// the browser's history.

const button = document.querySelector('[data-preview]')

/** Milliseconds after the last change. */
const DEBOUNCE_MS = 350

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting
/** @type {Element | undefined} */
let coming
let count = 0

if (button instanceof HTMLButtonElement && button.form) {
  const form = button.form
  for (const kind of ['input', 'change']) {
    form.addEventListener(kind, () => {
      clearTimeout(waiting)
      waiting = setTimeout(() => show(form, button), DEBOUNCE_MS)
    })
  }
  // The browser may have restored earlier values.
  addEventListener('pageshow', () => show(form, button))
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} button
 */
function show(form, button) {
  const shown = document.querySelector('[data-frame]:not([hidden])')
  if (!(shown instanceof HTMLIFrameElement)) return
  coming?.remove()
  count += 1
  const next = /** @type {HTMLIFrameElement} */ (shown.cloneNode())
  next.removeAttribute('src')
  next.name = `preview-${count}`
  next.hidden = true
  shown.after(next)
  coming = next
  next.addEventListener('load', () => {
    if (coming !== next) return
    coming = undefined
    shown.remove()
    next.hidden = false
  })
  button.formTarget = next.name
  form.requestSubmit(button)
}

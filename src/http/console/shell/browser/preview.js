// The frame beside a form follows it: what stands in the form is sent as its preview button would send
// it, into a new frame that takes the place of the old one. A frame that were led on would put every
// state of the form into the history of the browser.

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
  // A browser may have filled in what stood here before.
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

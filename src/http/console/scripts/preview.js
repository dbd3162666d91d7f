// Updates the preview beside a form while the user edits it: submits the form with its preview button
// into a new frame, which replaces the old one when it has loaded. Navigating the same frame would
// add every preview to the browser's history.

import { debounce } from './page.js'

const button = document.querySelector('[data-preview]')

/** The time after the last change before the preview is updated. */
const DEBOUNCE_MS = 350

/** @type {Element | undefined} */
let pendingFrame
let frameCount = 0

if (button instanceof HTMLButtonElement && button.form) {
  const form = button.form
  const updateSoon = debounce(DEBOUNCE_MS, () => updatePreview(form, button))
  for (const kind of ['input', 'change']) form.addEventListener(kind, updateSoon)
  // The browser may have restored earlier values.
  addEventListener('pageshow', () => updatePreview(form, button))
}

/** @param {HTMLFormElement} form @param {HTMLButtonElement} button */
function updatePreview(form, button) {
  const currentFrame = document.querySelector('[data-frame]:not([hidden])')
  if (!(currentFrame instanceof HTMLIFrameElement)) return
  pendingFrame?.remove()
  frameCount += 1
  const next = /** @type {HTMLIFrameElement} */ (currentFrame.cloneNode())
  next.removeAttribute('src')
  next.name = `preview-${frameCount}`
  next.hidden = true
  currentFrame.after(next)
  pendingFrame = next
  next.addEventListener('load', () => {
    if (pendingFrame !== next) return
    pendingFrame = undefined
    currentFrame.remove()
    next.hidden = false
  })
  button.formTarget = next.name
  form.requestSubmit(button)
}

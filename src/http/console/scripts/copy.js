// Buttons with `data-share` share an element's text with other apps, or copy it if the browser
// cannot share. Buttons with `data-copy` copy the text of the element with that id, or of
// `data-text`. Without https there is no clipboard, so the text is selected instead.

import { announce, closest, findAll } from './page.js'

/** Its data attributes contain the texts in the language of the page. */
const status = document.getElementById('said')

for (const button of findAll('[data-share]')) button.hidden = false

document.addEventListener('click', async (event) => {
  const button = closest(event, '[data-copy], [data-share]')
  if (!button) return
  const { copy, share } = button.dataset
  const source = document.getElementById(copy ?? share ?? '')
  if (!source) return
  const text = source.dataset.text ?? source.textContent ?? ''
  if (share !== undefined && 'share' in navigator) {
    // Canceling is not a failure.
    await navigator.share({ url: text }).catch(() => {})
    return
  }
  try {
    await navigator.clipboard.writeText(text)
    const { textCopied = '' } = status?.dataset ?? {}
    showOutcome(button, `✓ ${textCopied}`, textCopied)
  } catch {
    source.textContent = text
    getSelection()?.selectAllChildren(source)
    const { textSelected = '', textHint = '' } = status?.dataset ?? {}
    showOutcome(button, textSelected, textHint)
  }
})

/** The contents of buttons that show an outcome. @type {WeakMap<HTMLElement, Node[]>} */
const contents = new WeakMap()

/**
 * Shows the outcome on the button for a second, as a sign on one with an icon, and announces it to
 * screen readers.
 * @param {HTMLElement} button @param {string} label @param {string} announcement
 */
function showOutcome(button, label, announcement) {
  announce(announcement)
  const content = contents.get(button) ?? [...button.childNodes]
  contents.set(button, content)
  const isIcon = content.some((node) => node instanceof SVGElement)
  button.replaceChildren(isIcon ? '✓' : label)
  setTimeout(() => {
    button.replaceChildren(...content)
    announce('')
  }, 1000)
}

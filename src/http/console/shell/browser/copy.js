// Buttons with `data-share` hand the text of an element to other programs, where the browser can do that;
// else they copy it. Buttons with `data-copy` copy the text of the element with that id, or what its
// `data-text` says. A page that came without https
// has no clipboard: there the text is selected, for the visitor to copy.

for (const button of document.querySelectorAll('[data-share]')) {
  if (button instanceof HTMLElement) button.hidden = false
}

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('[data-copy], [data-share]') : null
  if (!(button instanceof HTMLElement)) return
  const { copy, share } = button.dataset
  const source = document.getElementById(copy ?? share ?? '')
  if (!source) return
  const text = source.dataset.text ?? source.textContent ?? ''
  if (share !== undefined && 'share' in navigator) {
    // Who changes their mind has not failed.
    await navigator.share({ url: text }).catch(() => {})
    return
  }
  try {
    await navigator.clipboard.writeText(text)
    tell(button, '✓ Copied', 'Copied')
  } catch {
    source.textContent = text
    getSelection()?.selectAllChildren(source)
    tell(button, 'Selected', 'The text is selected. Copy it with your keyboard.')
  }
})

/**
 * Shows what became of it on the button for a second, and tells it to screen readers.
 *
 * @param {HTMLElement} button
 * @param {string} shown
 * @param {string} said
 */
function tell(button, shown, said) {
  const status = document.getElementById('said')
  if (status) status.textContent = said
  const before = button.dataset.share === undefined ? 'Copy' : 'Share'
  button.textContent = shown
  setTimeout(() => {
    button.textContent = before
    if (status) status.textContent = ''
  }, 1000)
}

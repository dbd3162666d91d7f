// Buttons with `data-copy` copy the text of the element with that id. A page that came without https
// has no clipboard: there the text is selected, for the visitor to copy.

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? target.closest('[data-copy]') : null
  if (!(button instanceof HTMLElement)) return
  const source = document.getElementById(button.dataset.copy ?? '')
  if (!source) return
  try {
    await navigator.clipboard.writeText(source.textContent ?? '')
    tell(button, '✓ Copied', 'Copied')
  } catch {
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
  button.textContent = shown
  setTimeout(() => {
    button.textContent = 'Copy'
    if (status) status.textContent = ''
  }, 1000)
}

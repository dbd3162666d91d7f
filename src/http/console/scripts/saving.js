// Saves a form with `data-saving` by Ctrl+S or Cmd+S, marks unsaved changes, and asks before they
// are lost. `data-unsaved` means that the form was rendered with unsaved values.

import { find } from './page.js'

const form = /** @type {HTMLFormElement | null} */ (find('form[data-saving]'))

if (form) {
  const state = form.querySelector('[data-state]')
  let unsaved = 'unsaved' in form.dataset

  for (const kind of ['input', 'change']) {
    form.addEventListener(kind, () => {
      if (!unsaved && state) state.textContent = state.getAttribute('data-text')
      unsaved = true
    })
  }
  form.addEventListener('submit', () => {
    unsaved = false
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return
    event.preventDefault()
    form.requestSubmit(find('[data-save]', form))
  })
  addEventListener('beforeunload', (event) => {
    if (unsaved) event.preventDefault()
  })
}

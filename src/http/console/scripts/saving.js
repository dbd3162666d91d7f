// Saves a form with `data-saving` by Ctrl+S or Cmd+S, marks unsaved changes, and asks before they
// are lost. `data-unsaved` means that the form was rendered with unsaved values.

const form = document.querySelector('form[data-saving]')

if (form instanceof HTMLFormElement) {
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
    const button = form.querySelector('[data-save]')
    if (button instanceof HTMLButtonElement) form.requestSubmit(button)
  })
  addEventListener('beforeunload', (event) => {
    if (unsaved) event.preventDefault()
  })
}

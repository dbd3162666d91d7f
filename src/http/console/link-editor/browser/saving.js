// A form with `data-saving` is saved by Ctrl+S or Cmd+S, says when it holds what is not stored, and is
// not left without a question then. `data-unsaved` means that it came like that.

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

// Shows the page that confirms a deletion as a dialog, so that canceling keeps the current page.

document.addEventListener('submit', async (event) => {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement) || !(submitter instanceof HTMLButtonElement)) return
  if (submitter.value !== 'delete' || form.closest('dialog')) return
  event.preventDefault()
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form, submitter)) body.append(name, String(value))
  try {
    // `form.action` would return the button named "action".
    const response = await fetch(form.getAttribute('action') ?? '', { method: 'POST', body })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const confirmation = page.querySelector('[data-ask]')
    if (!response.ok || response.redirected || !confirmation) throw new Error('no confirmation')
    showDialog(confirmation)
  } catch {
    // Submits without the dialog. The server responds with its confirmation page or an error.
    submitForm(form, submitter)
  }
})

/** @param {Element} confirmation */
function showDialog(confirmation) {
  const dialog = document.createElement('dialog')
  dialog.className = 'ask'
  dialog.append(document.adoptNode(confirmation))
  const heading = dialog.querySelector('h1')
  if (heading) {
    heading.id = 'ask-title'
    dialog.setAttribute('aria-labelledby', heading.id)
  }
  dialog.addEventListener('close', () => dialog.remove())
  dialog.querySelector('[data-keep]')?.addEventListener('click', (event) => {
    event.preventDefault()
    dialog.close()
  })
  document.body.append(dialog)
  dialog.showModal()
}

/**
 * Submits a form without triggering its listeners.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} submitter
 */
function submitForm(form, submitter) {
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = submitter.name
  field.value = submitter.value
  form.append(field)
  form.submit()
}

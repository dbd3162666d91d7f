// Shows the page that confirms a deletion as a dialog, so that canceling keeps the current page.

import { fetchPart } from './page.js'

let isDialogUnavailable = false

document.addEventListener('submit', async (event) => {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement) || !(submitter instanceof HTMLButtonElement)) return
  if (isDialogUnavailable || submitter.value !== 'delete' || form.closest('dialog')) return
  event.preventDefault()
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form, submitter)) body.append(name, String(value))
  try {
    // `form.action` would return the button named "action".
    const action = form.getAttribute('action') ?? ''
    showDialog(await fetchPart(action, '[data-ask]', { method: 'POST', body }))
  } catch {
    // Submits without the dialog. The server responds with its confirmation page or an error.
    isDialogUnavailable = true
    form.requestSubmit(submitter)
  }
})

/** @param {Element} confirmation */
function showDialog(confirmation) {
  const dialog = document.createElement('dialog')
  dialog.className = 'ask'
  dialog.append(confirmation)
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

// Creates a passkey or signs in with one, for forms with `data-passkey` and the options in
// `data-options`. Submits the browser's response as `credential`, as JSON.

document.getElementById('needs-scripts')?.remove()

const isSupported =
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!(form instanceof HTMLFormElement)) continue
  if (!isSupported) {
    showError(form, 'unsupported')
    continue
  }
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run(form)
  })
}

/**
 * Asks the browser for a passkey and submits the form with its response.
 * @param {HTMLFormElement} form
 */
async function run(form) {
  const options = JSON.parse(form.dataset.options ?? '{}')
  const field = form.elements.namedItem('credential')
  if (!(field instanceof HTMLInputElement)) return
  showError(form)
  try {
    const { parseCreationOptionsFromJSON: create, parseRequestOptionsFromJSON: request } =
      PublicKeyCredential
    const credential =
      form.dataset.passkey === 'create'
        ? await navigator.credentials.create({ publicKey: create(options) })
        : await navigator.credentials.get({ publicKey: request(options) })
    field.value = JSON.stringify(credential)
    form.submit()
  } catch (error) {
    const isRegistered = error instanceof DOMException && error.name === 'InvalidStateError'
    showError(form, isRegistered ? 'known' : 'cancelled')
  }
}

/** Shows the text in the form's attribute `data-<name>`. @param {HTMLFormElement} form @param {string} [name] */
function showError(form, name) {
  const notice = document.getElementById('passkey-error')
  if (!notice) return
  notice.hidden = name === undefined
  notice.textContent = form.dataset[name ?? ''] ?? ''
}

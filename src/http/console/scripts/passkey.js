// Creates a passkey or signs in with one, for forms with `data-passkey`: submits the browser's response
// to their `data-options`. Also offers passkeys in the email field of the sign-in page.

import { fetchPart, fieldOf, find, findAll } from './page.js'

find('#needs-scripts')?.remove()
const isSupported =
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

for (const form of /** @type {HTMLFormElement[]} */ (findAll('form[data-passkey]'))) {
  if (!isSupported) showError(form, 'unsupported')
  else {
    form.hidden = false
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      showError(form)
      run(form).catch((error) => {
        const isRegistered = error instanceof DOMException && error.name === 'InvalidStateError'
        showError(form, isRegistered ? 'known' : 'cancelled')
      })
    })
  }
}

const start = find('[data-passkeys] form')
if (start instanceof HTMLFormElement) void offer(start)

/** Offers passkeys in the email field. Without one, the user signs in otherwise. @param {HTMLFormElement} start */
async function offer(start) {
  if (!isSupported || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  const fields = ['csrf', 'next'].map((name) => [name, fieldOf(start, name)?.value ?? ''])
  const options = { method: 'POST', body: new URLSearchParams(fields) }
  const form = await fetchPart(start.action, 'form[data-passkey]', options).catch(() => null)
  if (!(form instanceof HTMLFormElement)) return
  start.after(form)
  await run(form, { mediation: 'conditional' }).catch(() => {})
}

/** Submits a form with the browser's passkey. @param {HTMLFormElement} form @param {CredentialRequestOptions} [how] */
async function run(form, how) {
  const options = JSON.parse(form.dataset.options ?? '{}')
  const { parseCreationOptionsFromJSON: create, parseRequestOptionsFromJSON: request } =
    PublicKeyCredential
  const credential =
    form.dataset.passkey === 'create'
      ? await navigator.credentials.create({ publicKey: create(options) })
      : await navigator.credentials.get({ ...how, publicKey: request(options) })
  const field = fieldOf(form, 'credential')
  if (field) field.value = JSON.stringify(credential)
  form.submit()
}

/** Shows the text in the form's attribute `data-<name>`. @param {HTMLFormElement} form @param {string} [name] */
function showError(form, name) {
  const notice = find('#passkey-error')
  if (!notice) return
  notice.hidden = name === undefined
  notice.textContent = form.dataset[name ?? ''] ?? ''
}

// Creates a passkey or signs in with one, for forms with `data-passkey` and the options in
// `data-options`. Submits the browser's response as `credential`. Binary values are encoded as
// base64url.

document.getElementById('needs-scripts')?.remove()

const isSupported = 'PublicKeyCredential' in window && 'credentials' in navigator

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
 *
 * @param {HTMLFormElement} form
 */
async function run(form) {
  const options = JSON.parse(form.dataset.options ?? '{}')
  const field = form.elements.namedItem('credential')
  if (!(field instanceof HTMLInputElement)) return
  showError(form, undefined)
  try {
    const credential = await request(options, form.dataset.passkey === 'create')
    field.value = JSON.stringify(credential)
    form.submit()
  } catch (error) {
    const isRegistered = error instanceof DOMException && error.name === 'InvalidStateError'
    showError(form, isRegistered ? 'known' : 'cancelled')
  }
}

/**
 * Creates a passkey or signs in with one. Returns the response to submit.
 *
 * @param {any} options
 * @param {boolean} isNew
 */
async function request(options, isNew) {
  const publicKey = { ...options, challenge: decodeBase64(options.challenge) }
  if (isNew) publicKey.user = { ...options.user, id: decodeBase64(options.user.id) }
  const list = isNew ? 'excludeCredentials' : 'allowCredentials'
  publicKey[list] = options[list].map(withBytes)
  const { credentials } = navigator
  const credential = /** @type {any} */ (
    await (isNew ? credentials.create({ publicKey }) : credentials.get({ publicKey }))
  )
  const { rawId, type, response } = credential
  const id = encodeBase64(rawId)
  const { attestationObject, authenticatorData, signature, userHandle } = response
  const parts = isNew ? { attestationObject } : { authenticatorData, signature, userHandle }
  const encoded = Object.entries({ clientDataJSON: response.clientDataJSON, ...parts }).flatMap(
    ([name, bytes]) => (bytes ? [[name, encodeBase64(bytes)]] : []),
  )
  return {
    id,
    rawId: id,
    type,
    clientExtensionResults: {},
    response: {
      ...Object.fromEntries(encoded),
      ...(isNew && { transports: response.getTransports?.() ?? [] }),
    },
  }
}

/** @param {{ id: string }} descriptor */
function withBytes(descriptor) {
  return { ...descriptor, id: decodeBase64(descriptor.id) }
}

/** @param {string} text */
function decodeBase64(text) {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** @param {ArrayBuffer} buffer */
function encodeBase64(buffer) {
  const binary = String.fromCharCode(...new Uint8Array(buffer))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * Shows the error text stored in the attribute `data-<name>` of the form.
 *
 * @param {HTMLFormElement} form
 * @param {'unsupported' | 'cancelled' | 'known' | undefined} name
 */
function showError(form, name) {
  const notice = document.getElementById('passkey-error')
  if (!notice) return
  notice.hidden = name === undefined
  notice.textContent = name === undefined ? '' : (form.dataset[name] ?? '')
}

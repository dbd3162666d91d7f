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
    const credential =
      form.dataset.passkey === 'create' ? await create(options) : await request(options)
    field.value = JSON.stringify(credential)
    form.submit()
  } catch (error) {
    const isRegistered = error instanceof DOMException && error.name === 'InvalidStateError'
    showError(form, isRegistered ? 'known' : 'cancelled')
  }
}

/**
 * Creates a passkey and returns the response to submit.
 *
 * @param {any} options
 */
async function create(options) {
  const publicKey = {
    ...options,
    challenge: decodeBase64(options.challenge),
    user: { ...options.user, id: decodeBase64(options.user.id) },
    excludeCredentials: options.excludeCredentials.map(withBytes),
  }
  const credential = /** @type {any} */ (await navigator.credentials.create({ publicKey }))
  const { response } = credential
  return {
    ...encodeIdentity(credential),
    response: {
      clientDataJSON: encodeBase64(response.clientDataJSON),
      attestationObject: encodeBase64(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  }
}

/**
 * Signs in with a passkey and returns the response to submit.
 *
 * @param {any} options
 */
async function request(options) {
  const publicKey = {
    ...options,
    challenge: decodeBase64(options.challenge),
    allowCredentials: options.allowCredentials.map(withBytes),
  }
  const credential = /** @type {any} */ (await navigator.credentials.get({ publicKey }))
  const { response } = credential
  return {
    ...encodeIdentity(credential),
    response: {
      clientDataJSON: encodeBase64(response.clientDataJSON),
      authenticatorData: encodeBase64(response.authenticatorData),
      signature: encodeBase64(response.signature),
      ...(response.userHandle && { userHandle: encodeBase64(response.userHandle) }),
    },
  }
}

/** @param {any} credential */
function encodeIdentity(credential) {
  const id = encodeBase64(credential.rawId)
  return { id, rawId: id, type: credential.type, clientExtensionResults: {} }
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

// Shows whether an alias is free while the user types. `data-free` is the URL to query, and
// `data-id` the id of the edited link. The result is shown in the element with `data-answer`.

const box = document.querySelector('[data-free]')
const alias = box?.querySelector('input')
const answer = box?.querySelector('[data-answer]')
const domain = document.querySelector('select[name=domain]')

/** Milliseconds after the last key. */
const DEBOUNCE_MS = 250

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting
/** @type {AbortController | undefined} */
let request

if (box instanceof HTMLElement && alias && answer) {
  for (const field of [alias, domain]) {
    field?.addEventListener('input', () => {
      clearTimeout(waiting)
      request?.abort()
      showAvailability('', '')
      if (alias.value.trim() !== '') waiting = setTimeout(checkAlias, DEBOUNCE_MS)
    })
  }
}

async function checkAlias() {
  if (!(box instanceof HTMLElement) || !alias) return
  request = new AbortController()
  const query = new URLSearchParams({
    alias: alias.value,
    domain: domain instanceof HTMLSelectElement ? domain.value : '',
    id: box.dataset.id ?? '',
  })
  try {
    const reply = await fetch(`${box.dataset.free}?${query}`, { signal: request.signal })
    if (!reply.ok || reply.redirected) return
    const { state, text } = await reply.json()
    showAvailability(state, text)
  } catch {
    // Aborted by a newer request, or offline. Saving checks the alias again.
  }
}

/** @param {string} state @param {string} text */
function showAvailability(state, text) {
  if (!(answer instanceof HTMLElement)) return
  answer.textContent = text
  answer.dataset.state = state
}

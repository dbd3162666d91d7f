// Shows whether an alias is free and draws its QR code while the user types. `data-free` is the URL
// to query, and `data-id` the id of the edited link. The result is shown in the element with
// `data-answer`.

import { debounce, fieldOf, find } from './page.js'

const DEBOUNCE_MS = 250

const box = find('[data-free]')
const answer = find('[data-answer]')
const form = box?.closest('form')
const code = find('img[data-code]')
const note = find('[data-code-note]')
const fields = [fieldOf(form, 'alias'), fieldOf(form, 'domain')]
/** @type {AbortController | undefined} */
let request

const update = debounce(DEBOUNCE_MS, () => {
  const [alias = '', domain = ''] = fields.map((field) => field?.value.trim())
  const query = new URLSearchParams({ alias, domain })
  if (code instanceof HTMLImageElement) code.src = `${code.dataset.code}?${query}`
  if (note) note.hidden = alias !== ''
  if (alias !== '') void checkAlias(query)
})

for (const field of fields) {
  field?.addEventListener('input', () => {
    request?.abort()
    showAvailability('', '')
    update()
  })
}

/** @param {URLSearchParams} query */
async function checkAlias(query) {
  if (!box) return
  request = new AbortController()
  query.set('id', box.dataset.id ?? '')
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
  if (!answer) return
  answer.textContent = text
  answer.dataset.state = state
}

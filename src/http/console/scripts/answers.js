// Shows what the server answers about fields of a form while the user types, such as whether an alias
// is free, in elements with `data-answer`: the URL to query. `data-of` has the names of the fields.
// Also draws the QR code of the alias.

import { debounce, fieldOf, find, findAll } from './page.js'

const DEBOUNCE_MS = 250

for (const answer of findAll('[data-answer]')) {
  const form = answer.closest('form')
  if (form) listen(form, answer)
}

/** @param {HTMLFormElement} form @param {HTMLElement} answer */
function listen(form, answer) {
  const names = ['csrf', ...(answer.dataset.of ?? '').split(' ')]
  /** @type {AbortController | undefined} */
  let request
  const update = debounce(DEBOUNCE_MS, async () => {
    const fields = [...new FormData(form)].filter(([name]) => names.includes(name))
    const body = new URLSearchParams(fields.map(([name, value]) => [name, String(value)]))
    request = new AbortController()
    const { signal } = request
    try {
      const reply = await fetch(answer.dataset.answer ?? '', { method: 'POST', body, signal })
      if (!reply.ok || reply.redirected) return
      const { state = '', text } = await reply.json()
      show(state, text)
    } catch {
      // Aborted by a newer request, or offline. Saving checks the fields again.
    }
  })
  const show = (/** @type {string} */ state, /** @type {string} */ text) => {
    answer.textContent = text
    answer.dataset.state = state
  }
  form.addEventListener('input', ({ target }) => {
    if (!(target instanceof Element) || !names.includes(target.getAttribute('name') ?? '')) return
    request?.abort()
    if (answer.dataset.state) show('', '')
    update()
  })
}

const code = find('img[data-code]')
const note = find('[data-code-note]')
const fields = ['alias', 'domain'].map((name) => fieldOf(code?.closest('form'), name))
const draw = debounce(DEBOUNCE_MS, () => {
  const [alias = '', domain = ''] = fields.map((field) => field?.value.trim())
  if (code)
    code.setAttribute('src', `${code.dataset.code}?${new URLSearchParams({ alias, domain })}`)
  if (note) note.hidden = alias !== ''
})
for (const field of fields) field?.addEventListener('input', draw)

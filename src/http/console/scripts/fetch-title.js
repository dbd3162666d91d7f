// Fetches the title of the destination without leaving the form, which the server does without
// scripts.

import { fieldOf, find } from './page.js'

const button = /** @type {HTMLButtonElement | null} */ (find('[data-title]'))
const answer = find('[data-title-answer]')

button?.addEventListener('click', async (event) => {
  event.preventDefault()
  const { form } = button
  const [csrf = '', url = ''] = ['csrf', 'url'].map((name) => fieldOf(form, name)?.value)
  button.disabled = true
  answerWith('…')
  try {
    const body = new URLSearchParams({ csrf, url })
    const reply = await fetch(button.dataset.title ?? '', { method: 'POST', body })
    const { title, description, text } = await reply.json()
    answerWith(text)
    if (title) put('metaTitle', title)
    const isDescribed = fieldOf(form, 'metaDescription')?.value
    if (title && description && !isDescribed) put('metaDescription', description)
  } catch {
    answerWith('')
  }
  button.disabled = false
})

/** @param {string} name @param {string} value */
function put(name, value) {
  const field = fieldOf(button?.form, name)
  if (field) field.value = value
  field?.dispatchEvent(new Event('input', { bubbles: true }))
}

/** @param {string} text */
function answerWith(text) {
  if (answer) answer.textContent = text
}

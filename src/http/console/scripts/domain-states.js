// Checks the domains whose state is stale, one after the other, and shows the new state. A domain
// that cannot be checked now keeps its last known state.

import { find, findAll } from './page.js'

for (const element of findAll('[data-check]')) await check(element)

/**
 * Shows the state of a domain after checking it, and the advice on the domain's own page.
 * @param {HTMLElement} element
 */
async function check(element) {
  const text = element.querySelector('.dns-text')
  const time = element.querySelector('.dns-time')
  if (!text || !time) return
  const lastKnownText = text.textContent
  text.textContent = element.dataset.textChecking ?? ''
  element.setAttribute('aria-busy', 'true')
  try {
    const reply = await fetch(String(element.dataset.check))
    const checked = await reply.json()
    if (!reply.ok || !checked.state) throw new TypeError('no state')
    element.dataset.state = checked.state
    text.textContent = checked.text
    time.textContent = checked.time
    const advice = find('[data-advice]')
    if (advice && checked.advice) {
      advice.className = checked.state === 'here' ? 'inset' : 'notice'
      advice.textContent = checked.advice
      advice.hidden = false
    }
  } catch {
    text.textContent = lastKnownText
  } finally {
    element.removeAttribute('aria-busy')
  }
}

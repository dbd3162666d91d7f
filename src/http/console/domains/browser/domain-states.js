// Checks the domains whose state is stale, one after the other, and updates the shown state. A
// domain that cannot be checked now keeps its last known state.

const stale = [...document.querySelectorAll('[data-check]')]

for (const each of stale) {
  if (each instanceof HTMLElement) await check(each)
}

/** @param {HTMLElement} element */
async function check(element) {
  const text = element.querySelector('.dns-text')
  const time = element.querySelector('.dns-time')
  if (!text || !time) return
  const before = text.textContent
  text.textContent = element.dataset.textChecking ?? ''
  element.setAttribute('aria-busy', 'true')
  try {
    const reply = await fetch(String(element.dataset.check))
    const found = await reply.json()
    if (!reply.ok || !found.state) throw new TypeError('no state')
    element.dataset.state = found.state
    text.textContent = found.text
    time.textContent = found.time
    const advice = document.querySelector('[data-advice]')
    if (advice instanceof HTMLElement && found.advice) show(advice, found)
  } catch {
    text.textContent = before
  } finally {
    element.removeAttribute('aria-busy')
  }
}

/**
 * @param {HTMLElement} advice
 * @param {{ state: string, advice: string }} found
 */
function show(advice, found) {
  advice.className = found.state === 'here' ? 'inset' : 'notice'
  advice.textContent = found.advice
  advice.hidden = false
}

// Applies the filters while the user changes them: replaces the list and updates the URL.

import { announce, debounce, fetchPart } from './page.js'

const DEBOUNCE_MS = 250
const form = document.getElementById('filters')
let latestRequestId = 0

if (form instanceof HTMLFormElement) {
  form.querySelector('[data-apply]')?.setAttribute('hidden', '')
  const applySoon = debounce(DEBOUNCE_MS, () => apply(form))
  form.addEventListener('input', applySoon)
  form.addEventListener('submit', (event) => {
    if (event.submitter?.getAttribute('formmethod') === 'post') return undefined
    event.preventDefault()
    applySoon.cancel()
    return apply(form)
  })
}

/** @param {HTMLFormElement} filters */
async function apply(filters) {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(filters)) {
    if (value !== '' && !(name === 'sort' && value === 'newest')) query.append(name, String(value))
  }
  const url = query.size > 0 ? `${filters.action}?${query}` : filters.action
  latestRequestId += 1
  const requestId = latestRequestId
  try {
    const list = await fetchPart(url, '[data-list]')
    // The filters have changed since the request.
    if (requestId !== latestRequestId) return
    document.querySelector('[data-list]')?.replaceWith(list)
    // The page of a campaign shows the results of another page.
    if (filters.action.endsWith(location.pathname)) history.replaceState(null, '', url)
    announce(document.querySelector('.found, .blank h2')?.textContent)
    document.dispatchEvent(new Event('list-replaced'))
  } catch {
    location.assign(url)
  }
}

// Applies the filters while the user changes them: replaces the list and updates the URL.

const DEBOUNCE_MS = 250
const form = document.getElementById('filters')
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer
let latestRequestId = 0

if (form instanceof HTMLFormElement) {
  form.querySelector('[data-apply]')?.setAttribute('hidden', '')
  form.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => apply(form), DEBOUNCE_MS)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    clearTimeout(timer)
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
    const response = await fetch(url)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const list = page.querySelector('[data-list]')
    if (!response.ok || !list) throw new Error('no list')
    // The filters have changed since the request.
    if (requestId !== latestRequestId) return
    document.querySelector('[data-list]')?.replaceWith(document.adoptNode(list))
    const [currentReset, newReset] = [filters, page].map((each) => each.querySelector('.reset'))
    currentReset?.remove()
    if (newReset) filters.append(document.adoptNode(newReset))
    history.replaceState(null, '', url)
    const status = document.getElementById('said')
    if (status) status.textContent = document.querySelector('.found, .blank h2')?.textContent ?? ''
    document.dispatchEvent(new Event('list-replaced'))
  } catch {
    location.assign(url)
  }
}

// Applies filters on input: replaces the list and updates the URL.

const DELAY_MS = 250
const form = document.getElementById('filters')
/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting
let latest = 0

if (form instanceof HTMLFormElement) {
  form.querySelector('[data-apply]')?.setAttribute('hidden', '')
  form.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => apply(form), DELAY_MS)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    clearTimeout(waiting)
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
  latest += 1
  const requestId = latest
  try {
    const reply = await fetch(url)
    const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
    const list = page.querySelector('[data-list]')
    if (!reply.ok || !list) throw new Error('no list')
    // The filters have changed since the request.
    if (requestId !== latest) return
    document.querySelector('[data-list]')?.replaceWith(document.adoptNode(list))
    const [before, after] = [filters, page].map((each) => each.querySelector('.reset'))
    before?.remove()
    if (after) filters.append(document.adoptNode(after))
    history.replaceState(null, '', url)
    const status = document.getElementById('said')
    if (status) status.textContent = document.querySelector('.found, .blank h2')?.textContent ?? ''
    document.dispatchEvent(new Event('list-replaced'))
  } catch {
    location.assign(url)
  }
}

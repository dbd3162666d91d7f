// Updates elements with `data-live`: fetches the page periodically while it is visible, and replaces
// the elements that changed. On pages with `data-live-clicks`, `live-clicks.js` decides when.

const DEFAULT_INTERVAL_SECONDS = 15

let isFetching = false

if (!document.querySelector('[data-live-clicks]')) {
  scheduleRefresh()
  document.addEventListener('visibilitychange', refresh)
}
document.getElementById('live-note')?.removeAttribute('hidden')

/** Refreshes periodically. An element can set the interval in seconds with `data-every`. */
function scheduleRefresh() {
  const element = document.querySelector('[data-live][data-every]')
  const seconds = Number(element?.getAttribute('data-every') ?? DEFAULT_INTERVAL_SECONDS)
  setTimeout(() => refresh().finally(scheduleRefresh), 1000 * seconds)
}

/** Fetches the page and replaces the elements that changed. Returns whether the page is now current. */
export async function refresh() {
  if (document.hidden || isFetching) return false
  isFetching = true
  try {
    const reply = await fetch(location.href, { headers: { accept: 'text/html' } })
    // A signed-out user is redirected to the sign-in page.
    if (!reply.ok || reply.redirected) return false
    return replaceChanged(new DOMParser().parseFromString(await reply.text(), 'text/html'))
  } catch {
    // The server is unreachable. Try again at the next interval.
    return false
  } finally {
    isFetching = false
  }
}

/**
 * Replaces the live elements that differ in a newer version of the page, except those in use. Returns
 * whether all of them were replaced.
 * @param {Document} newPage
 */
function replaceChanged(newPage) {
  let isCurrent = true
  for (const element of document.querySelectorAll('[data-live]')) {
    const replacement = newPage.getElementById(element.id)
    if (!replacement) continue
    keepOpen(element, replacement)
    if (element.isEqualNode(replacement)) continue
    if (isInUse(element)) isCurrent = false
    else element.replaceWith(document.adoptNode(replacement))
  }
  return isCurrent
}

/** Keeps expanded details open. @param {Element} element @param {Element} replacement */
function keepOpen(element, replacement) {
  for (const details of element.querySelectorAll('details[open]')) {
    replacement.querySelector(`#${details.id}`)?.setAttribute('open', '')
  }
}

/** Returns whether the element contains the focus or selected text. @param {Element} element */
function isInUse(element) {
  const selection = getSelection()
  return (
    element.contains(document.activeElement) ||
    Boolean(selection && !selection.isCollapsed && selection.containsNode(element, true))
  )
}

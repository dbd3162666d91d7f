// Updates elements with `data-live`: fetches the page periodically while it is visible, and replaces the
// elements that changed. On pages with `data-live-clicks`, `live-clicks.js` decides when.

const DEFAULT_INTERVAL_SECONDS = 15

let isAsking = false

if (!document.querySelector('[data-live-clicks]')) {
  scheduleRefresh()
  document.addEventListener('visibilitychange', refresh)
}
const note = document.getElementById('live-note')
if (note) note.hidden = false

// An element can request a shorter interval with `data-every`.
function scheduleRefresh() {
  const soon = document.querySelector('[data-live][data-every]')
  const seconds = Number(soon?.getAttribute('data-every') ?? DEFAULT_INTERVAL_SECONDS)
  setTimeout(() => refresh().finally(scheduleRefresh), 1000 * seconds)
}

/** Fetches the page. Returns whether everything on it is current. */
export async function refresh() {
  if (document.hidden || isAsking) return false
  isAsking = true
  try {
    const reply = await fetch(location.href, { headers: { accept: 'text/html' } })
    // A signed-out user is redirected to the sign-in page. Keep what is shown.
    if (!reply.ok || reply.redirected) return false
    return follow(new DOMParser().parseFromString(await reply.text(), 'text/html'))
  } catch {
    // The server is unreachable. Try again at the next interval.
    return false
  } finally {
    isAsking = false
  }
}

/**
 * Returns whether every element that changed was replaced.
 *
 * @param {Document} fresh
 */
function follow(fresh) {
  let isCurrent = true
  for (const old of document.querySelectorAll('[data-live]')) {
    const found = fresh.getElementById(old.id)
    if (!found) continue
    keepOpen(old, found)
    if (old.isEqualNode(found)) continue
    if (isUsed(old)) isCurrent = false
    else old.replaceWith(document.adoptNode(found))
  }
  return isCurrent
}

/**
 * Keeps expanded details open.
 *
 * @param {Element} old
 * @param {Element} found
 */
function keepOpen(old, found) {
  for (const details of old.querySelectorAll('details[open]')) {
    found.querySelector(`#${details.id}`)?.setAttribute('open', '')
  }
}

/**
 * Returns whether the element has the focus or contains selected text.
 *
 * @param {Element} element
 */
function isUsed(element) {
  const selection = getSelection()
  return (
    element.contains(document.activeElement) ||
    Boolean(selection && !selection.isCollapsed && selection.containsNode(element, true))
  )
}

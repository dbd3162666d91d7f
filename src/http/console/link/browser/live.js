// Updates elements with `data-live`: fetches the page periodically while it is visible, and replaces the
// elements that changed.

const EVERY = 15

let isAsking = false

askAgain()
document.addEventListener('visibilitychange', ask)
const note = document.getElementById('live-note')
if (note) note.hidden = false

// An element can request a shorter interval with `data-every`.
function askAgain() {
  const soon = document.querySelector('[data-live][data-every]')
  const seconds = Number(soon?.getAttribute('data-every') ?? EVERY)
  setTimeout(() => ask().finally(askAgain), 1000 * seconds)
}

async function ask() {
  if (document.hidden || isAsking) return
  isAsking = true
  try {
    const reply = await fetch(location.href, { headers: { accept: 'text/html' } })
    // A signed-out user is redirected to the sign-in page. Keep what is shown.
    if (!reply.ok || reply.redirected) return
    follow(new DOMParser().parseFromString(await reply.text(), 'text/html'))
  } catch {
    // The server is unreachable. Try again at the next interval.
  } finally {
    isAsking = false
  }
}

/** @param {Document} fresh */
function follow(fresh) {
  for (const old of document.querySelectorAll('[data-live]')) {
    const found = fresh.getElementById(old.id)
    if (!found) continue
    keepOpen(old, found)
    if (old.isEqualNode(found) || isUsed(old)) continue
    old.replaceWith(document.adoptNode(found))
  }
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

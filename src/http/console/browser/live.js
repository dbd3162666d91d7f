// Elements with `data-live` follow what happens: the page is asked for again while somebody looks at
// it, and what changed is put in place of what was there.

const EVERY = 15

let isAsking = false

askAgain()
document.addEventListener('visibilitychange', ask)
const note = document.getElementById('live-note')
if (note) note.hidden = false

// An element may say that it changes faster; when it is done, it says so no longer.
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
    // Who has been signed out is led to another page; what shows stays as it is.
    if (!reply.ok || reply.redirected) return
    follow(new DOMParser().parseFromString(await reply.text(), 'text/html'))
  } catch {
    // The server is away for a moment; the next time it may be there.
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
 * What somebody has unfolded stays so.
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
 * Whether somebody is in the middle of it: by keyboard, or selecting a text.
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

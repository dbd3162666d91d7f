// Single-key shortcuts of all pages and of the list of links. Ignored while the user types or holds
// a modifier key.

document.addEventListener('keydown', (event) => {
  const { target, key } = event
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (document.querySelector('dialog[open]')) return
  const isField =
    target instanceof Element && target.closest('input:not([type=checkbox]), select, textarea')
  if (isField) {
    if (key === 'Escape' && isField instanceof HTMLElement) isField.blur()
    return
  }
  if (act(key.length === 1 ? key.toLowerCase() : key)) event.preventDefault()
})

/**
 * Performs the action of a key. Returns whether it has one.
 *
 * @param {string} key
 * @returns {boolean}
 */
function act(key) {
  switch (key) {
    case 'c':
      location.assign('/console/links/new')
      return true
    case '/':
      return focusOn(document.getElementById('q'))
    case '?': {
      const help = document.getElementById('keys')
      if (help instanceof HTMLDialogElement) help.showModal()
      return true
    }
    case 'j':
    case 'ArrowDown':
      return move(1)
    case 'k':
    case 'ArrowUp':
      return move(-1)
    case 'e':
      return choose('[data-do="edit"]')
    case 'q':
      return choose('[data-do="code"]')
    case 'x':
      return choose('input[type="checkbox"]')
    case 'Escape':
      closeMenus(null)
      return false
    default:
      return false
  }
}

document.addEventListener('click', ({ target }) => {
  closeMenus(target instanceof Element ? target.closest('.row-menu') : null)
})

/**
 * Closes the menus of rows except the one in use.
 *
 * @param {Element | null} used
 */
function closeMenus(used) {
  for (const menu of document.querySelectorAll('.row-menu[open]')) {
    if (menu !== used) menu.removeAttribute('open')
  }
}

function rows() {
  return [...document.querySelectorAll('[data-row]')]
}

/** Returns the row that contains the focus. */
function current() {
  return document.activeElement?.closest('[data-row]') ?? null
}

/** @param {number} step */
function move(step) {
  const all = rows()
  const row = current()
  const next = row ? all.indexOf(row) + step : step > 0 ? 0 : all.length - 1
  return focusOn(all[next]?.querySelector('[data-main]') ?? null)
}

/** @param {string} selector */
function choose(selector) {
  const found = current()?.querySelector(selector)
  if (!(found instanceof HTMLElement)) return false
  found.click()
  return true
}

/** @param {Element | null} element */
function focusOn(element) {
  if (!(element instanceof HTMLElement)) return false
  element.focus()
  element.scrollIntoView({ block: 'nearest' })
  return true
}

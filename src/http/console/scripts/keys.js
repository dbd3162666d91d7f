// Single-key shortcuts of all pages and of the list of links. Ignored while the user types or holds
// a modifier key.

import { closest, find, findAll } from './page.js'

document.addEventListener('keydown', (event) => {
  const { target, key } = event
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (document.querySelector('dialog[open]')) return
  const field = closest(event, 'input:not([type=checkbox]), select, textarea')
  if (field) {
    if (key === 'Escape') field.blur()
    return
  }
  const isLetter = key.length === 1
  if (pressKey(isLetter ? key.toUpperCase() : key, target)) event.preventDefault()
  else if (runShortcut(isLetter ? key.toLowerCase() : key)) event.preventDefault()
})

/**
 * Clicks the link or button with a key in its `data-key`. Returns whether there is one.
 * @param {string} key @param {EventTarget | null} target
 */
function pressKey(key, target) {
  // Scrolling elements use the arrow keys themselves.
  if (target instanceof Element && target.closest('input, .numbers')) return false
  const control = find(`[data-key="${CSS.escape(key)}"]`)
  control?.click()
  return control !== null
}

/**
 * Runs the shortcut of a key. Returns whether the key's default action must be prevented.
 * @param {string} key @returns {boolean}
 */
function runShortcut(key) {
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
    case 'ArrowDown':
      return moveInMenu(1) || moveFocus(1)
    case 'ArrowUp':
      return moveInMenu(-1) || moveFocus(-1)
    case 'j':
      return moveFocus(1)
    case 'k':
      return moveFocus(-1)
    case 'e':
      return clickInRow('[data-do="edit"]')
    case 'q':
      return clickInRow('[data-do="code"]')
    case 'x':
      return clickInRow('input[type="checkbox"]')
    case 'Escape':
      closeMenus(null)
      return false
    default:
      return false
  }
}

document.addEventListener('click', (event) => closeMenus(closest(event, '.row-menu')))

/** Closes the menus of rows except the one in use. @param {Element | null} menuInUse */
function closeMenus(menuInUse) {
  for (const menu of document.querySelectorAll('.row-menu[open]')) {
    if (menu !== menuInUse) menu.removeAttribute('open')
  }
}

/**
 * Moves the focus to the next control of the open menu that has it, or to the previous one if `step`
 * is -1. Returns whether there is such a menu.
 * @param {1 | -1} step
 */
function moveInMenu(step) {
  const focused = document.activeElement
  const menu = focused?.closest('.row-menu[open]')
  if (!focused || !menu) return false
  const items = [...menu.querySelectorAll('summary, a, button')]
  focusOn(items[items.indexOf(focused) + step] ?? null)
  return true
}

/** Returns the row that contains the focus. */
function findFocusedRow() {
  return findAll('[data-list] tbody tr').find((row) => row.contains(document.activeElement))
}

/**
 * Moves the focus to the next row, or to the previous one if `step` is -1. Without a focused row,
 * focuses the first or last row. Returns whether a row was focused.
 * @param {1 | -1} step
 */
function moveFocus(step) {
  const rows = findAll('[data-list] tbody tr')
  const focusedRow = findFocusedRow()
  const edgeIndex = step === 1 ? 0 : rows.length - 1
  const nextIndex = focusedRow ? rows.indexOf(focusedRow) + step : edgeIndex
  const row = rows[nextIndex]
  return focusOn(row ? find('[data-main]', row) : null)
}

/** Clicks a control of the focused row. Returns whether it exists. @param {string} selector */
function clickInRow(selector) {
  const row = findFocusedRow()
  const control = row ? find(selector, row) : null
  control?.click()
  return control !== null
}

/**
 * Focuses an element and scrolls to it. Returns whether it exists.
 * @param {Element | null} element
 */
function focusOn(element) {
  if (!(element instanceof HTMLElement)) return false
  element.focus()
  element.scrollIntoView({ block: 'nearest' })
  return true
}

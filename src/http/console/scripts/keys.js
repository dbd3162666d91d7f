// Single-key shortcuts of all pages and of the list of links. Ignored while the user types or holds
// a modifier key.

import { closest, find, findAll } from './page.js'

document.addEventListener('keydown', (event) => {
  const { key } = event
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (document.querySelector('dialog[open]')) return
  const field = closest(event, 'input:not([type=checkbox]), select, textarea')
  if (field) {
    if (key === 'Escape') field.blur()
    return
  }
  // Scrolling elements use the arrow keys themselves.
  const isFree = !closest(event, 'input, .numbers')
  const isLetter = key.length === 1
  const name = CSS.escape(isLetter ? key.toUpperCase() : key)
  const isDone =
    (isFree && click(find(`[data-key="${name}"]`))) ||
    SHORTCUTS[isLetter ? key.toLowerCase() : key]?.()
  if (isDone) event.preventDefault()
})

/**
 * Actions by key. Each returns whether the key's default action must be prevented.
 * @type {Record<string, () => boolean>}
 */
const SHORTCUTS = {
  c: () => click(find('.create')),
  '/': () => focusOn(find('#q')),
  '?': showHelp,
  ArrowDown: () => moveInMenu(1) || moveFocus(1),
  ArrowUp: () => moveInMenu(-1) || moveFocus(-1),
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
  e: () => click(findInRow('[data-do="edit"]')),
  q: () => click(findInRow('[data-do="code"]')),
  x: () => click(findInRow('input[type="checkbox"]')),
  Escape: () => closeMenus(null),
}

document.addEventListener('click', (event) => closeMenus(closest(event, '.row-menu')))

/** Closes the menus of rows except the one in use. @param {Element | null} menuInUse */
function closeMenus(menuInUse) {
  for (const menu of document.querySelectorAll('.row-menu[open]')) {
    if (menu !== menuInUse) menu.removeAttribute('open')
  }
  return false
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
  return focusOn(rows[nextIndex]?.querySelector('[data-main]') ?? null)
}

/** @param {string} selector */
function findInRow(selector) {
  const row = findFocusedRow()
  return row ? find(selector, row) : null
}

function showHelp() {
  const help = find('#keys')
  if (help instanceof HTMLDialogElement) help.showModal()
  return true
}

/** Clicks an element. Returns whether it exists. @param {HTMLElement | null} element */
function click(element) {
  element?.click()
  return element !== null
}

/** Focuses an element and scrolls to it. Returns whether it exists. @param {Element | null} element */
function focusOn(element) {
  if (!(element instanceof HTMLElement)) return false
  element.focus()
  element.scrollIntoView({ block: 'nearest' })
  return true
}

// Reorders the items of a list by pointer, and by Alt and the arrow keys.

import { announce } from './page.js'

/**
 * Listens on a list. An item is grabbed by its element with `data-grip`; those for which `isFixed`
 * returns true stay where they are, at the end of the list.
 *
 * @param {HTMLElement} list
 * @param {{
 *   step: (item: HTMLElement, up: boolean) => void,
 *   drop: (item: HTMLElement) => void,
 *   isFixed?: (item: Element) => boolean,
 * }} options
 */
export function listenForMoves(list, { step, drop, isFixed = () => false }) {
  list.addEventListener('keydown', (event) => {
    const item = itemOf(list, event.target)
    if (!item || !event.altKey || !/^Arrow(Up|Down)$/.test(event.key)) return
    event.preventDefault()
    const focused = document.activeElement
    step(item, event.key === 'ArrowUp')
    if (focused instanceof HTMLElement) focused.focus()
  })
  list.addEventListener('pointerdown', (start) => {
    const grip = start.target instanceof Element ? start.target.closest('[data-grip]') : null
    const item = itemOf(list, grip)
    if (!(grip instanceof HTMLElement) || !item || isFixed(item)) return
    start.preventDefault()
    item.classList.add('carried')
    const pointer = new AbortController()
    const { signal } = pointer
    const carry = (/** @type {PointerEvent} */ { clientY, pointerId }) => {
      if (pointerId !== start.pointerId) return
      const others = [...list.children].filter((each) => each !== item)
      const next = others.find((each) => {
        const { top, height } = each.getBoundingClientRect()
        return isFixed(each) || clientY < top + height / 2
      })
      if (next ? next !== item.nextElementSibling : item.nextElementSibling) {
        list.insertBefore(item, next ?? null)
      }
    }
    document.addEventListener('pointermove', carry, { signal })
    const release = () => {
      pointer.abort()
      item.classList.remove('carried')
      drop(item)
    }
    for (const kind of ['pointerup', 'pointercancel']) {
      document.addEventListener(kind, release, { signal })
    }
    // Sliding a finger must move the item instead of scrolling the page.
    grip.setPointerCapture(start.pointerId)
  })
}

/**
 * Returns the item of a list that contains an element.
 * @param {HTMLElement} list @param {EventTarget | null} target
 */
export function itemOf(list, target) {
  const items = /** @type {HTMLElement[]} */ ([...list.children])
  return items.find((item) => target instanceof Node && item.contains(target)) ?? null
}

/** Swaps an item with the previous or next one. @param {Element} item @param {boolean} up */
export function swap(item, up) {
  if (up) item.previousElementSibling?.before(item)
  else item.nextElementSibling?.after(item)
}

/** Announces the new position of an item. @param {HTMLElement} list @param {Element} item */
export function announceMove(list, item) {
  const position = [...list.children].indexOf(item) + 1
  announce(list.dataset.textMoved?.replace('{n}', String(position)))
}

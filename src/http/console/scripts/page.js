// Functions that several scripts share.

/** Returns the first element that matches a selector. @param {string} selector @param {ParentNode} [root] */
export function find(selector, root = document) {
  return /** @type {HTMLElement | null} */ (root.querySelector(selector))
}

/** Returns all elements that match a selector. @param {string} selector @param {ParentNode} [root] */
export function findAll(selector, root = document) {
  return /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)])
}

/** Returns the element of an event, or around it, that matches a selector. @param {Event} event @param {string} selector */
export function closest({ target }, selector) {
  return target instanceof Element
    ? /** @type {HTMLElement | null} */ (target.closest(selector))
    : null
}

/**
 * Returns a function that calls `run` when it has not been called for a while.
 * @template {unknown[]} Parameters @param {number} milliseconds
 * @param {(...parameters: Parameters) => unknown} run
 */
export function debounce(milliseconds, run) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  return Object.assign(
    (/** @type {Parameters} */ ...parameters) => {
      clearTimeout(timer)
      timer = setTimeout(() => run(...parameters), milliseconds)
    },
    { cancel: () => clearTimeout(timer) },
  )
}

/** Announces a text to screen readers. @param {string | null | undefined} text */
export function announce(text) {
  const status = document.getElementById('said')
  if (status) status.textContent = text ?? ''
}

/**
 * Fetches a page and returns its first element that matches a selector.
 * @param {string} url @param {string} selector @param {RequestInit} [options]
 */
export async function fetchPart(url, selector, options) {
  const response = await fetch(url, options)
  const template = document.createElement('template')
  template.innerHTML = await response.text()
  const part = template.content.querySelector(selector)
  // A signed-out user is redirected to the sign-in page.
  if (!response.ok || !part) throw new Error(`no ${selector} at ${url}`)
  return document.adoptNode(part)
}

/**
 * Returns the control of a form with this name, if there is one.
 * @param {HTMLFormElement | null | undefined} form @param {string} name
 */
export function fieldOf(form, name) {
  return /** @type {HTMLInputElement | null | undefined} */ (form?.elements.namedItem(name))
}

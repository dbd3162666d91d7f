// Activates the link or button with the pressed letter as `data-key`, except while the user types.

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  // Scrolling elements use the arrow keys themselves.
  const taken = 'input, select, textarea, .numbers'
  if (event.target instanceof Element && event.target.closest(taken)) return
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key
  if (!/^(?:[A-Z]|Arrow(?:Left|Right))$/.test(key)) return
  const found = document.querySelector(`[data-key="${key}"]`)
  if (!(found instanceof HTMLElement)) return
  event.preventDefault()
  found.click()
})

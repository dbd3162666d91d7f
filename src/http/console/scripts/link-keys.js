// Activates the link or button with the pressed letter in its `data-key`, except while the user types.

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  // Scrolling elements use the arrow keys themselves.
  const keyConsumers = 'input, select, textarea, .numbers'
  if (event.target instanceof Element && event.target.closest(keyConsumers)) return
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key
  if (!/^(?:[A-Z]|Arrow(?:Left|Right))$/.test(key)) return
  const control = document.querySelector(`[data-key="${key}"]`)
  if (!(control instanceof HTMLElement)) return
  event.preventDefault()
  control.click()
})

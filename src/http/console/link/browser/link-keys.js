// A letter on its own chooses the link or button that shows it, `data-key`; not while somebody types.

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  // What scrolls by itself has the arrows to itself.
  const taken = 'input, select, textarea, .numbers'
  if (event.target instanceof Element && event.target.closest(taken)) return
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key
  if (!/^(?:[A-Z]|Arrow(?:Left|Right))$/.test(key)) return
  const found = document.querySelector(`[data-key="${key}"]`)
  if (!(found instanceof HTMLElement)) return
  event.preventDefault()
  found.click()
})

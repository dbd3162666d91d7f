// Switches between panels that are already on the page. Tabs whose panel is not loaded stay links.

import { closest, findAll } from './page.js'

document.addEventListener('click', (event) => {
  const tab = closest(event, '[data-tab]')
  if (!(tab instanceof HTMLAnchorElement)) return
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
  const panel = document.getElementById(tab.dataset.tab ?? '')
  const card = tab.closest('.card')
  if (!panel || !card) return
  event.preventDefault()
  for (const each of findAll('[data-tab]', card)) {
    const isOpen = each === tab
    each.ariaCurrent = isOpen ? 'true' : null
    const tabPanel = document.getElementById(each.dataset.tab ?? '')
    if (tabPanel) tabPanel.hidden = !isOpen
  }
  // Live figures and reloads read the URL.
  history.replaceState(null, '', tab.href)
})

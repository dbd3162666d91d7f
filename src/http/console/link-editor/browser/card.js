// Updates the share preview of a link while the user types.

const card = document.querySelector('[data-cards]')
const form = card?.closest('form')

if (card && form) {
  const host = part('host')?.textContent ?? ''
  const { empty = '', image = '' } = card instanceof HTMLElement ? card.dataset : {}
  form.addEventListener('input', () => {
    const domain = form.querySelector('select[name=domain]')
    const chosen =
      domain instanceof HTMLSelectElement ? domain.selectedOptions[0]?.label : undefined
    const picture = hostOf(typed('metaImage'))
    show('host', chosen?.replace(/\/$/, '') ?? host)
    show('title', typed('metaTitle') || hostOf(typed('url')) || empty)
    show('description', typed('metaDescription'))
    show('picture', picture && image.replace('{host}', picture))
  })
}

/** @param {string} name */
function part(name) {
  return card?.querySelector(`[data-card=${name}]`)
}

/**
 * @param {string} name
 * @param {string} text
 */
function show(name, text) {
  const shown = part(name)
  if (!(shown instanceof HTMLElement)) return
  shown.textContent = text
  shown.hidden = text === ''
}

/** @param {string} name */
function typed(name) {
  const field = form?.elements.namedItem(name)
  const isText = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
  return isText ? field.value : ''
}

/**
 * Returns the host of a URL, parsed like on the server.
 *
 * @param {string} address
 */
function hostOf(address) {
  const url = URL.parse(address)
  return url && /^https?:$/.test(url.protocol) ? url.host : ''
}

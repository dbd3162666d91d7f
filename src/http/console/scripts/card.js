// Updates the share preview of a link while the user types.

import { fieldOf, find } from './page.js'

const card = find('[data-cards]')
const form = card?.closest('form')
const image = /** @type {HTMLImageElement | null} */ (find('[data-card-image]'))
const upload = /** @type {HTMLInputElement | null} */ (find('input[name=metaImageFile]'))

if (card && form && image) {
  const host = find('[data-card=host]')?.textContent ?? ''
  const { empty = '', image: named = '' } = card.dataset
  upload?.addEventListener('change', () => showUpload(image))
  form.addEventListener('input', () => {
    const domain = find('select[name=domain]', form)
    const chosen =
      domain instanceof HTMLSelectElement ? domain.selectedOptions[0]?.label : undefined
    const picture = hostOf(typed('metaImage'))
    show('host', chosen?.replace(/\/$/, '') ?? host)
    show('title', typed('metaTitle') || hostOf(typed('url')) || empty)
    show('description', typed('metaDescription'))
    // Shows only uploaded images. For those on other sites, shows the host.
    if (!upload?.files?.length) image.hidden = !isUploaded(image, typed('metaImage'))
    show('picture', image.hidden ? picture && named.replace('{host}', picture) : '')
  })
}

/** Returns whether the URL is that of the image uploaded earlier. @param {Element} image @param {string} url */
function isUploaded(image, url) {
  const path = image.getAttribute('src') ?? ''
  return path.startsWith('/static/') && url.endsWith(path)
}

/** Shows a selected file without uploading it. @param {HTMLImageElement} image */
function showUpload(image) {
  const file = upload?.files?.[0]
  const reader = new FileReader()
  reader.addEventListener('load', () => {
    image.src = String(reader.result)
    image.hidden = false
    show('picture', '')
  })
  if (file) reader.readAsDataURL(file)
}

/** @param {string} name @param {string} text */
function show(name, text) {
  const shown = find(`[data-card=${name}]`)
  if (!shown) return
  shown.textContent = text
  shown.hidden = text === ''
}

/** @param {string} name */
function typed(name) {
  return fieldOf(form, name)?.value ?? ''
}

/** Returns the host of a URL, parsed like on the server. @param {string} address */
function hostOf(address) {
  const url = URL.parse(address)
  return url && /^https?:$/.test(url.protocol) ? url.host : ''
}

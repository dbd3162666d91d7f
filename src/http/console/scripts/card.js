// Updates the share preview of a link while the user types.

import { fieldOf, find } from './page.js'

const card = find('[data-cards]')
const form = card?.closest('form')

if (card && form) {
  const host = part('host')?.textContent ?? ''
  const { empty = '', image: named = '' } = card.dataset
  const upload = form.querySelector('input[name=metaImageFile]')
  upload?.addEventListener('change', () => showImage(upload))
  form.addEventListener('input', () => {
    const domain = form.querySelector('select[name=domain]')
    const chosen =
      domain instanceof HTMLSelectElement ? domain.selectedOptions[0]?.label : undefined
    const picture = hostOf(typed('metaImage'))
    show('host', chosen?.replace(/\/$/, '') ?? host)
    show('title', typed('metaTitle') || hostOf(typed('url')) || empty)
    show('description', typed('metaDescription'))
    // Shows only uploaded images. For those on other sites, shows the host.
    const image = drawn()
    if (image && !isChosen(upload)) image.hidden = !isUploaded(typed('metaImage'))
    const isShown = image instanceof HTMLElement && !image.hidden
    show('picture', isShown ? '' : picture && named.replace('{host}', picture))
  })
}

function drawn() {
  const image = card?.querySelector('[data-card-image]')
  return image instanceof HTMLImageElement ? image : undefined
}

/** @param {Element | null} upload */
function isChosen(upload) {
  return upload instanceof HTMLInputElement && (upload.files?.length ?? 0) > 0
}

/** Returns whether the URL is that of the image uploaded earlier. @param {string} url */
function isUploaded(url) {
  const path = drawn()?.getAttribute('src') ?? ''
  return path.startsWith('/static/') && url.endsWith(path)
}

/** Shows a selected file without uploading it. @param {Element} upload */
function showImage(upload) {
  const file = upload instanceof HTMLInputElement ? upload.files?.[0] : undefined
  const image = drawn()
  if (!file || !image) return
  const reader = new FileReader()
  reader.addEventListener('load', () => {
    image.src = String(reader.result)
    image.hidden = false
    show('picture', '')
  })
  reader.readAsDataURL(file)
}

/** @param {string} name */
function part(name) {
  return card && find(`[data-card=${name}]`, card)
}

/** @param {string} name @param {string} text */
function show(name, text) {
  const shown = part(name)
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

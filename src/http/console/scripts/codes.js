// Rates the contrast of the selected colors like the server, and rejects a logo that is too large
// before it is sent. The texts are in attributes of the elements.

/** The weights of red, green and blue in the brightness of a color, by two ITU-R standards. */
const BT709 = [0.2126, 0.7152, 0.0722]
const BT601 = [0.299, 0.587, 0.114]

const output = document.querySelector('[data-contrast]')
const logo = document.getElementById('logo')

for (const name of ['foreground', 'background']) {
  document.getElementById(name)?.addEventListener('input', showContrast)
}
showContrast()

logo?.addEventListener('change', () => {
  if (!(logo instanceof HTMLInputElement)) return
  const size = logo.files?.[0]?.size ?? 0
  const { maxBytes, textTooLarge = '' } = logo.dataset
  logo.setCustomValidity(size > Number(maxBytes) ? textTooLarge : '')
  logo.reportValidity()
})

function showContrast() {
  if (!(output instanceof HTMLElement)) return
  const foreground = readChannels('foreground')
  const background = readChannels('background')
  const [dark, light] = [computeLuminance(foreground), computeLuminance(background)]
  const ratio = (Math.max(dark, light) + 0.05) / (Math.min(dark, light) + 0.05)
  const state = dark > light ? 'inverted' : rateContrast(ratio, foreground, background)
  const text = output.dataset[state] ?? ''
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
  const number = ratio.toLocaleString(document.documentElement.lang, digits)
  output.textContent = text.replace('{ratio}', number)
  output.dataset.state = state === 'good' ? '' : 'bad'
}

/**
 * Rates a contrast: `low` codes are rejected by the server, `weak` codes may not scan.
 *
 * @param {number} ratio
 * @param {number[]} foreground
 * @param {number[]} background
 */
function rateContrast(ratio, foreground, background) {
  if (ratio < 3 || !isReadable(foreground, background)) return 'low'
  return ratio < 4.5 ? 'weak' : 'good'
}

/**
 * Scanners use half the brightness of the background as the threshold between dark and light, with one
 * of two weightings of the channels.
 *
 * @param {number[]} foreground
 * @param {number[]} background
 */
function isReadable(foreground, background) {
  return [BT709, BT601].every((weights) => {
    const [low, high] = [weigh(foreground, weights), weigh(background, weights)]
    return low <= high / 2 && high - low >= 40
  })
}

/**
 * Returns the relative luminance of a color from 0 to 1 (WCAG 2.2).
 *
 * @param {number[]} channels
 */
function computeLuminance(channels) {
  const linear = channels.map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return weigh(linear, BT709)
}

/**
 * Returns the weighted sum of a color's channels.
 *
 * @param {number[]} channels
 * @param {number[]} weights
 */
function weigh(channels, weights) {
  return channels.reduce((sum, channel, index) => sum + channel * (weights[index] ?? 0), 0)
}

/**
 * Returns red, green and blue of a color field, each from 0 to 255.
 *
 * @param {string} id
 */
function readChannels(id) {
  const field = document.getElementById(id)
  const color = field instanceof HTMLInputElement ? field.value : ''
  return (color.match(/[0-9a-f]{2}/gi) ?? []).map((pair) => Number.parseInt(pair, 16))
}

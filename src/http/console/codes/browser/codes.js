// Beside the colors of a code stands how far they are apart, while they are chosen, for the eye and for
// readers, by the bounds that the server has; and a logo that is too large is refused before it is sent.

const BT709 = [0.2126, 0.7152, 0.0722]
const BT601 = [0.299, 0.587, 0.114]

const answer = document.querySelector('[data-contrast]')
const file = document.getElementById('logo')

for (const name of ['foreground', 'background']) {
  document.getElementById(name)?.addEventListener('input', tell)
}
tell()

file?.addEventListener('change', () => {
  if (!(file instanceof HTMLInputElement)) return
  const size = file.files?.[0]?.size ?? 0
  file.setCustomValidity(size > Number(file.dataset.most) ? 'This image is larger than 1 MiB.' : '')
  file.reportValidity()
})

function tell() {
  if (!(answer instanceof HTMLElement)) return
  const code = channelsOf('foreground')
  const ground = channelsOf('background')
  const [dark, light] = [luminance(code), luminance(ground)]
  const ratio = (Math.max(dark, light) + 0.05) / (Math.min(dark, light) + 0.05)
  const fault =
    dark > light ? 'the code must be darker than its ground.' : faultOf(ratio, code, ground)
  answer.textContent = `Contrast ${ratio.toFixed(1)} to 1${fault ? `: ${fault}` : '.'}`
  answer.dataset.state = fault ? 'bad' : ''
}

/**
 * @param {number} ratio
 * @param {number[]} code
 * @param {number[]} ground
 */
function faultOf(ratio, code, ground) {
  if (ratio < 3 || !isReadable(code, ground)) return 'too little for the code to be scanned.'
  return ratio < 4.5 ? 'some phones will not read it.' : ''
}

/**
 * Readers take half the brightness of the ground for the border between dark and light, by either of
 * two weights of the channels.
 *
 * @param {number[]} code
 * @param {number[]} ground
 */
function isReadable(code, ground) {
  return [BT709, BT601].every((weights) => {
    const [low, high] = [weigh(code, weights), weigh(ground, weights)]
    return low <= high / 2 && high - low >= 40
  })
}

/**
 * Relative luminance, 0 to 1 (WCAG 2.2).
 *
 * @param {number[]} channels
 */
function luminance(channels) {
  const linear = channels.map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return weigh(linear, BT709)
}

/**
 * @param {number[]} channels
 * @param {number[]} weights
 */
function weigh(channels, weights) {
  return channels.reduce((sum, channel, index) => sum + channel * (weights[index] ?? 0), 0)
}

/** @param {string} id */
function channelsOf(id) {
  const field = document.getElementById(id)
  const color = field instanceof HTMLInputElement ? field.value : ''
  return (color.match(/[0-9a-f]{2}/gi) ?? []).map((pair) => Number.parseInt(pair, 16))
}

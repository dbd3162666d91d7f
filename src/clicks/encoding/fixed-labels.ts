/**
 * Labels whose numbers are derived from their text (device types, language codes and flags), so
 * they need no row in `labels`. The numbers are stored and must never change.
 */

const DEVICES: readonly string[] = ['Unknown', 'Desktop', 'Mobile', 'Tablet']
/** The label of clicks whose actual label is unknown. */
export const UNKNOWN_LABEL = 'Unknown'

/** The label of clicks that come from a scan of a QR code. */
export const SCAN_LABEL = 'QR code'
const SOURCES: readonly string[] = [UNKNOWN_LABEL, SCAN_LABEL]

/** The label of clicks that look automated although they name a browser, and that of all others. */
export const AUTOMATED_LABEL = 'likely'
export const NOT_AUTOMATED_LABEL = 'unlikely'

/** The base of language numbers, in which `a` is 1 and `z` is 26. */
const LETTERS = 27
/** The difference between a letter's character code and its value, so that `a` is 1. */
const LETTER_OFFSET = 'a'.charCodeAt(0) - 1

/** Returns the number of a device type, ignoring case, or 0 if it is unknown. */
export function getDeviceNumber(name: string): number {
  const lower = name.toLowerCase()
  return Math.max(
    0,
    DEVICES.findIndex((device) => device.toLowerCase() === lower),
  )
}

/** Returns the name of a device type, or `Unknown` for an unassigned number. */
export function getDeviceName(number: number): string {
  return DEVICES[number] ?? UNKNOWN_LABEL
}

/** Returns the number of a source, or 0 if it is unknown. */
export function getSourceNumber(name: string): number {
  return Math.max(0, SOURCES.indexOf(name))
}

/** Returns the name of a source, or `Unknown` for an unassigned number. */
export function getSourceName(number: number): string {
  return SOURCES[number] ?? UNKNOWN_LABEL
}

/** Returns 1 for clicks that look automated, otherwise 0. */
export function getAutomatedNumber(name: string): number {
  return name === AUTOMATED_LABEL ? 1 : 0
}

/** Returns the label of clicks that look automated for 1, otherwise that of others. */
export function getAutomatedName(number: number): string {
  return number === 1 ? AUTOMATED_LABEL : NOT_AUTOMATED_LABEL
}

/**
 * Returns the number of a lowercase language code of two or three letters, or 0 for any other text.
 */
export function encodeLanguage(code: string): number {
  if (!/^[a-z]{2,3}$/.test(code)) return 0
  let number = 0
  for (const letter of code) number = number * LETTERS + letter.charCodeAt(0) - LETTER_OFFSET
  return number
}

/** Returns the language code for a number, or `Unknown` for 0. */
export function decodeLanguage(number: number): string {
  let code = ''
  for (let remainder = number; remainder > 0; remainder = Math.floor(remainder / LETTERS)) {
    code = String.fromCharCode((remainder % LETTERS) + LETTER_OFFSET) + code
  }
  return code || UNKNOWN_LABEL
}

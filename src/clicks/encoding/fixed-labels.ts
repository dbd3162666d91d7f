/**
 * Labels whose numbers follow from their text, so that they need no table: device classes and language
 * codes. The numbers are stored and never change.
 */

const DEVICES: readonly string[] = ['Unknown', 'Desktop', 'Mobile', 'Tablet']
const UNKNOWN = 'Unknown'

/** Letters from `a` as 1 to `z` as 26. */
const LETTERS = 27
const BEFORE_A = 96

/** Returns the number of a device class, in any case; 0 for an unknown one. */
export function deviceNumber(name: string): number {
  const lower = name.toLowerCase()
  return Math.max(
    0,
    DEVICES.findIndex((device) => device.toLowerCase() === lower),
  )
}

/** Returns the name of a device class. */
export function deviceName(number: number): string {
  return DEVICES[number] ?? UNKNOWN
}

/** Returns the number of a language code of two or three lower-case letters; 0 for anything else. */
export function languageNumber(code: string): number {
  if (!/^[a-z]{2,3}$/.test(code)) return 0
  let number = 0
  for (const letter of code) number = number * LETTERS + letter.charCodeAt(0) - BEFORE_A
  return number
}

/** Returns the language code of a number, `Unknown` for 0. */
export function languageCode(number: number): string {
  let code = ''
  for (let rest = number; rest > 0; rest = Math.floor(rest / LETTERS)) {
    code = String.fromCharCode((rest % LETTERS) + BEFORE_A) + code
  }
  return code || UNKNOWN
}

import type { DeviceClass } from '../../visitors/user-agent.ts'

/**
 * Labels whose numbers follow from what they say, so that they need no table: classes of devices and
 * codes of languages. The numbers are stored and never change.
 */

const DEVICES: readonly DeviceClass[] = ['unknown', 'desktop', 'mobile', 'tablet']
const DEVICE_NAMES: readonly string[] = ['Unknown', 'Desktop', 'Mobile', 'Tablet']

/** Letters from `a` as 1 to `z` as 26. */
const LETTERS = 27
const BEFORE_A = 96

/** The number that stands for a class of devices in packed counts; released ones never change. */
export function deviceNumber(device: DeviceClass): number {
  return DEVICES.indexOf(device)
}

/** What a class of devices is called in statistics. */
export function deviceName(number: number): string {
  return DEVICE_NAMES[number] ?? 'Unknown'
}

/** The number of a language's code of two or three lower-case letters, 0 for none. */
export function languageNumber(code: string | undefined): number {
  let number = 0
  for (const letter of code ?? '') number = number * LETTERS + letter.charCodeAt(0) - BEFORE_A
  return number
}

/** The code that `languageNumber` made a number of. */
export function languageCode(number: number): string | undefined {
  let code = ''
  for (let rest = number; rest > 0; rest = Math.floor(rest / LETTERS)) {
    code = String.fromCharCode((rest % LETTERS) + BEFORE_A) + code
  }
  return code || undefined
}

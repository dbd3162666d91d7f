import { correction, generate, mode } from 'lean-qr'
import { invalid } from '../../errors.ts'

/** The modules of a code, row by row, without the quiet zone. Dark modules are `true`. */
export type Matrix = readonly (readonly boolean[])[]

/** The share of a code that may be unreadable: 15% for `medium`, 30% for `high`. */
export type Ecc = 'medium' | 'high'

/**
 * Encodes a payload into the smallest code in which it fits. A payload that is not ASCII declares
 * that it is UTF-8, because readers would otherwise guess its charset. `high` is for codes with a logo and is never lowered. `medium`
 * is lowered to `low` (7%) if the payload would not fit otherwise; an undamaged code is then
 * equally readable. Throws `invalid_input` if the payload does not fit.
 */
export function createQrMatrix(payload: string, { ecc }: { ecc: Ecc }): Matrix {
  if (ecc === 'high') {
    const matrix = encode(payload, 'high')
    if (matrix === undefined) throw invalid('data', 'qr_too_long_with_logo')
    return matrix
  }
  const matrix = encode(payload, 'medium') ?? encode(payload, 'low')
  if (matrix === undefined) throw invalid('data', 'qr_too_long')
  return matrix
}

/** The library's error code for content that fits no code. */
const TOO_LONG = 4

const LEVELS = { low: correction.L, medium: correction.M, high: correction.H }

/** The number that declares UTF-8 (AIM's Extended Channel Interpretations). */
const UTF8 = 26

const ASCII_MODES = [mode.numeric, mode.alphaNumeric, mode.ascii]

function encode(payload: string, ecc: Ecc | 'low'): Matrix | undefined {
  const level = LEVELS[ecc]
  // One segment for everything, because some readers apply the declaration only to the next one.
  const content = /^[\0-\x7f]*$/.test(payload)
    ? mode.auto(payload, { modes: ASCII_MODES })
    : mode.multi(mode.eci(UTF8), mode.bytes(Buffer.from(payload)))
  try {
    const bitmap = generate(content, { minCorrectionLevel: level, maxCorrectionLevel: level })
    const modules = Array.from({ length: bitmap.size }, (_, index) => index)
    return modules.map((y) => modules.map((x) => bitmap.get(x, y)))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === TOO_LONG) return undefined
    throw error
  }
}

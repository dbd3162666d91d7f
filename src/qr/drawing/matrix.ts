import { encodeQR } from 'qr'
import { invalid } from '../../errors.ts'

/** The modules of a code, row by row, without the quiet zone. Dark modules are `true`. */
export type Matrix = readonly (readonly boolean[])[]

/** The share of a code that may be unreadable: 15% for `medium`, 30% for `high`. */
export type Ecc = 'medium' | 'high'

/**
 * Encodes a payload into the smallest code in which it fits. Payloads are UTF-8 unless they only
 * have digits or uppercase letters. `high` is for codes with a logo and is never lowered. `medium`
 * is lowered to `low` (7%) if the payload would not fit otherwise; an undamaged code is then
 * equally readable. Throws `invalid_input` if the payload does not fit.
 */
export function createQrMatrix(payload: string, { ecc }: { ecc: Ecc }): Matrix {
  if (ecc === 'high') {
    const matrix = encode(payload, 'high')
    if (matrix === undefined) throw invalid('data', 'is too long for a QR code with a logo')
    return matrix
  }
  const matrix = encode(payload, 'medium') ?? encode(payload, 'low')
  if (matrix === undefined) throw invalid('data', 'is too long for a QR code')
  return matrix
}

function encode(payload: string, ecc: Ecc | 'low'): Matrix | undefined {
  try {
    // The library always adds a border. A border of one module is added and then removed.
    const bordered = encodeQR(payload, 'raw', { ecc, border: 1 })
    return bordered.slice(1, -1).map((row) => row.slice(1, -1))
  } catch (error) {
    if (error instanceof Error && error.message === 'Capacity overflow') return undefined
    throw error
  }
}

import { encodeQR } from 'qr'
import { invalid } from '../../errors.ts'

/** The modules of a code without quiet zone, row by row. `true` is dark. */
export type Matrix = readonly (readonly boolean[])[]

/** The share of a code that may be unreadable: `medium` 15%, `high` 30%. */
export type Ecc = 'medium' | 'high'

/**
 * Encodes a payload (as UTF-8 unless it is digits or uppercase) into the smallest code that holds
 * it. `high` is for codes with a logo and never lowered. `medium` is lowered to `low` (7%) if the
 * payload would not fit otherwise, which is equally readable if the code is undamaged. Throws
 * `invalid_input` if the payload does not fit.
 */
export function qrMatrix(payload: string, { ecc }: { ecc: Ecc }): Matrix {
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
    // The library always adds a border. One module of it is cut off again.
    const bordered = encodeQR(payload, 'raw', { ecc, border: 1 })
    return bordered.slice(1, -1).map((row) => row.slice(1, -1))
  } catch (error) {
    if (error instanceof Error && error.message === 'Capacity overflow') return undefined
    throw error
  }
}

import { encodeQR } from 'qr'
import { invalid } from '../../errors.ts'

/** The modules of a code without quiet zone, row by row; `true` is dark. */
export type Matrix = readonly (readonly boolean[])[]

/** Share of the code that may be unreadable: `medium` 15 %, `high` 30 %. */
export type Ecc = 'medium' | 'high'

/**
 * Encodes a payload (UTF-8 where it is not plain digits or capitals) into the smallest code that
 * holds it. `high` is for codes with a logo; it is never lowered. `medium` becomes `low` (7 %)
 * where the payload would not fit otherwise: an undamaged code reads just as well.
 * Throws `invalid_input` when nothing fits.
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
    // The library always draws a border; the one module of it is cut off again.
    const bordered = encodeQR(payload, 'raw', { ecc, border: 1 })
    return bordered.slice(1, -1).map((row) => row.slice(1, -1))
  } catch (error) {
    if (error instanceof Error && error.message === 'Capacity overflow') return undefined
    throw error
  }
}

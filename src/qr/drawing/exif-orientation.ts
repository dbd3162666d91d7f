const SIGNATURE = Buffer.from('Exif\0\0', 'latin1')

/** The tag `Orientation` (Exif 2.32, section 4.6.4), and the type of its value, SHORT. */
const ORIENTATION = 0x0112
const SHORT = 3
const ENTRY = 12

/** How a picture lies, 1 to 8, from its Exif segment; undefined where that does not say so. */
export function readOrientation(segment: Buffer): number | undefined {
  if (!segment.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined
  const tiff = segment.subarray(SIGNATURE.length)
  const order = tiff.toString('latin1', 0, 2)
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return undefined
  const isLittle = order === 'II'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (start + 2 > tiff.length) return undefined
  const entries = Math.min(short(start), Math.floor((tiff.length - start - 2) / ENTRY))
  for (let index = 0; index < entries; index += 1) {
    const at = start + 2 + index * ENTRY
    if (short(at) !== ORIENTATION || short(at + 2) !== SHORT) continue
    const value = short(at + 8)
    return value >= 1 && value <= 8 ? value : undefined
  }
  return undefined
}

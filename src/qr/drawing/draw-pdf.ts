import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { loadSharp } from '../../pictures/load-sharp.ts'
import { LOGO_SIDE } from '../../pictures/logo.ts'
import type { Rgb } from './color.ts'
import type { Drawing, Shape } from './compose.ts'
import type { Path } from './path.ts'

const compress = promisify(deflate)
/** The number of points per pixel at 96 dpi. */
const POINTS_PER_PIXEL = 0.75

/**
 * Renders a drawing as a PDF page with a width in pixels, using vector shapes (ISO 32000-1, 7.5 and
 * 8.5).
 */
export async function drawPdf(drawing: Drawing, pixels: number): Promise<Buffer> {
  const { width, height, shapes } = drawing
  const scale = (pixels * POINTS_PER_PIXEL) / width
  const pageWidth = formatNumber(width * scale)
  const pageHeight = formatNumber(height * scale)
  const images = shapes.flatMap((shape) => (shape.kind === 'image' ? shape : []))
  // The origin of a PDF page is the lower left corner.
  const content = [
    `${formatNumber(scale)} 0 0 ${formatNumber(-scale)} 0 ${pageHeight} cm`,
    ...shapes.map((shape) => toOperators(shape, images.indexOf(shape as never))),
  ].join('\n')
  // The catalog, the list of pages, the page and its content come first, followed by two objects
  // per image.
  const resources = images.map((_, index) => `/I${index} ${5 + 2 * index} 0 R`).join(' ')
  return assembleFile([
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageWidth} ${pageHeight}] /Contents 4 0 R` +
        ` /Resources << /XObject << ${resources} >> >> >>`,
    ),
    await createStream('', Buffer.from(content)),
    ...(
      await Promise.all(images.map(({ png }, index) => createImageObjects(png, 6 + 2 * index)))
    ).flat(),
  ])
}

function toOperators(shape: Shape, imageIndex: number): string {
  switch (shape.kind) {
    case 'fill':
      return `${formatColor(shape.color)} rg\n${toPathOperators(shape.path)}\n${shape.holes ? 'f*' : 'f'}`
    case 'stroke':
      return `${formatColor(shape.color)} RG ${formatNumber(shape.width)} w 1 J 1 j\n${toPathOperators(shape.path)}\nS`
    case 'image': {
      const { x, y, side } = shape
      return `q ${side} 0 0 ${-side} ${x} ${y + side} cm /I${imageIndex} Do Q`
    }
  }
}

/**
 * Returns the PDF objects of an image and its transparency. `mask` is the object number of the
 * latter.
 */
async function createImageObjects(png: Buffer, mask: number): Promise<Buffer[]> {
  const sharp = await loadSharp()
  // The image is a square, like in the other formats. The area around the logo is transparent.
  const image = sharp(png, { limitInputPixels: LOGO_SIDE ** 2 })
    .resize(LOGO_SIDE, LOGO_SIDE, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .toColourspace('srgb')
    .ensureAlpha()
  const rgb = await image.clone().removeAlpha().raw().toBuffer()
  const alpha = await image.clone().extractChannel('alpha').raw().toBuffer()
  const common = `/Type /XObject /Subtype /Image /Width ${LOGO_SIDE} /Height ${LOGO_SIDE} /BitsPerComponent 8`
  return [
    await createStream(`${common} /ColorSpace /DeviceRGB /SMask ${mask} 0 R`, rgb),
    await createStream(`${common} /ColorSpace /DeviceGray`, alpha),
  ]
}

async function createStream(entries: string, bytes: Buffer): Promise<Buffer> {
  const packed = await compress(bytes)
  return Buffer.concat([
    Buffer.from(`<< ${entries} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`),
    packed,
    Buffer.from('\nendstream'),
  ])
}

/** Assembles a PDF file. Numbers the objects, starting at 1, and lists the offset of each one. */
function assembleFile(objects: readonly Buffer[]): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')]
  let length = parts[0]?.length ?? 0
  const offsets: number[] = []
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      object,
      Buffer.from('\nendobj\n'),
    ])
    offsets.push(length)
    length += part.length
    parts.push(part)
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}` +
        `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

const pathOperators = { M: 'm', L: 'l', C: 'c', Z: 'h' } as const

function toPathOperators(path: Path): string {
  return path
    .map(([name, ...numbers]) => [...numbers.map(formatNumber), pathOperators[name]].join(' '))
    .join('\n')
}

function formatColor(rgb: Rgb): string {
  return rgb.map((channel) => formatNumber(channel / 255)).join(' ')
}

function formatNumber(number: number): string {
  return String(Math.round(number * 1000) / 1000)
}

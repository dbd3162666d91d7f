import { invalid } from '../../errors.ts'
import type { Path } from './path.ts'

/**
 * The letters of captions, as strokes on a grid of 4 by 6. Each pair of digits is a point, and each
 * group is a line. The letters look the same in every format and do not require a system font,
 * which a server may not have.
 */
const GLYPHS: Readonly<Record<string, string>> = {
  A: '0602204246 0444',
  B: '00063645443303 0030414233',
  C: '4130100105163645',
  D: '00063645413000',
  E: '40000646 0333',
  F: '400006 0333',
  G: '41301001051636454323',
  H: '0006 4046 0343',
  I: '1030 2026 1636',
  J: '4045361605',
  K: '0006 400346',
  L: '000646',
  M: '0600234046',
  N: '06004640',
  O: '100105163645413010',
  P: '06003041423303',
  Q: '100105163645413010 2446',
  R: '06003041423303 2346',
  S: '413010010213334445361605',
  T: '0040 2026',
  U: '000516364540',
  V: '002640',
  W: '0016233640',
  X: '0046 4006',
  Y: '002340 2326',
  Z: '00400646',
  Ø: '100105163645413010 0640',
  0: '100105163645413010 1531',
  1: '112026 1636',
  2: '01103041420646',
  3: '0110304142334445361605 1333',
  4: '36300444',
  5: '400003334445361605',
  6: '4130100105163645443303',
  7: '004026',
  8: '103041423344453616050413020110 1333',
  9: '4313020110304145361605',
  ' ': '',
  '.': '2626',
  ',': '2617',
  '!': '2024 2626',
  '?': '01103041422324 2626',
  '-': '0343',
  '+': '0343 2125',
  '/': '0640',
  '&': '460201102031320405162644',
  "'": '2022',
  ':': '2222 2525',
  '@': '34321214344441301001051636',
  '#': '1016 3036 0242 0444',
  '%': '0640 0101 4545',
  '(': '30212536',
  ')': '10212516',
}

/**
 * Accents by their combining characters. Their y coordinates are stored plus 2, so that accents
 * above the letter need no negative digits.
 */
const ACCENTS: Readonly<Record<string, string>> = {
  '\u0300': '1021',
  '\u0301': '2130',
  '\u0302': '112031',
  '\u0303': '01102130',
  '\u0308': '1010 3030',
  '\u030a': '2011203120',
  '\u030c': '102130',
  '\u0327': '282919',
}

/**
 * The distance between the left edges of adjacent letters, and their size, in units of the grid.
 */
const CHARACTER_ADVANCE = 5.6
const WIDTH = 4
const HEIGHT = 6
/** The width of the strokes, in units of the grid. */
const STROKE_WIDTH = 0.85
/** The maximum share of a box's width that a caption takes up. */
const MAX_WIDTH_SHARE = 0.88
/** The maximum number of characters in a caption. */
export const MAX_CAPTION = 30

/**
 * Parses a caption. Returns null if it is blank. Throws `invalid_input` naming `caption` if it has
 * more than 30 characters or one that cannot be drawn.
 */
export function parseCaption(text: string): string | null {
  const caption = text.trim().replace(/\s+/g, ' ')
  if (caption === '') return null
  if (caption.length > MAX_CAPTION) {
    throw invalid('caption', 'too_long', { max: MAX_CAPTION })
  }
  const unknown = [...decomposeLetters(caption)].find(
    (each) => !(each in GLYPHS) && !(each in ACCENTS),
  )
  if (unknown !== undefined) {
    throw invalid('caption', 'caption_character', { character: unknown })
  }
  return caption
}

/** Lays out a caption in the center of a box. Returns its strokes and their width. */
export function drawCaption(
  caption: string,
  box: { x: number; y: number; width: number; height: number },
): { path: Path; width: number } {
  const letters = decomposeLetters(caption)
  const count = [...letters].filter((letter) => letter in GLYPHS).length
  const units = count * CHARACTER_ADVANCE - (CHARACTER_ADVANCE - WIDTH)
  // Accents and cedillas need two more units above and below.
  const scale = Math.min(box.height / (HEIGHT + 4), (box.width * MAX_WIDTH_SHARE) / units)
  const left = box.x + (box.width - units * scale) / 2
  const top = box.y + (box.height - HEIGHT * scale) / 2
  const path: Path = []
  let position = -1
  for (const letter of letters) {
    const isAccent = letter in ACCENTS
    if (!isAccent) position += 1
    const lines = (isAccent ? ACCENTS[letter] : GLYPHS[letter]) ?? ''
    for (const line of lines.split(' ')) {
      const points = line.match(/../g) ?? []
      for (const [index, [x, y]] of points.map((pair) => [...pair].map(Number)).entries()) {
        path.push([
          index === 0 ? 'M' : 'L',
          left + (position * CHARACTER_ADVANCE + (x ?? 0)) * scale,
          top + ((y ?? 0) - (isAccent ? 2 : 0)) * scale,
        ])
      }
    }
  }
  return { path, width: STROKE_WIDTH * scale }
}

function decomposeLetters(caption: string): string {
  return caption.toUpperCase().normalize('NFD')
}

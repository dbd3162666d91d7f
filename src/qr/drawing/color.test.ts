import { describe, expect, test } from 'vitest'
import { checkColors, computeContrastRatio, formatRgb, parseRgb } from './color.ts'

describe('parseRgb', () => {
  test.each([
    ['rgb(0,0,0)', [0, 0, 0]],
    [' RGB( 255 , 128,7 ) ', [255, 128, 7]],
    ['rgb(007,0,0)', [7, 0, 0]],
  ])('parses %s', (text, color) => {
    expect(parseRgb('foreground', text)).toEqual(color)
  })

  test.each(['', '#fff', 'red', 'rgb(1,2)', 'rgb(1,2,3,4)', 'rgb(-1,0,0)', 'rgb(1.5,0,0)'])(
    'rejects "%s"',
    (text) => {
      expect(() => parseRgb('background', text)).toThrow('background must be a color in the form')
    },
  )

  test('rejects values above 255', () => {
    expect(() => parseRgb('foreground', 'rgb(0,256,0)')).toThrow('foreground must have values')
  })

  test('ignores case, spaces and leading zeros', () => {
    expect(formatRgb(parseRgb('foreground', 'RGB( 1, 2, 03 )'))).toBe('rgb(1,2,3)')
  })
})

test('contrast is computed as defined by WCAG', () => {
  expect(computeContrastRatio([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 6)
  expect(computeContrastRatio([255, 255, 255], [119, 119, 119])).toBeCloseTo(4.478, 3)
  expect(computeContrastRatio([255, 0, 0], [255, 255, 255])).toBeCloseTo(3.998, 3)
  expect(computeContrastRatio([9, 9, 9], [9, 9, 9])).toBe(1)
})

describe('the colors of a code', () => {
  test('are black on white by default', () => {
    expect(checkColors(undefined, undefined)).toEqual({
      foreground: [0, 0, 0],
      background: [255, 255, 255],
    })
    expect(checkColors('rgb(200,0,0)', undefined).foreground).toEqual([200, 0, 0])
  })

  test.each(['rgb(255,0,0)', 'rgb(0,0,255)', 'rgb(0,128,0)', 'rgb(127,127,127)'])(
    'may be %s on white',
    (foreground) => {
      expect(checkColors(foreground, undefined).background).toEqual([255, 255, 255])
    },
  )

  test.each([
    ['rgb(255,255,255)', 'rgb(0,0,0)', 'foreground must be darker than background'],
    ['rgb(255,255,0)', 'rgb(0,0,128)', 'foreground must be darker than background'],
    [undefined, 'rgb(10,10,10)', 'background has too little contrast to foreground'],
    ['rgb(200,200,200)', undefined, 'foreground has too little contrast to background'],
    ['rgb(128,128,128)', 'rgb(128,128,128)', 'foreground has too little contrast'],
    ['rgb(135,135,135)', undefined, 'foreground has too little contrast'],
    ['rgb(26,43,10)', 'rgb(209,0,182)', 'foreground has too little contrast'],
    ['red', 'rgb(0,0,0)', 'foreground must be a color'],
    ['rgb(0,0,0)', 'white', 'background must be a color'],
  ])('are rejected: %s on %s', (foreground, background, message) => {
    expect(() => checkColors(foreground, background)).toThrow(message)
  })
})

import { invalid } from '../errors.ts'

export const PIXEL_TYPES = [
  'vendor01pixel',
  'vendor02pixel',
  'vendor03pixel',
  'vendor04pixel',
  'vendor05pixel',
  'vendor06pixel',
  'vendor07pixel',
  'vendor08pixel',
  'vendor09',
  'vendor10',
  'vendor11',
  'vendor12',
  'vendor13',
] as const

export type PixelType = (typeof PIXEL_TYPES)[number]

/**
 * A tracking pixel of an analytics or advertising vendor. It is requested when a link is visited.
 */
export type Pixel = { id: number; type: string; name: string; tag: string; createdAt: Date }

export type PixelInput = { type: PixelType; name: string; tag: string }

/**
 * Parses the type of a pixel.
 *
 * @throws AppError `invalid_input` naming `type`
 */
export function parseType(type: string): PixelType {
  const pixelType = PIXEL_TYPES.find((each) => each === type)
  if (!pixelType) throw invalid('type', 'one_of', { choices: PIXEL_TYPES.join(', ') })
  return pixelType
}

const TAG = /^[A-Za-z0-9_.:-]{1,64}$/

/**
 * Parses a pixel's tag.
 *
 * @throws AppError `invalid_input` naming `tag`
 */
export function parseTag(tag: string): string {
  if (TAG.test(tag)) return tag
  throw invalid('tag', 'pixel_tag')
}

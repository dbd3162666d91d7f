import type { OverlayType } from '../db/schema.ts'
import { invalid } from '../errors.ts'
import { parseTargetUrl } from '../target-url.ts'
import { optionalText, requireText } from '../text.ts'

/** What an operator says of a new overlay. */
export type OverlayInput = {
  type: string
  name: string
  /** The first line is the heading. */
  text: string
  button?: string
  link?: string
  image?: string
  /** What a poll asks to choose from; by default yes and no. */
  options?: readonly string[]
}

const TYPES = ['contact', 'poll', 'message', 'newsletter', 'image'] as const satisfies OverlayType[]
const YES_OR_NO = ['Yes', 'No']
const [MIN_OPTIONS, MAX_OPTIONS] = [2, 20]

/** The columns of a new overlay. @throws AppError `invalid_input` naming the field */
export function readOverlay(input: OverlayInput) {
  const type = TYPES.find((known) => known === input.type)
  if (!type) throw invalid('type', `must be one of ${TYPES.join(', ')}`)
  return {
    type,
    name: requireText('name', input.name, 200),
    text: requireText('text', input.text, 5000),
    button: optionalText('button', input.button, 100),
    link: input.link ? parseTargetUrl('link', input.link).href : null,
    image: input.image ? parseTargetUrl('image', input.image).href : null,
    options: JSON.stringify(readOptions(type, input.options)),
  }
}

function readOptions(type: OverlayType, options: readonly string[] | undefined): string[] {
  if (type !== 'poll') {
    if (options !== undefined && options.length > 0) throw invalid('options', 'are for a poll only')
    return []
  }
  const read = (options ?? YES_OR_NO).map((option) => requireText('options', option, 200))
  if (read.length < MIN_OPTIONS || read.length > MAX_OPTIONS) {
    throw invalid('options', `must be ${MIN_OPTIONS} to ${MAX_OPTIONS} lines`)
  }
  if (new Set(read).size < read.length) throw invalid('options', 'must differ from each other')
  return read
}

import type { OverlayType } from '../db/schema/pages.ts'
import { parseDestinationUrl, parseHttpUrl } from '../destination-url.ts'
import { invalid } from '../errors.ts'
import { normalizeOptionalText, requireText } from '../text.ts'

/** The properties of an overlay as sent by a client. Null has the same meaning as undefined. */
export type OverlayInput = {
  type: string
  name: string
  /** The first line is the heading. */
  text: string
  button?: string | null
  link?: string | null
  image?: string | null
  /** The options of a poll. Defaults to yes and no. */
  options?: readonly string[] | null
}

/** Changes of an overlay. Undefined leaves a field unchanged, null clears it. */
export type OverlayChanges = { [Field in keyof OverlayInput]?: OverlayInput[Field] | null }

export const OVERLAY_TYPES: readonly OverlayType[] = [
  'contact',
  'poll',
  'message',
  'newsletter',
  'image',
]
const YES_OR_NO = ['Yes', 'No']
const MIN_OPTIONS = 2
const MAX_OPTIONS = 20

/**
 * Validates an overlay and returns its columns.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function readOverlay(input: OverlayInput) {
  const type = OVERLAY_TYPES.find((known) => known === input.type)
  if (!type) throw invalid('type', 'one_of', { choices: OVERLAY_TYPES.join(', ') })
  return {
    type,
    name: requireText('name', input.name, 200),
    text: requireText('text', input.text, 5000),
    button: normalizeOptionalText('button', input.button, 100),
    link: input.link ? parseDestinationUrl('link', input.link).href : null,
    image: input.image ? parseHttpUrl('image', input.image).href : null,
    options: JSON.stringify(readOptions(type, input.options)),
  }
}

/**
 * Applies changes and validates the result like a new overlay.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function readChanges(current: OverlayInput, changes: OverlayChanges) {
  const { type = current.type, name = current.name, text = current.text, ...rest } = changes
  // If the type changes, the options of a poll are removed.
  const options = type === current.type ? current.options : null
  return readOverlay({
    ...current,
    options,
    ...rest,
    type: type ?? '',
    name: name ?? '',
    text: text ?? '',
  })
}

function readOptions(type: OverlayType, options: OverlayInput['options']): string[] {
  if (type !== 'poll') {
    if (options && options.length > 0) throw invalid('options', 'poll_only')
    return []
  }
  const validOptions = (options ?? YES_OR_NO).map((option) => requireText('options', option, 200))
  if (validOptions.length < MIN_OPTIONS || validOptions.length > MAX_OPTIONS) {
    throw invalid('options', 'at_most_lines', { min: MIN_OPTIONS, max: MAX_OPTIONS })
  }
  if (new Set(validOptions).size < validOptions.length) throw invalid('options', 'different_each')
  return validOptions
}

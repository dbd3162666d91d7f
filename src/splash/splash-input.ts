import { parseDestinationUrl, parseHttpUrl } from '../destination-url.ts'
import { invalid } from '../errors.ts'
import { requireText } from '../text.ts'

/** The properties of a splash page as sent by a client. Null has the same meaning as undefined. */
export type SplashInput = {
  name: string
  title: string
  message: string
  image?: string | null
  link?: string | null
  /**
   * The number of seconds after which the page redirects. With 0, null or undefined, it waits for
   * the visitor.
   */
  seconds?: number | null
}

/** Changes of a splash page. Undefined leaves a field unchanged, null clears it. */
export type SplashChanges = { [Field in keyof SplashInput]?: SplashInput[Field] | null }

const MAX_SECONDS = 300

/**
 * Validates a splash page and returns its columns.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function readSplash({ name, title, message, image, link, seconds }: SplashInput) {
  return {
    name: requireText('name', name, 200),
    title: requireText('title', title, 200),
    message: requireText('message', message, 5000),
    image: image ? parseHttpUrl('image', image).href : null,
    link: link ? parseDestinationUrl('link', link).href : null,
    seconds: seconds == null ? null : checkSeconds(seconds),
  }
}

/**
 * Applies changes and validates the result like a new splash page.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function readChanges(current: SplashInput, changes: SplashChanges) {
  const { name = current.name, title = current.title, message = current.message, ...rest } = changes
  return readSplash({
    ...current,
    ...rest,
    name: name ?? '',
    title: title ?? '',
    message: message ?? '',
  })
}

function checkSeconds(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_SECONDS) return seconds
  throw invalid('seconds', 'whole_number_range', { min: 0, max: MAX_SECONDS })
}

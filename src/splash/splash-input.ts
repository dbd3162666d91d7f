import { invalid } from '../errors.ts'
import { parseTargetUrl } from '../target-url.ts'
import { requireText } from '../text.ts'

/** What its owner says of a splash page; null is as good as nothing. */
export type SplashInput = {
  name: string
  title: string
  message: string
  image?: string | null
  link?: string | null
  /** After how many seconds the page goes on by itself; without them or with 0 it waits. */
  seconds?: number | null
}

/** What is changed of a splash page: what is absent stays, null clears. */
export type SplashChanges = { [Field in keyof SplashInput]?: SplashInput[Field] | null }

const MAX_SECONDS = 300

/** The columns of a splash page. @throws AppError `invalid_input` naming the field */
export function readSplash({ name, title, message, image, link, seconds }: SplashInput) {
  return {
    name: requireText('name', name, 200),
    title: requireText('title', title, 200),
    message: requireText('message', message, 5000),
    image: image ? parseTargetUrl('image', image).href : null,
    link: link ? parseTargetUrl('link', link).href : null,
    seconds: seconds == null ? null : checkSeconds(seconds),
  }
}

/** What a splash page will be, read like a new one. @throws AppError `invalid_input` naming the field */
export function readChanges(before: SplashInput, changes: SplashChanges) {
  const { name = before.name, title = before.title, message = before.message, ...rest } = changes
  return readSplash({
    ...before,
    ...rest,
    name: name ?? '',
    title: title ?? '',
    message: message ?? '',
  })
}

function checkSeconds(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_SECONDS) return seconds
  throw invalid('seconds', `must be a whole number from 0 to ${MAX_SECONDS}`)
}

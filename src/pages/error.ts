import type { ErrorCode } from '../errors.ts'
import type { PageContext } from './language.ts'
import { type ErrorMessages, errorMessages } from './messages/error.ts'
import { noticePage } from './notice.ts'

export type ErrorPage = PageContext & {
  code: ErrorCode
  /** The HTTP status. */
  status: number
  /** The reason in English. Defaults to a text in the page's language. */
  message?: string | undefined
  home?: boolean
}

/** The name of an error whose title and text are messages, such as `gone` and `goneText`. */
type Kind = Extract<keyof ErrorMessages, `${string}Text`> extends `${infer Name}Text` ? Name : never

const kindByCode: Partial<Record<ErrorCode, Kind>> = {
  form_expired: 'formExpired',
  registration_closed: 'signUpsClosed',
  unsupported_media_type: 'unsupported',
}

const kindByStatus = new Map<number, Kind>([
  [400, 'badRequest'],
  [403, 'forbidden'],
  [404, 'notFound'],
  [405, 'methodNotAllowed'],
  [410, 'gone'],
  [413, 'tooLarge'],
  [414, 'urlTooLong'],
  [429, 'tooMany'],
  [503, 'unavailable'],
])

/** Renders the page of an error. Needs only the common policy. */
export function errorPage({ code, message, ...context }: ErrorPage): string {
  const { status, language } = context
  const kind =
    kindByCode[code] ?? kindByStatus.get(status) ?? (status >= 500 ? 'internal' : 'failed')
  const messages = errorMessages[language]
  return noticePage({
    ...context,
    title: messages[kind],
    message: message ?? messages[`${kind}Text`],
  })
}

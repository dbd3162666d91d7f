import type { ErrorCode } from '../errors.ts'
import { type Notice, noticePage } from './notice.ts'
import type { PageContext } from './texts.ts'
import { type VisitorTextKey, visitorText } from './texts.ts'

export type ErrorPage = PageContext &
  Pick<Notice, 'hasHomeLink'> & {
    code: ErrorCode
    /** The HTTP status. */
    status: number
    /** The reason in English. Defaults to a text in the page's language. */
    message?: string | undefined
  }

/** The name of a title in the catalogs. The text below it has the same name with the suffix `Text`. */
type MessageName =
  Extract<VisitorTextKey, `error.${string}Text`> extends `error.${infer Name}Text` ? Name : never

const titleByCode: Partial<Record<ErrorCode, MessageName>> = {
  form_expired: 'formExpired',
  registration_closed: 'signUpsClosed',
  unsupported_media_type: 'unsupported',
}

const titleByStatus = new Map<number, MessageName>([
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
  const { language } = context
  const name = findMessageName({ code, status: context.status })
  return noticePage({
    ...context,
    title: visitorText(language, `error.${name}`),
    message: message ?? visitorText(language, `error.${name}Text`),
  })
}

/** Returns the title of the page of an error. */
export function getErrorTitle(
  error: Pick<ErrorPage, 'code' | 'status'>,
  language: PageContext['language'],
): string {
  return visitorText(language, `error.${findMessageName(error)}`)
}

function findMessageName({ code, status }: Pick<ErrorPage, 'code' | 'status'>): MessageName {
  return titleByCode[code] ?? titleByStatus.get(status) ?? (status >= 500 ? 'internal' : 'failed')
}

import type { PageContext } from './language.ts'
import { noticeMessages } from './messages/notice.ts'
import { type Notice, noticePage } from './notice.ts'

export type NotFoundPage = PageContext & Pick<Notice, 'hasHomeLink'>

/** Renders the page for an unknown short link. Send it with 404. Needs only the common policy. */
export function notFoundPage(context: NotFoundPage): string {
  const { notFound: title, notFoundText: message } = noticeMessages[context.language]
  return noticePage({ ...context, status: 404, title, message })
}

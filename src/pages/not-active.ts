import type { PageContext } from './language.ts'
import { noticeMessages } from './messages/notice.ts'
import { type Notice, noticePage } from './notice.ts'

export type NotActivePage = PageContext & Pick<Notice, 'hasHomeLink'>

/**
 * Renders the page of a link before its start date. Send it with 404. Needs only the common policy.
 */
export function notActivePage(context: NotActivePage): string {
  const { notActive: title, notActiveText: message } = noticeMessages[context.language]
  return noticePage({ ...context, status: 404, title, message })
}

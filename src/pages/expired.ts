import type { PageContext } from './language.ts'
import { noticeMessages } from './messages/notice.ts'
import { type Notice, noticePage } from './notice.ts'

export type ExpiredPage = PageContext & Pick<Notice, 'hasHomeLink' | 'reportPath'>

/** Renders the page of an expired link. Send it with 410. Needs only the common policy. */
export function expiredPage(context: ExpiredPage): string {
  const { expired: title, expiredText: message } = noticeMessages[context.language]
  return noticePage({ ...context, status: 410, title, message })
}

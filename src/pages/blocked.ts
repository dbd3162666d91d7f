import type { PageContext } from './language.ts'
import { noticeMessages } from './messages/notice.ts'
import { type Notice, noticePage } from './notice.ts'

export type BlockedPage = PageContext & Pick<Notice, 'hasHomeLink'>

/** Renders the page of a link to a blocked host. Send it with 410. Needs only the common policy. */
export function blockedPage(context: BlockedPage): string {
  const { blocked: title, blockedText: message } = noticeMessages[context.language]
  return noticePage({ ...context, status: 410, title, message })
}

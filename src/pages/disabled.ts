import type { PageContext } from './language.ts'
import { noticeMessages } from './messages/notice.ts'
import { type Notice, noticePage } from './notice.ts'

export type DisabledPage = PageContext & Pick<Notice, 'hasHomeLink' | 'reportPath'>

/**
 * Renders the page of a link that its owner or an admin has disabled, or whose account is
 * suspended. Does not reveal the reason. Send it with 410. Needs only the common policy.
 */
export function disabledPage(context: DisabledPage): string {
  const { disabled: title, disabledText: message } = noticeMessages[context.language]
  return noticePage({ ...context, status: 410, title, message })
}

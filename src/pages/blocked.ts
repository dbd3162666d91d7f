import type { PageContext } from './language.ts'
import { noticeMessages } from './messages/notice.ts'
import { noticePage } from './notice.ts'

export type BlockedPage = PageContext & {
  home?: boolean
}

/**
 * For a link to a host that an admin has blocked; sent with 410. Needs nothing beyond the common policy.
 */
export function blockedPage(context: BlockedPage): string {
  const { blocked: title, blockedText: message } = noticeMessages[context.language]
  return noticePage({ ...context, status: 410, title, message })
}

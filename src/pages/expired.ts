import type { PageContext } from './language.ts'
import { noticeMessages } from './messages/notice.ts'
import { noticePage } from './notice.ts'

export type ExpiredPage = PageContext & {
  home?: boolean
  /** Where the link is reported. */
  report?: string
}

/**
 * For a link past its expiration; sent with 410. Needs nothing beyond the common policy.
 */
export function expiredPage(context: ExpiredPage): string {
  const { expired: title, expiredText: message } = noticeMessages[context.language]
  return noticePage({ ...context, status: 410, title, message })
}

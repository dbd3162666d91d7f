import type { PageContext } from './language.ts'
import { noticeMessages } from './messages/notice.ts'
import { noticePage } from './notice.ts'

export type DisabledPage = PageContext & {
  home?: boolean
  /** Where the link is reported. */
  report?: string
}

/**
 * For a link that its owner or an admin has disabled, or whose account is suspended; it does not say
 * which. Sent with 410. Needs nothing beyond the common policy.
 */
export function disabledPage(context: DisabledPage): string {
  const { disabled: title, disabledText: message } = noticeMessages[context.language]
  return noticePage({ ...context, status: 410, title, message })
}

import type { PageContext } from './language.ts'
import { type Notice, noticePage } from './notice.ts'
import { visitorText } from './texts.ts'

export type DisabledPage = PageContext & Pick<Notice, 'hasHomeLink' | 'reportPath'>

/**
 * Renders the page of a link that its owner or an admin has disabled, or whose account is
 * suspended. Does not reveal the reason. Send it with 410. Needs only the common policy.
 */
export function disabledPage(context: DisabledPage): string {
  return noticePage({
    ...context,
    status: 410,
    title: visitorText(context.language, 'notice.disabled'),
    message: visitorText(context.language, 'notice.disabledText'),
  })
}

import type { PageContext } from './language.ts'
import { type Notice, noticePage } from './notice.ts'
import { visitorText } from './texts.ts'

export type ExpiredPage = PageContext & Pick<Notice, 'hasHomeLink' | 'reportPath'>

/** Renders the page of an expired link. Send it with 410. Needs only the common policy. */
export function expiredPage(context: ExpiredPage): string {
  return noticePage({
    ...context,
    status: 410,
    title: visitorText(context.language, 'notice.expired'),
    message: visitorText(context.language, 'notice.expiredText'),
  })
}

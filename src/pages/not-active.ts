import type { PageContext } from './language.ts'
import { type Notice, noticePage } from './notice.ts'
import { visitorText } from './texts.ts'

export type NotActivePage = PageContext & Pick<Notice, 'hasHomeLink'>

/**
 * Renders the page of a link before its start date. Send it with 404. Needs only the common policy.
 */
export function notActivePage(context: NotActivePage): string {
  return noticePage({
    ...context,
    status: 404,
    title: visitorText(context.language, 'notice.notActive'),
    message: visitorText(context.language, 'notice.notActiveText'),
  })
}

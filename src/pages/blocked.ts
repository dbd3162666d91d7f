import type { PageContext } from './language.ts'
import { type Notice, noticePage } from './notice.ts'
import { visitorText } from './texts.ts'

export type BlockedPage = PageContext & Pick<Notice, 'hasHomeLink'>

/** Renders the page of a link to a blocked host. Send it with 410. Needs only the common policy. */
export function blockedPage(context: BlockedPage): string {
  return noticePage({
    ...context,
    status: 410,
    title: visitorText(context.language, 'notice.blocked'),
    message: visitorText(context.language, 'notice.blockedText'),
  })
}

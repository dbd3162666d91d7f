import type { PageContext } from './language.ts'
import { type Notice, noticePage } from './notice.ts'
import { visitorText } from './texts.ts'

export type NotFoundPage = PageContext & Pick<Notice, 'hasHomeLink'>

/** Renders the page for an unknown short link. Send it with 404. Needs only the common policy. */
export function notFoundPage(context: NotFoundPage): string {
  return noticePage({
    ...context,
    status: 404,
    title: visitorText(context.language, 'notice.notFound'),
    message: visitorText(context.language, 'notice.notFoundText'),
  })
}

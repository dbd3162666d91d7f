import { html } from '@remix-run/html-template'
import type { PageContext } from './language.ts'
import { page } from './layout.ts'
import { reportLine } from './report.ts'
import { visitorText } from './texts.ts'

export type Notice = PageContext & {
  status: number
  title: string
  message: string
  /** Whether to link to `/`, which may not exist on a branded domain. */
  hasHomeLink?: boolean | undefined
  /** The path of the link's report form. */
  reportPath?: string | undefined
}

/** Renders a page that explains why a link does not open. */
export function noticePage({
  nonce,
  language,
  status,
  title,
  message,
  hasHomeLink = false,
  reportPath,
}: Notice): string {
  return page({
    title,
    nonce,
    language,
    body: html`<p class="eyebrow">${status}</p>
<h1>${title}</h1>
<p class="soft text">${message}</p>
${hasHomeLink ? html`<p class="actions"><a class="button quiet" href="/">${visitorText(language, 'notice.home')}</a></p>` : null}${reportLine(language, reportPath)}`,
  })
}

import { html } from '@remix-run/html-template'
import { page } from './layout.ts'
import { reportLine } from './report.ts'

export type Notice = {
  nonce: string
  status: number
  title: string
  message: string
  /** Whether to link to `/`; on a branded domain it may lead nowhere. */
  home?: boolean | undefined
  /** Where the link that the page is about is reported. */
  report?: string | undefined
}

/** The common form of the pages that say why there is nothing here. */
export function noticePage({
  nonce,
  status,
  title,
  message,
  home = false,
  report,
}: Notice): string {
  return page({
    title,
    nonce,
    body: html`<p class="eyebrow">${status}</p>
<h1>${title}</h1>
<p class="soft text">${message}</p>
${home ? html`<p class="actions"><a class="button quiet" href="/">Go to the home page</a></p>` : null}${reportLine(report)}`,
  })
}

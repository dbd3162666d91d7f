import { html } from '@remix-run/html-template'
import { page } from './layout.ts'
import { reportLine } from './report.ts'
import type { PageContext } from './texts.ts'
import { visitorText } from './texts.ts'

export type Notice = Pick<PageContext, 'language'> & {
  /** Not needed if the policy allows the style by its hash. */
  nonce?: string | undefined
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

/** Returns the function that renders a notice with the texts of this name. */
function defineNotice(
  status: number,
  name: 'blocked' | 'disabled' | 'expired' | 'notActive' | 'notFound',
) {
  return (context: Omit<Notice, 'status' | 'title' | 'message'>): string =>
    noticePage({
      ...context,
      status,
      title: visitorText(context.language, `notice.${name}`),
      message: visitorText(context.language, `notice.${name}Text`),
    })
}

/** Renders the page of a link to a blocked host. Send it with 410. Needs only the common policy. */
export const blockedPage = defineNotice(410, 'blocked')

/**
 * Renders the page of a link that its owner or an admin has disabled, or whose account is
 * suspended. Does not reveal the reason. Send it with 410. Needs only the common policy.
 */
export const disabledPage = defineNotice(410, 'disabled')

/** Renders the page of an expired link. Send it with 410. Needs only the common policy. */
export const expiredPage = defineNotice(410, 'expired')

/**
 * Renders the page of a link before its start date. Send it with 404. Needs only the common policy.
 */
export const notActivePage = defineNotice(404, 'notActive')

/** Renders the page for an unknown short link. Send it with 404. Needs only the common policy. */
export const notFoundPage = defineNotice(404, 'notFound')

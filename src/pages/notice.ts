import { html } from '@remix-run/html-template'
import { page } from './layout.ts'
import { reportLine } from './report.ts'
import type { PageContext } from './texts.ts'
import { visitorText } from './texts.ts'

type NotFoundPage = Pick<Notice, 'nonce' | 'language' | 'hasHomeLink'>

type NotActivePage = PageContext & Pick<Notice, 'hasHomeLink'>

type ExpiredPage = PageContext & Pick<Notice, 'hasHomeLink' | 'reportPath'>

type DisabledPage = PageContext & Pick<Notice, 'hasHomeLink' | 'reportPath'>

type BlockedPage = PageContext & Pick<Notice, 'hasHomeLink'>

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

/** Renders the page of a link to a blocked host. Send it with 410. Needs only the common policy. */
export function blockedPage(context: BlockedPage): string {
  return noticePage({
    ...context,
    status: 410,
    title: visitorText(context.language, 'notice.blocked'),
    message: visitorText(context.language, 'notice.blockedText'),
  })
}

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

/** Renders the page of an expired link. Send it with 410. Needs only the common policy. */
export function expiredPage(context: ExpiredPage): string {
  return noticePage({
    ...context,
    status: 410,
    title: visitorText(context.language, 'notice.expired'),
    message: visitorText(context.language, 'notice.expiredText'),
  })
}

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

/** Renders the page for an unknown short link. Send it with 404. Needs only the common policy. */
export function notFoundPage(context: NotFoundPage): string {
  return noticePage({
    ...context,
    status: 404,
    title: visitorText(context.language, 'notice.notFound'),
    message: visitorText(context.language, 'notice.notFoundText'),
  })
}

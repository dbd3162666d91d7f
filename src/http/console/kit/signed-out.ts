import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyReply } from 'fastify'
import type { AppError } from '../../../errors.ts'
import type { CspExtras } from '../../../pages/csp.ts'
import { type Page, page } from '../../../pages/layout.ts'
import { getLanguage, getSiteName, t } from '../../../texts.ts'
import { createErrorHeaders } from '../../errors.ts'
import { describeError } from '../../html/describe-error.ts'
import { issueFormToken } from '../../html/form-token.ts'
import { sendPage } from '../../html/send-page.ts'
import { renderScripts } from '../assets.ts'
import type { FormFrame } from '../shell/layout.ts'

/** The context of a page without a session. */
export type SignedOutFrame = FormFrame & { nonce: string }

/** A page without a session, which has neither header nor sidebar. */
export type SignedOutPage = {
  title: string
  body: (frame: SignedOutFrame) => SafeHtml
  /** Additional elements of the head. */
  head?: SafeHtml
  status?: number
  headers?: Record<string, string>
  policy?: CspExtras
}

/**
 * The headers of a page whose path contains a token. Only the origin is sent as the referrer:
 * `no-referrer` would also hide the origin of the form.
 */
export const TOKEN_HEADERS = { 'referrer-policy': 'strict-origin' }

/** With `no-referrer`, browsers send `Origin: null` with forms, which `checkSameOrigin` rejects. */
const REFERRER = { 'referrer-policy': 'same-origin' }

/** Sends a page without a session, in the language of the request. */
export function sendSignedOutPage(
  reply: FastifyReply,
  { title, body: renderBody, head, status = 200, headers = {}, policy = {} }: SignedOutPage,
): FastifyReply {
  let token: string | undefined
  const render = (nonce: string) => {
    const body = renderBody({
      nonce,
      // Only pages with a form set the cookie of the token.
      get csrf() {
        token ??= issueFormToken(reply)
        return token
      },
      may: () => true,
      confirmsByPassword: true,
      hasProvider: false,
      path: '',
    })
    const scripts = renderScripts(nonce, body)
    return renderPlainPage({ title, nonce, head: html`${head ?? null}${scripts}`, body })
  }
  return sendPage(reply, render, { status, policy, headers: { ...REFERRER, ...headers } })
}

/** Renders the page of a link whose token cannot be used, with the reason. */
export function renderUnusableLink(title: string, reason: AppError): SignedOutPage {
  return {
    title,
    body: () => html`<h1>${t('signIn.linkInvalid')}</h1>
<p class="soft">${describeError(reason)}</p>
<p class="actions"><a class="button" href="/console/sign-in">${t('signIn.button')}</a></p>`,
    status: reason.status,
    headers: { ...TOKEN_HEADERS, ...createErrorHeaders(reason) },
  }
}

/** Renders a page without header and sidebar, in the language of the request. */
export function renderPlainPage({ title, ...options }: Omit<Page, 'language'>): string {
  return page({ ...options, title: `${title} – ${getSiteName()}`, language: getLanguage() })
}

import { html } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { renderPlainPage } from '../shell/plain-page.ts'

/**
 * Renders a page that continues to the provider immediately. It replaces a redirect after a form,
 * which browsers would block: the content security policy allows forms only for this site.
 */
export function renderContinuePage({
  nonce,
  name,
  url,
}: {
  nonce: string
  name: string
  url: string
}) {
  const title = t('oidc.continueTo', { name })
  return renderPlainPage({
    title,
    nonce,
    head: html`<meta http-equiv="refresh" content="0; url=${url}">`,
    body: html`<h1>${title}</h1>
<p class="soft">${t('oidc.comeBack')}</p>
<p class="actions"><a class="button" href="${url}">${t('oidc.continueWith', { name })}</a></p>`,
  })
}

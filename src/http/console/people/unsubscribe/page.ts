import { html } from '@remix-run/html-template'
import { t } from '../../../../texts.ts'
import { renderPlainPage } from '../../shell/plain-page.ts'

/** Renders the page of an unsubscribe link. It posts to its own URL, which contains the token. */
export function renderUnsubscribePage(nonce: string): string {
  return renderPlainPage({
    title: t('unsubscribe.title'),
    nonce,
    body: html`<h1>${t('unsubscribe.question')}</h1>
<p class="soft">${t('unsubscribe.hint')}</p>
<form method="post"><button class="button full">${t('unsubscribe.unsubscribe')}</button></form>`,
  })
}

/** Renders the confirmation that the reports are stopped. */
export function renderUnsubscribedPage(nonce: string): string {
  return renderPlainPage({
    title: t('unsubscribe.title'),
    nonce,
    body: html`<h1>${t('unsubscribe.done')}</h1>
<p class="soft">${t('unsubscribe.doneHint')}</p>`,
  })
}

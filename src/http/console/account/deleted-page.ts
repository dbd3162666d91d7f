import { html } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { renderPlainPage } from '../shell/plain-page.ts'

/** Renders the page shown after the deletion of an account. */
export function renderDeletedPage({ nonce }: { nonce: string }): string {
  return renderPlainPage({
    title: t('account.deleted.title'),
    nonce,
    body: html`<h1>${t('account.deleted.heading')}</h1>
<p class="soft">${t('account.deleted.text')}</p>
<p class="actions"><a class="button quiet" href="/">${t('account.deleted.home')}</a></p>`,
  })
}

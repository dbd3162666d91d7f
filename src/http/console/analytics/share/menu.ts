import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import { t } from '../../../../texts.ts'
import { renderCopyable } from '../../kit/parts.ts'
import type { Frame } from '../../shell/layout.ts'
import type { PageState } from '../read.ts'

/** The public page with the statistics of a link or campaign. Without a URL, it does not exist. */
export type Share = { url: string | undefined }

/** Renders the URL of the public page, or a button to create it. */
export function renderShareMenu(
  { csrf }: Frame,
  { subject, buildHref }: PageState,
  { url }: Share,
): SafeHtml {
  const renderForm = (action: string, content: SafeHtml) =>
    html`<form method="post" action="${subject.path}/${action}">${csrfField(csrf)}<input type="hidden" name="back" value="${buildHref()}">
${content}</form>`
  return html`<details class="row-menu menu share-menu"><summary>${url ? t('share.on') : t('share.menu')}</summary>
<div class="menu-panel">
<p class="small">${t('share.about')}</p>
${
  url
    ? html`<p class="small">${renderCopyable({ id: 'shared', href: url })}</p>
${renderForm('unshare', html`<button class="button danger small">${t('share.revoke')}</button><p class="small soft">${t('share.revokeHint')}</p>`)}`
    : renderForm('share', html`<button class="button small">${t('share.create')}</button>`)
}
</div></details>`
}

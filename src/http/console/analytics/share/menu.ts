import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import { renderCopyable } from '../../shell/copyable.ts'
import type { Frame } from '../../shell/layout.ts'
import type { PageState } from '../read.ts'
import { shareMessages as messages } from './messages.ts'

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
  return html`<details class="row-menu menu share-menu"><summary>${url ? messages.on : messages.menu}</summary>
<div class="menu-panel">
<p class="small">${messages.about}</p>
${
  url
    ? html`<p class="small">${renderCopyable({ id: 'shared', href: url })}</p>
${renderForm('unshare', html`<button class="button danger small">${messages.revoke}</button><p class="small soft">${messages.revokeHint}</p>`)}`
    : renderForm('share', html`<button class="button small">${messages.create}</button>`)
}
</div></details>`
}

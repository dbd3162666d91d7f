import { html } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { t, tHtml } from '../../../texts.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import type { Words } from './words.ts'

/**
 * Renders the page that confirms the deletion of a resource and names its consequences. `error` is
 * the reason why the deletion was rejected.
 */
export function renderResourceDeletionPage(
  frame: Frame,
  {
    words,
    resource,
    error,
  }: { words: Words; resource: { id: number; name: string }; error?: string },
): string {
  const { section, deletion } = words
  return renderConsolePage(frame, {
    title: t('resource.deleteNamed', { name: resource.name }),
    section,
    body: html`<p class="eyebrow"><a href="${section}">${words.many}</a></p>
<h1>${tHtml('resource.askToDelete', { name: html`<bdi>${resource.name}</bdi>` })}</h1>
<section class="panel" aria-label="${t('resource.delete')}">
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
<p>${deletion} ${t('resource.permanent')}</p>
<form method="post" action="${section}/${resource.id}/delete">${csrfField(frame.csrf)}
<div class="actions"><button class="button danger">${t('resource.delete')}</button> <a class="button quiet" href="${section}">${t('resource.cancel')}</a></div>
</form>
</section>`,
  })
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'

export type PreviewPanel = {
  /** The id of the previewed form. */
  form: string
  /** The path that renders a submitted form's preview. */
  action: string
  /** The path of the initial preview. */
  initialPath: string
  /** A sentence about the preview. */
  note: string
}

/**
 * Renders a preview in a frame beside its form. A script updates it while the user edits the form. A
 * button does so without scripts.
 */
export function renderPreviewPanel({ form, action, initialPath, note }: PreviewPanel): SafeHtml {
  return html`<section class="panel preview" aria-labelledby="preview-title">
<h2 id="preview-title">${t('shell.preview.title')}</h2>
<p class="small soft">${note}</p>
<iframe name="preview" title="${t('shell.preview.title')}" src="${initialPath}" sandbox data-frame></iframe>
<p class="by-hand"><button class="button quiet" form="${form}" formaction="${action}" formtarget="preview" formnovalidate data-preview>${t('shell.preview.update')}</button></p>
</section>`
}

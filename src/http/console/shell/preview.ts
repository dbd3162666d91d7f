import { html, type SafeHtml } from '@remix-run/html-template'

export type PreviewPanel = {
  /** The id of the form whose preview it is. */
  form: string
  /** Where the form goes to be shown, and where what is shown at first is. */
  action: string
  first: string
  /** What is to be known of it, in a sentence. */
  note: string
}

/** The scripts and styles of a page with a preview. */
export const previewFiles = ['preview.css', 'preview.js'] as const

/**
 * What visitors will get, in a frame beside its form. It follows the form by a script; without, the
 * button asks for it.
 */
export function previewPanel({ form, action, first, note }: PreviewPanel): SafeHtml {
  return html`<section class="panel preview" aria-labelledby="preview-title">
<h2 id="preview-title">Preview</h2>
<p class="small soft">${note}</p>
<iframe name="preview" title="Preview" src="${first}" sandbox data-frame></iframe>
<p class="by-hand"><button class="button quiet" form="${form}" formaction="${action}" formtarget="preview" formnovalidate data-preview>Update preview</button></p>
</section>`
}

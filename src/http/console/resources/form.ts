import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { previewFiles, renderPreviewPanel } from '../shell/preview.ts'
import { type FormField, renderFormField } from './form-field.ts'
import { resourceMessages as messages } from './messages.ts'
import { renderRowsField, rowsFiles } from './rows-field.ts'
import type { Words } from './words.ts'

export type ResourceForm = {
  words: Words
  fields: readonly FormField[]
  /** Field values by name. */
  values: Readonly<Record<string, string>>
  /** List values by name. */
  rows: Readonly<Record<string, readonly (readonly string[])[]>>
  /** The resource being edited, or undefined for a new one. */
  before?: { id: number; name: string } | undefined
  /** Errors by field, or `form`. */
  errors?: Readonly<Record<string, string>>
  /** The list and row to focus. */
  focus?: { name: string; index: number } | undefined
  /** A remark about a row of a list. */
  noteOfRow?: ((row: readonly string[]) => string | undefined) | undefined
  /** A sentence about the preview. Without it, there is no preview. */
  previewNote?: string | undefined
}

/** Renders the form that creates or edits a resource. */
export function renderResourceFormPage(frame: Frame, form: ResourceForm): string {
  const { words, fields, before, errors = {}, previewNote } = form
  const { section } = words
  const title = before ? messages.editNamed(before.name) : words.new
  const hasImages = fields.some(({ type }) => type === 'image')
  const hasRows = fields.some(({ type }) => type === 'rows')
  return renderConsolePage(frame, {
    title,
    section,
    files: [...(hasRows ? rowsFiles : []), ...(previewNote === undefined ? [] : previewFiles)],
    body: html`<p class="eyebrow"><a href="${section}">${words.many}</a></p>
<h1><bdi>${title}</bdi></h1>
<div class="${previewNote === undefined ? '' : 'beside'}">
<section class="panel" aria-label="${title}">
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="${before ? `${section}/${before.id}` : section}" id="form" data-form${hasImages ? html` enctype="multipart/form-data"` : null}>
${csrfField(frame.csrf)}
${hasRows ? renderDefaultButton() : null}
${renderFields(form)}
<div class="actions"><button class="button">${messages.save}</button> <a class="button quiet" href="${section}">${messages.cancel}</a></div>
</form>
</section>
${
  previewNote === undefined
    ? null
    : renderPreviewPanel({
        form: 'form',
        action: before ? `${section}/${before.id}/preview` : `${section}/preview`,
        initialPath: before ? `${section}/${before.id}/preview` : `${section}/preview`,
        note: previewNote,
      })
}
</div>`,
  })
}

/** Pressing Enter activates the first button of a form, which must not be one that moves rows. */
const renderDefaultButton = () =>
  html`<button class="hidden-text" tabindex="-1" aria-hidden="true">${messages.save}</button>`

function renderFields({
  fields,
  values,
  rows,
  before,
  errors = {},
  focus,
  noteOfRow,
}: ResourceForm): SafeHtml[] {
  const isWrong = Object.keys(errors).some((field) => field !== 'form')
  return fields.map((field, index) => {
    if (field.type === 'rows') {
      return renderRowsField(field, {
        rows: rows[field.name] ?? [],
        errors,
        focus: focus?.name === field.name ? focus.index : undefined,
        noteOf: noteOfRow,
      })
    }
    return renderFormField(field, {
      value: values[field.name] ?? '',
      error: errors[field.name],
      autofocus: isWrong
        ? errors[field.name] !== undefined
        : !before && index === 0 && focus === undefined,
    })
  })
}

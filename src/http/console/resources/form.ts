import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { renderPreviewPanel } from '../kit/preview.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { type FormField, renderFormField } from './form-field.ts'
import { renderRowsField } from './rows-field.ts'
import type { Words } from './words.ts'

export type ResourceForm = {
  words: Words
  fields: readonly FormField[]
  /** Values of single fields by name. */
  values: Readonly<Record<string, string>>
  /** Rows of lists by the name of their field. */
  rows: Readonly<Record<string, readonly (readonly string[])[]>>
  /** The resource being edited, or undefined for a new one. */
  before?: { id: number; name: string } | undefined
  /** Errors by the name of the field or the id of an input in a list. `form` is for all others. */
  errors?: Readonly<Record<string, string>>
  /** The list and row to focus. */
  focus?: { name: string; index: number } | undefined
  /** Returns a note to show beside a row of a list. */
  noteOfRow?: ((row: readonly string[]) => string | undefined) | undefined
  /** A sentence about the preview. Without it, there is no preview. */
  previewNote?: string | undefined
}

/** Renders the page of the form that creates or edits a resource. */
export function renderResourceFormPage(frame: Frame, form: ResourceForm): string {
  const { words, fields, before, errors = {}, previewNote } = form
  const { section } = words
  const path = before ? `${section}/${before.id}` : section
  const title = before ? t('resource.editNamed', { name: before.name }) : words.new
  const hasImages = fields.some(({ type }) => type === 'image')
  const hasRows = fields.some(({ type }) => type === 'rows')
  return renderConsolePage(frame, {
    title,
    section,
    body: html`<p class="eyebrow"><a href="${section}">${words.many}</a></p>
<h1><bdi>${title}</bdi></h1>
<div class="${previewNote === undefined ? '' : 'beside'}">
<section class="panel" aria-label="${title}">
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="${path}" id="form" data-form${hasImages ? html` enctype="multipart/form-data"` : null}>
${csrfField(frame.csrf)}
${hasRows ? renderDefaultButton() : null}
${renderFields(form)}
<div class="actions"><button class="button">${t('resource.save')}</button> <a class="button quiet" href="${section}">${t('resource.cancel')}</a></div>
</form>
</section>
${
  previewNote === undefined
    ? null
    : renderPreviewPanel({
        form: 'form',
        action: `${path}/preview`,
        initialPath: `${path}/preview`,
        note: previewNote,
      })
}
</div>`,
  })
}

/**
 * Renders an invisible first button that saves, because pressing Enter activates the first button of
 * a form, and that would otherwise be one that moves a row.
 */
function renderDefaultButton(): SafeHtml {
  return html`<button class="hidden-text" tabindex="-1" aria-hidden="true">${t('resource.save')}</button>`
}

/** Focuses the invalid field or row, otherwise the first field of the form for a new resource. */
function renderFields({
  fields,
  values,
  rows,
  before,
  errors = {},
  focus,
  noteOfRow,
}: ResourceForm): SafeHtml[] {
  const hasFieldError = Object.keys(errors).some((field) => field !== 'form')
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
      autofocus: hasFieldError
        ? errors[field.name] !== undefined
        : !before && index === 0 && focus === undefined,
    })
  })
}

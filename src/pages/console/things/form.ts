import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../field.ts'
import { consolePage, type Frame } from '../frame.ts'
import { type FormField, formField } from './form-field.ts'
import type { Words } from './words.ts'

export type ThingForm = {
  words: Words
  fields: readonly FormField[]
  /** What stands in the fields, by their names. */
  values: Readonly<Record<string, string>>
  /** The thing that is changed; none for a new one. */
  before?: { id: number; name: string } | undefined
  /** What is wrong: with a field, or with `form` as a whole. */
  errors?: Readonly<Record<string, string>>
  /** What stands beside the form, such as what visitors will see. */
  aside?: SafeHtml | undefined
  /** The styles and scripts that the page needs beside those of all pages, by their names. */
  files?: readonly string[]
}

/** The form that makes or changes a thing. */
export function thingFormPage(frame: Frame, form: ThingForm): string {
  const { words, fields, values, before, errors = {}, aside, files = [] } = form
  const { place, name } = words
  const wrong = fields.find((field) => errors[field.name])?.name
  const title = before ? `Edit ${before.name}` : `New ${name}`
  return consolePage(frame, {
    title,
    place,
    files,
    body: html`<p class="eyebrow"><a href="${place}">${words.many}</a></p>
<h1><bdi>${title}</bdi></h1>
<div class="${aside ? 'beside' : ''}">
<section class="panel" aria-label="${title}">
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="${before ? `${place}/${before.id}` : place}" data-form>
${csrfField(frame.csrf)}
${fields.map((field, index) =>
  formField(field, {
    value: values[field.name] ?? '',
    error: errors[field.name],
    autofocus: wrong === undefined ? !before && index === 0 : field.name === wrong,
  }),
)}
<div class="actions"><button class="button">Save</button> <a class="button quiet" href="${place}">Cancel</a></div>
</form>
</section>
${aside ?? null}
</div>`,
  })
}

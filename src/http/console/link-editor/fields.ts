import { html, type SafeHtml } from '@remix-run/html-template'
import { findText, t } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import {
  renderControl,
  renderField,
  renderGroup,
  renderNoteAttributes,
  renderNotes,
} from '../kit/fields.ts'
import type { LinkChoices } from './choices.ts'
import { type FormRow, LINK_FIELDS, type LinkField, type LinkForm, listInputNames } from './form.ts'

/** The form with everything that its page shows. */
export type Editor = {
  form: LinkForm
  choices: LinkChoices
  /** The destination with its parameters. */
  finalUrl: string
  /** The link being edited, or undefined for a new one. */
  link: { id: number; alias: string; shortUrl: string; hasPassword: boolean } | undefined
  /** The user's time zone, for new time conditions. */
  timeZone: string
  /** The errors by the id of their field or list, or `form`. */
  errors?: Readonly<Record<string, string>> | undefined
  /** The pressed button: the name of a list that gets more empty rows, or another action. */
  more?: string | undefined
  /** The id of the element to focus after a button. */
  focus?: string | undefined
  /** The ids of the wrong fields that have been rendered, in the order of the page. */
  wrong?: Set<string>
  /** The result of fetching the title of the destination. */
  fetched?: string | undefined
  /** The result of a change of UTM templates. */
  template?: string | undefined
}

/** The number of empty rows at the end of a list. */
const EMPTY_ROWS = 1
const EXTRA_ROWS = 4

/** Returns the error of a field or list, and whether to focus it. */
export function notesOf(editor: Editor, id: string) {
  const error = editor.errors?.[id]
  // The fields are rendered in the order of the page, so the first wrong one is focused.
  if (error !== undefined) {
    editor.focus ??= id
    editor.wrong = (editor.wrong ?? new Set()).add(id)
  }
  return { error, autofocus: editor.focus === id }
}

/** Returns the name, value, error and focus of an input, for the kit. */
export function stateOf(editor: Editor, name: string) {
  return { name, value: editor.form.texts[name] ?? '', ...notesOf(editor, name) }
}

type TextInput = {
  label: string
  hint?: string | undefined
  type?: 'text' | 'multiline' | 'date' | 'time'
  /** Additional attributes, each preceded by a space. */
  attributes?: SafeHtml
  autofocus?: boolean
}

/** Renders the input of a text with its label, what was entered, and its error. */
export function renderText(
  editor: Editor,
  name: string,
  { type = 'text', attributes, autofocus, ...texts }: TextInput,
): SafeHtml {
  const state = stateOf(editor, name)
  return renderField({
    ...texts,
    ...state,
    type,
    autofocus: state.autofocus || autofocus === true,
    attributes: html` autocomplete="off"${attributes ?? null}`,
  })
}

/** Returns the label of a field, and its hint if it has one. */
export function textsOf(field: string, part = '') {
  const group = `linkFields.${field}${part}`
  return { label: findText(group, 'label') ?? '', hint: findText(group, 'hint') }
}

/** Renders a list with a row of two inputs per entry and empty rows. */
export function renderRows(editor: Editor, { field, name: list }: LinkField): SafeHtml {
  const { label, hint } = textsOf(field)
  const notes = notesOf(editor, list)
  const entries = editor.form.rows[list] ?? []
  const isRequested = editor.more === list
  const emptyRow = { name: '', value: '' }
  const spare = Array.from({ length: isRequested ? EXTRA_ROWS : EMPTY_ROWS }, () => emptyRow)
  if (isRequested) editor.focus = `${list}-${entries.length}-name`
  const rows = [...entries, ...spare].map((row, index) =>
    renderRow(editor, { field, list, index }, row),
  )
  return renderGroup({
    id: list,
    legend: label,
    hint,
    ...notes,
    content: html`<div class="pairs" data-rows${withScript('reorder', 'rows')}>${rows}</div>
<p><button class="button quiet small" name="more" value="${list}" formnovalidate data-more>${findText(`linkFields.${field}.row`, 'add')}<span class="hidden-text">: ${label}</span></button></p>`,
  })
}

function renderRow(
  editor: Editor,
  { field, list, index }: { field: string; list: string; index: number },
  row: FormRow,
): SafeHtml {
  const parts = (['name', 'value'] as const).map((part) => {
    const id = `${list}-${index}-${part}`
    const notes = notesOf(editor, id)
    const label = findText(`linkFields.${field}.row.labels`, part)
    const example = findText(`linkFields.${field}.row.examples`, part)
    const attributes = html` placeholder="${example}" spellcheck="false" aria-label="${label} ${index + 1}" autocomplete="off"${renderNoteAttributes(id, notes)}`
    const name = `${list}-${part}`
    const input = renderControl({ id, name, type: 'text', value: row[part], attributes })
    return { input, notes: renderNotes(id, notes) }
  })
  return html`<div class="pair">
${parts.map(({ input }) => input)}
${parts.map(({ notes }) => notes)}
</div>`
}

/** Renders a summary with the errors and links to their fields. The fields have been rendered. */
export function renderSummary({ errors, wrong = new Set() }: Editor): SafeHtml | null {
  if (!errors) return null
  const lines = [...wrong].map(
    (id) => html`<a href="#${id}">${findLabel(id)}</a>: ${errors[id] ?? null}`,
  )
  if (lines.length > 0) lines.unshift(html`${t('linkForm.check', { n: lines.length })}`)
  if (errors.form) lines.push(html`${errors.form}`)
  return html`<p class="notice" role="alert" id="summary">${lines.map((line, index) => html`${index > 0 ? html`<br>` : null}${line}`)}</p>`
}

/** Returns the label of an input by its id, with the number of its rule or row. */
function findLabel(id: string): string {
  const [name = '', index] = id.split('-')
  if (name === 'rule') return `${t('rules.rule')} ${Number(index) + 1}`
  if (id === 'metaImageFile') return t('linkForm.card.upload')
  const own = findText('utm.fields', `${id}.label`) ?? findText('fieldLabels', id)
  if (own) return own
  const field = LINK_FIELDS.find((each) =>
    [each.field, each.name, ...listInputNames(each)].includes(name),
  )
  const { label } = textsOf(field?.field ?? name)
  return index === undefined ? label : t('linkForm.row', { label, row: Number(index) + 1 })
}

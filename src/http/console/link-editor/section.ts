import { html, type SafeHtml } from '@remix-run/html-template'
import type { FormField } from '../../../links/field.ts'
import { COLUMN_DEFAULTS, FIELDS } from '../../../links/fields.ts'
import { fieldText } from './field-messages.ts'
import { type FilledForm, type LinkForm, typedText } from './form.ts'
import { FORM_FIELDS, type FormInputs, formatField, inputNames } from './form-fields.ts'
import { checkboxField, formField, selectField } from './inputs.ts'
import { editorMessages } from './messages.ts'
import { optionTag, rowsField } from './rows.ts'
import { rulesPanel } from './rules/panel.ts'
import { parametersPanel } from './utm/panel.ts'

export type Section = FormField['section']

const fieldsOf = (section: Section) => FORM_FIELDS.filter((field) => field.section === section)

/**
 * Renders the inputs of a section's fields, except those of kind `choice`, which are placed
 * separately.
 */
export function sectionFields(filled: FilledForm, section: Section): SafeHtml[] {
  return fieldsOf(section).map((field) => RENDERERS[field.input](filled, field))
}

/** Returns the name prefixes of a section's inputs. */
export function sectionNames(section: Section): string[] {
  const names = fieldsOf(section).map(({ name }) => name)
  return section === 'parameters' ? [...names, 'utm'] : names
}

/** Returns whether any field of a section differs from its default. */
export function isSectionUsed(form: LinkForm, section: Section): boolean {
  return fieldsOf(section).some((field) => {
    const { texts } = formatField(field, FIELDS[field.field].readStored(COLUMN_DEFAULTS))
    const isTyped = (name: string) => !['', texts[name]].includes(typedText(form, name))
    if (field.input === 'rules') return form.rules.length > 0
    return inputNames(field).some(isTyped) || (form.rows[field.name] ?? []).length > 0
  })
}

function flagChoices() {
  return Object.entries(editorMessages.domainFlag).map(([value, label]) => ({
    value: value === 'default' ? '' : value,
    label,
  }))
}

type Draw = (filled: FilledForm, field: FormInputs) => SafeHtml

const drawText: Draw = (filled, { name, field }) => formField(filled, name, labelled(field))

const RENDERERS: Record<FormField['input'], Draw> = {
  text: drawText,
  url: drawText,
  multiline: (filled, { name, field }) =>
    formField(filled, name, { ...labelled(field), type: 'multiline' }),
  number: (filled, { name, field }) =>
    formField(filled, name, { ...labelled(field), attributes: html` inputmode="numeric"` }),
  checkbox: (filled, { name, field }) => checkboxField(filled, name, labelled(field)),
  domainFlag: (filled, { name, field }) =>
    selectField(filled, name, {
      ...labelled(field),
      options: html`${flagChoices().map((option) => optionTag(option, typedText(filled.form, name)))}`,
    }),
  moment: (filled, { name, field }) => {
    const { time = { label: '', hint: '' } } = fieldText(field)
    return html`${formField(filled, `${name}Day`, { ...labelled(field), type: 'date' })}
${formField(filled, `${name}Time`, { ...time, type: 'time', attributes: html` step="1"` })}`
  },
  rows: (filled, { name, field }) =>
    field === 'parameters' ? parametersPanel(filled) : rowsField(filled, name, fieldText(field)),
  rules: rulesPanel,
  choice: () => html``,
}

function labelled(field: string): { label: string; hint?: string } {
  const { label, hint } = fieldText(field)
  return { label, ...(hint !== undefined && { hint }) }
}

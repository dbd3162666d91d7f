import { html, type SafeHtml } from '@remix-run/html-template'
import type { FormField } from '../../../links/field.ts'
import { COLUMN_DEFAULTS, FIELDS } from '../../../links/fields.ts'
import { tAll } from '../../../texts.ts'
import { getFieldText } from './field-texts.ts'
import { type FilledForm, getInputText, type LinkForm } from './form.ts'
import { FORM_FIELDS, type FormInputs, formatField, listInputNames } from './form-fields.ts'
import { renderCheckboxField, renderFormField, renderSelectField } from './inputs.ts'
import { renderOptionTag, renderRowsField } from './rows.ts'
import { renderRulesPanel } from './rules/panel.ts'
import { renderParametersPanel } from './utm/panel.ts'

export type Section = FormField['section']

const listSectionFields = (section: Section) =>
  FORM_FIELDS.filter((field) => field.section === section)

/**
 * Renders the inputs of a section's fields, except those of kind `choice`, which are placed
 * separately.
 */
export function renderSectionFields(filled: FilledForm, section: Section): SafeHtml[] {
  return listSectionFields(section).map((field) => RENDERERS[field.input](filled, field))
}

/** Returns the name prefixes of a section's inputs. */
export function listInputPrefixes(section: Section): string[] {
  const names = listSectionFields(section).map(({ name }) => name)
  return section === 'parameters' ? [...names, 'utm'] : names
}

/** Returns whether any field of a section differs from its default. */
export function isSectionUsed(form: LinkForm, section: Section): boolean {
  return listSectionFields(section).some((field) => {
    const { texts } = formatField(field, FIELDS[field.field].readStored(COLUMN_DEFAULTS))
    const isTyped = (name: string) => !['', texts[name]].includes(getInputText(form, name))
    if (field.input === 'rules') return form.rules.length > 0
    return listInputNames(field).some(isTyped) || (form.rows[field.name] ?? []).length > 0
  })
}

function createFlagChoices() {
  return Object.entries(tAll('linkForm.domainFlag')).map(([value, label]) => ({
    value: value === 'default' ? '' : value,
    label,
  }))
}

type Draw = (filled: FilledForm, field: FormInputs) => SafeHtml

const renderTextField: Draw = (filled, { name, field }) =>
  renderFormField(filled, name, getLabelAndHint(field))

const RENDERERS: Record<FormField['input'], Draw> = {
  text: renderTextField,
  url: renderTextField,
  multiline: (filled, { name, field }) =>
    renderFormField(filled, name, { ...getLabelAndHint(field), type: 'multiline' }),
  number: (filled, { name, field }) =>
    renderFormField(filled, name, {
      ...getLabelAndHint(field),
      attributes: html` inputmode="numeric"`,
    }),
  checkbox: (filled, { name, field }) => renderCheckboxField(filled, name, getLabelAndHint(field)),
  domainFlag: (filled, { name, field }) =>
    renderSelectField(filled, name, {
      ...getLabelAndHint(field),
      options: html`${createFlagChoices().map((option) => renderOptionTag(option, getInputText(filled.form, name)))}`,
    }),
  moment: (filled, { name, field }) => {
    const { time = { label: '', hint: '' } } = getFieldText(field)
    return html`${renderFormField(filled, `${name}Day`, { ...getLabelAndHint(field), type: 'date' })}
${renderFormField(filled, `${name}Time`, { ...time, type: 'time', attributes: html` step="1"` })}`
  },
  rows: (filled, { name, field }) =>
    field === 'parameters'
      ? renderParametersPanel(filled)
      : renderRowsField(filled, name, getFieldText(field)),
  rules: renderRulesPanel,
  choice: () => html``,
}

function getLabelAndHint(field: string): { label: string; hint?: string } {
  const { label, hint } = getFieldText(field)
  return { label, ...(hint !== undefined && { hint }) }
}

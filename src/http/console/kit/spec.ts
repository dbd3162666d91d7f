import { html, type SafeHtml } from '@remix-run/html-template'
import { field } from '../../../pages/field.ts'
import { type TextKey, t } from '../../../texts.ts'
import type { FormFrame } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'
import { renderConfirmationField } from './confirmation.ts'
import {
  type Choice,
  type ChoiceGroup,
  renderCheckbox,
  renderChoices,
  renderField,
  renderHidden,
} from './fields.ts'
import { type RowFocus, type RowList, type RowsSpec, readRows, renderRows } from './rows.ts'

/** A text of the catalogs, or one that depends on more than the language. */
type Text = TextKey | (() => string)

type Common = {
  label: Text
  hint?: Text
}

/** The definition of a field: what it asks for, and its limits. */
export type Spec =
  | (Common &
      (
        | TextSpec
        /**
         * A selection. Its choices are here, or in what the form is rendered with. Without any, it
         * is omitted.
         */
        | { type: 'select' | 'radio'; choices?: () => readonly Choice[] }
        /** Checkboxes, each with a name of its own. The value is the list of selected names. */
        | { type: 'checks'; choices: () => readonly Choice[] }
        /** A checkbox. Its value is `on` or empty. */
        | { type: 'check' }
        | { type: 'color' }
        /** The password of users who have one, which confirms a change. */
        | { type: 'confirmation'; optional?: boolean }
        /** An upload, which is in the request's body. The value is the URL of the stored image. */
        | { type: 'file'; accept: string; image?: () => { alt: string; remove: string } }
        | RowsSpec
      ))
  | { type: 'hidden' }

type TextSpec = {
  type?: 'text' | 'email' | 'password' | 'date' | 'time' | 'multiline'
  maxLength?: number
  minLength?: number
  optional?: boolean
  autocomplete?: Parameters<typeof field>[0]['autocomplete']
  /** Additional attributes, each preceded by a space. */
  attributes?: SafeHtml
}

/** The value of a field: a text, the selected checkboxes, the rows of a list, or an image's URL. */
export type SpecValue<S extends Spec> = S extends { type: 'checks' }
  ? readonly string[]
  : S extends { type: 'rows' }
    ? RowList
    : S extends { type: 'file' }
      ? string | undefined
      : string

export type FieldState = {
  value: unknown
  /** The errors of the form by field, or by the id of an input in a list. */
  errors: Readonly<Record<string, string | undefined>>
  autofocus: boolean
  /** The row of a list to focus. */
  focus: RowFocus | undefined
  /** Returns a note to show beside a row of a list. */
  noteOfRow: ((row: readonly string[]) => string | undefined) | undefined
  choices: readonly (Choice | ChoiceGroup)[] | undefined
}

/** Returns the value of a field in a submitted form. */
export function readValue(
  body: unknown,
  name: string,
  spec: Spec,
): string | readonly string[] | RowList {
  if (spec.type === 'rows') return readRows(body, name, spec)
  if (spec.type !== 'checks') return readFields(body, [name])[name] ?? ''
  const choices = spec.choices().map(({ value }) => value)
  const fields = readFields(body, choices)
  return choices.filter((choice) => fields[choice] !== '')
}

/** Renders a field with its value and error. */
export function renderSpec(
  frame: FormFrame,
  name: string,
  spec: Spec,
  state: FieldState,
): SafeHtml | null {
  const value = typeof state.value === 'string' ? state.value : ''
  if (spec.type === 'hidden') return value === '' ? null : html`${renderHidden({ [name]: value })}`
  const { errors, autofocus } = state
  const label = getText(spec.label)
  const texts = { label, hint: spec.hint && getText(spec.hint), error: errors[name] }
  switch (spec.type) {
    case 'check':
      return renderCheckbox({ name, isChecked: value !== '', autofocus, ...texts })
    case 'select': {
      const choices = state.choices ?? spec.choices?.() ?? []
      if (choices.length === 0) return null
      return renderField({ name, type: 'select', value, choices, autofocus, ...texts })
    }
    case 'radio':
    case 'checks': {
      const selected: unknown[] = [state.value ?? []].flat()
      const all = state.choices ?? spec.choices?.() ?? []
      const ungrouped = all.flatMap((each) => ('choices' in each ? each.choices : [each]))
      const choices = ungrouped.map((choice) => ({
        ...choice,
        isChecked: selected.includes(choice.value),
        ...(spec.type === 'checks' && { name: choice.value, value: 'on' }),
      }))
      const type = spec.type === 'radio' ? 'radio' : 'checkbox'
      return renderChoices({ id: name, type, choices, legend: label, autofocus, ...texts })
    }
    case 'color':
      return renderField({ name, type: 'color', value, autofocus, ...texts })
    case 'file':
      return renderField({
        name,
        type: 'file',
        accept: spec.accept,
        autofocus,
        ...texts,
        image: spec.image && value ? { src: value, ...spec.image() } : undefined,
      })
    case 'rows':
      return renderRows(spec, { name, ...texts, ...state, rows: state.value as RowList })
    case 'confirmation':
      return renderConfirmationField(frame, {
        name,
        optional: spec.optional ?? false,
        autofocus,
        ...texts,
      })
    default: {
      const { label: _label, hint: _hint, autocomplete = 'off', ...limits } = spec
      // A password is never sent back.
      const shown = spec.type === 'password' ? '' : value
      return field({ name, autocomplete, ...limits, value: shown, autofocus, ...texts })
    }
  }
}

/** Returns a text of a field in the language of the page. */
export function getText(text: Text): string {
  return typeof text === 'function' ? text() : t(text)
}

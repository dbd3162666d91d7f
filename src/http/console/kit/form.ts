import { html, type SafeHtml } from '@remix-run/html-template'
import type { AppError, ErrorCode } from '../../../errors.ts'
import { csrfField } from '../../../pages/field.ts'
import { type TextKey, t } from '../../../texts.ts'
import { describeFormErrors } from '../shell/describe-error.ts'
import type { FormFrame } from '../shell/layout.ts'
import type { Choice } from './fields.ts'
import { arrangeRows, type RowFocus, type RowList } from './rows.ts'
import {
  type FieldState,
  getText,
  readValue,
  renderSpec,
  type Spec,
  type SpecValue,
} from './spec.ts'

export type Specs = Readonly<Record<string, Spec>>

/** The values of a form by field. */
export type FormValues<S extends Specs> = { [Name in keyof S]: SpecValue<S[Name]> }

/** The stored properties of what a form edits, by field. */
export type Stored<S extends Specs> = {
  [Name in keyof S]?: SpecValue<S[Name]> | string | number | boolean | null
}

/** The errors of a form by field. `form` is for all others. */
export type FormErrors<S extends Specs> = Partial<Record<keyof S | 'form', string>>

/** What a form shows: values and errors. */
export type FormState<S extends Specs> = {
  values?: Partial<FormValues<S>>
  errors?: FormErrors<S>
  /** The row of a list to focus, after a change of the list. */
  focus?: RowFocus
}

/** What a page with several forms shows, whose fields all have different names. */
export type PageState = FormState<Record<string, { label: TextKey }>>

type Options<S extends Specs> = {
  /** The fields of this form by the names that errors give them, where these differ. */
  fields?: Readonly<Record<string, keyof S & string>>
  /** The fields that errors are about which name none. */
  codes?: Partial<Record<ErrorCode, keyof S & string>>
}

type ChoicesOf<S extends Specs> = Partial<Record<keyof S, readonly Choice[]>>

type Rendering<S extends Specs> = {
  /** The path that the form posts to. The page's own one by default, which may contain a secret. */
  action?: string
  /** The text of the button that submits the form. */
  button: string
  /** The button's class. */
  buttonClass?: string
  /** Controls beside the button, such as a link that cancels. */
  more?: SafeHtml
  /** What precedes the fields. */
  before?: SafeHtml | null
  /** Whether the button is as wide as the form, as on pages without a session. */
  isWide?: boolean
  /** Whether to focus the first field if no field is invalid. */
  autofocus?: boolean
  /** The choices of selections that depend on the account. */
  choices?: ChoicesOf<S>
  /** The form's id, for controls outside of it. */
  id?: string
  noteOfRow?: FieldState['noteOfRow']
}

/** A form: what it reads is what it renders. */
export type Form<S extends Specs> = {
  /** Returns the values of a submitted form, without files. Missing and repeated fields are empty. */
  read: (body: unknown) => FormValues<S>
  /** Returns stored properties as values: null is empty, and a checkbox that is true is `on`. */
  fill: (stored: Stored<S>) => FormValues<S>
  /** Returns what the form shows after a button of a list was pressed. Undefined for other buttons. */
  arrange: (body: unknown, values: FormValues<S>) => FormState<S> | undefined
  /** Returns the texts of an error and of its others at their fields, or at `form`. */
  describe: (error: AppError) => FormErrors<S>
  /** Returns the label of the field at the path of an error, or of its row in a list. */
  findLabel: (path: string) => string | undefined
  /** Renders the form, or nothing if the user's role does not allow to submit it. */
  render: (frame: FormFrame, state: FormState<S>, rendering: Rendering<S>) => SafeHtml | null
  /** Renders one field, for forms that arrange their fields. */
  renderField: (
    frame: FormFrame,
    name: keyof S & string,
    state: FormState<S>,
    options?: Partial<Pick<FieldState, 'choices' | 'autofocus' | 'noteOfRow'>>,
  ) => SafeHtml | null
  /** Renders the error that belongs to no field. */
  renderError: (state: FormState<S>) => SafeHtml | null
}

/** Defines a form by its fields. */
export function defineForm<const S extends Specs>(
  specs: S,
  { fields = {}, codes = {} }: Options<S> = {},
): Form<S> {
  const names = Object.keys(specs) as (keyof S & string)[]

  const form: Form<S> = {
    read: (body) => {
      const entries = names
        .filter((name) => specs[name]?.type !== 'file')
        .map((name) => [name, readValue(body, name, specs[name] as Spec)])
      return Object.fromEntries(entries) as FormValues<S>
    },
    fill: (stored) => {
      const entries = names.map((name) => [name, toValue(stored[name])])
      return Object.fromEntries(entries) as FormValues<S>
    },
    arrange: (body, values) => {
      for (const name of names) {
        if (specs[name]?.type !== 'rows') continue
        const change = arrangeRows(body, name, values[name] as RowList)
        if (!change) continue
        const { rows, focus } = change
        return { values: { ...values, [name]: rows }, focus: { name, index: focus } }
      }
      return undefined
    },
    describe: (error) => describeFormErrors(error, findId) as FormErrors<S>,
    findLabel: (path) => {
      const [name = '', index] = splitPath(path)
      const spec = specs[name]
      if (spec?.type === 'rows' && index)
        return t(`${spec.texts}.row`, { ordinal: Number(index) + 1 })
      return spec && 'label' in spec ? getText(spec.label) : undefined
    },
    render: (frame, state, { action, button, buttonClass = 'button', more, ...rendering }) => {
      if (action !== undefined && !frame.may('POST', action)) return null
      const { id, before, isWide, choices, autofocus, noteOfRow } = rendering
      const hasType = (type: Spec['type']) => names.some((name) => specs[name]?.type === type)
      const focused = findWrong(state) ?? (autofocus && !state.focus ? names[0] : undefined)
      return html`<form method="post"${action === undefined ? null : html` action="${action}"`}${id ? html` id="${id}"` : null}${hasType('file') ? html` enctype="multipart/form-data"` : null}>
${csrfField(frame.csrf)}${before ? html`\n${before}` : null}
${hasType('rows') ? renderDefaultButton(button) : null}
${names.map((name) => form.renderField(frame, name, state, { choices: choices?.[name], autofocus: name === focused, noteOfRow }))}
${isWide ? html`<button class="button full">${button}</button>` : html`<p class="actions"><button class="${buttonClass}">${button}</button>${more ? html` ${more}` : null}</p>`}
</form>`
    },
    renderField: (frame, name, { values, focus, ...state }, options = {}) => {
      const errors: FieldState['errors'] = state.errors ?? {}
      const { choices, autofocus = name === findWrong(state), noteOfRow } = options
      return renderSpec(frame, name, specs[name] as Spec, {
        value: values?.[name],
        errors,
        focus,
        choices,
        autofocus,
        noteOfRow,
      })
    },
    renderError: ({ errors }) =>
      errors?.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null,
  }
  return form

  /** Returns the first field that is wrong, or that has a wrong row. */
  function findWrong({ errors = {} }: FormState<S>): (keyof S & string) | undefined {
    const ids = Object.keys(errors)
    return names.find((name) =>
      ids.some((id) => id === name || (specs[name]?.type === 'rows' && id.startsWith(`${name}-`))),
    )
  }

  /** Returns the id of the input that an error is about, such as `links-0-url` in a list. */
  function findId({ code, field }: AppError): string {
    const path = field === undefined ? codes[code] : (fields[field] ?? field)
    const [name = '', index, column] = splitPath(path ?? '')
    const spec = specs[name]
    if (!spec) return 'form'
    return spec.type === 'rows' && column ? `${name}-${index}-${column}` : name
  }
}

function toValue(stored: unknown): unknown {
  if (typeof stored === 'boolean') return stored ? 'on' : ''
  return Array.isArray(stored) ? stored : String(stored ?? '')
}

/** Returns the parts of the path of an error, such as `links`, `0` and `url` of `links[0].url`. */
function splitPath(path: string): string[] {
  return path.split(/[.[\]]+/)
}

/**
 * Renders an invisible first button that submits, because pressing Enter activates the first button of
 * a form, and that would otherwise be one that moves a row.
 */
export function renderDefaultButton(text: string): SafeHtml {
  return html`<button class="hidden-text" tabindex="-1" aria-hidden="true">${text}</button>`
}

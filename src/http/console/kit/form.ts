import { html, type SafeHtml } from '@remix-run/html-template'
import { AppError, type ErrorCode } from '../../../errors.ts'
import { csrfField, field } from '../../../pages/field.ts'
import { type TextKey, t } from '../../../texts.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import type { Frame } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'
import { renderConfirmationField } from './confirmation.ts'
import { type Choice, renderCheckbox, renderChoices, renderField, renderHidden } from './fields.ts'

/** A text of the catalogs, or one that depends on more than the language. */
type Text = TextKey | (() => string)

type Common = {
  label: Text
  hint?: Text
  /** Throws an AppError if the value is invalid. Errors of all fields are shown at once. */
  check?: (value: string) => unknown
}

/** The definition of a field: what it asks for, and its limits. */
export type Spec =
  | (Common &
      (
        | TextSpec
        /** A selection. Its choices are here, or in what the form is rendered with. */
        | { type: 'select' | 'radio'; choices?: () => readonly Choice[] }
        /** Checkboxes, each with a name of its own. The value is the list of selected names. */
        | { type: 'checks'; choices: () => readonly Choice[] }
        /** A checkbox. Its value is `on` or empty. */
        | { type: 'check' }
        | { type: 'color' }
        /** The password of users who have one, which confirms a change. */
        | { type: 'confirmation'; optional?: boolean }
        /** An upload, which only forms with `isMultipart` send. Read it from the request's body. */
        | { type: 'file'; accept: string }
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

export type Specs = Readonly<Record<string, Spec>>

/** The values of a form by field. */
export type FormValues<S extends Specs> = {
  [Name in keyof S]: S[Name] extends { type: 'checks' } ? readonly string[] : string
}

/** The errors of a form by field. `form` is for all others. */
export type FormErrors<S extends Specs> = Partial<Record<keyof S | 'form', string>>

/** What a form shows: values and errors. */
export type FormState<S extends Specs> = {
  values?: Partial<FormValues<S>>
  errors?: FormErrors<S>
}

type Options<S extends Specs> = {
  /** The fields of this form by the names that errors give them, where these differ. */
  fields?: Readonly<Record<string, keyof S & string>>
  /** The fields that errors are about which name none. */
  codes?: Partial<Record<ErrorCode, keyof S & string>>
}

type ChoicesOf<S extends Specs> = Partial<Record<keyof S, readonly Choice[]>>

type Rendering<S extends Specs> = {
  action: string
  /** The text of the button that submits the form. */
  button: string
  /** The button's class. */
  buttonClass?: string
  /** Controls beside the button, such as a link that cancels. */
  more?: SafeHtml
  /** Whether to focus the first field if no field is invalid. */
  autofocus?: boolean
  /** The choices of selections that depend on the account. */
  choices?: ChoicesOf<S>
  /** Whether the form sends files. */
  isMultipart?: boolean
}

/** A form: what it reads is what it renders. */
export type Form<S extends Specs> = {
  /** Returns the values of a submitted form. Missing and repeated fields are empty. */
  read: (body: unknown) => FormValues<S>
  /** Returns the errors that the fields' own checks find. */
  check: (values: FormValues<S>) => FormErrors<S>
  /** Returns the text of an error at its field, or at `form`. */
  describe: (error: AppError) => FormErrors<S>
  /** Renders the form, or nothing if the user's role does not allow to submit it. */
  render: (frame: Frame, state: FormState<S>, rendering: Rendering<S>) => SafeHtml | null
  /** Renders one field, for forms that arrange their fields. */
  renderField: (
    frame: Frame,
    name: keyof S & string,
    state: FormState<S>,
    options?: { choices?: readonly Choice[] | undefined; autofocus?: boolean },
  ) => SafeHtml
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
      const entries = names.map((name) => [name, readValue(body, name, specs[name] as Spec)])
      return Object.fromEntries(entries) as FormValues<S>
    },
    check: (values) => Object.assign({}, ...names.map((name) => checkValue(name, values[name]))),
    describe: (error) => {
      const named = error.field === undefined ? codes[error.code] : fields[error.field]
      const name = named ?? names.find((each) => each === error.field) ?? 'form'
      return { [name]: describeFormError(name, error) } as FormErrors<S>
    },
    render: (frame, state, { action, button, buttonClass = 'button', more, ...rendering }) => {
      if (!frame.may('POST', action)) return null
      const { choices, autofocus, isMultipart } = rendering
      const focused =
        names.find((name) => state.errors?.[name]) ??
        (autofocus && !state.errors ? names[0] : undefined)
      return html`<form method="post" action="${action}"${isMultipart ? html` enctype="multipart/form-data"` : null}>
${csrfField(frame.csrf)}
${names.map((name) => form.renderField(frame, name, state, { choices: choices?.[name], autofocus: name === focused }))}
<p class="actions"><button class="${buttonClass}">${button}</button>${more ? html` ${more}` : null}</p>
</form>`
    },
    renderField: (frame, name, { values, errors }, { choices, autofocus } = {}) => {
      const error = errors?.[name]
      return renderSpec(frame, name, specs[name] as Spec, {
        value: values?.[name],
        error,
        choices,
        autofocus: autofocus ?? Boolean(error),
      })
    },
    renderError: ({ errors }) =>
      errors?.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null,
  }
  return form

  function checkValue(name: keyof S & string, value: unknown): FormErrors<S> {
    const spec = specs[name] as Spec
    if (!('check' in spec) || !spec.check) return {}
    try {
      spec.check(value as string)
      return {}
    } catch (error) {
      if (error instanceof AppError)
        return { [name]: describeFormError(name, error) } as FormErrors<S>
      throw error
    }
  }
}

type State = {
  value: string | readonly string[] | undefined
  error: string | undefined
  choices: readonly Choice[] | undefined
  autofocus: boolean
}

function readValue(body: unknown, name: string, spec: Spec): string | readonly string[] {
  if (spec.type !== 'checks') return readFields(body, [name])[name] ?? ''
  const choices = spec.choices().map(({ value }) => value)
  const fields = readFields(body, choices)
  return choices.filter((choice) => fields[choice] !== '')
}

function renderSpec(frame: Frame, name: string, spec: Spec, state: State): SafeHtml {
  const value = typeof state.value === 'string' ? state.value : ''
  if (spec.type === 'hidden') return html`${renderHidden({ [name]: value })}`
  const { error, autofocus } = state
  const texts = { label: getText(spec.label), hint: spec.hint && getText(spec.hint), error }
  switch (spec.type) {
    case 'check':
      return renderCheckbox({ name, isChecked: value !== '', ...texts })
    case 'select': {
      const choices = state.choices ?? spec.choices?.() ?? []
      return renderField({ name, type: 'select', value, choices, autofocus, ...texts })
    }
    case 'radio':
    case 'checks': {
      const selected = [state.value ?? []].flat()
      const choices = (state.choices ?? spec.choices?.() ?? []).map((choice) => ({
        ...choice,
        isChecked: selected.includes(choice.value),
        ...(spec.type === 'checks' && { name: choice.value, value: 'on' }),
      }))
      const type = spec.type === 'radio' ? 'radio' : 'checkbox'
      return renderChoices({ id: name, type, choices, legend: texts.label, ...texts })
    }
    case 'color':
      return renderField({ name, type: 'color', value, autofocus, ...texts })
    case 'file':
      return renderField({ name, type: 'file', accept: spec.accept, autofocus, ...texts })
    case 'confirmation':
      return renderConfirmationField(frame, { name, optional: spec.optional ?? false, ...texts })
    default: {
      const { label: _label, hint: _hint, check: _check, autocomplete = 'off', ...limits } = spec
      return field({ name, autocomplete, ...limits, value, autofocus, ...texts })
    }
  }
}

function getText(text: Text): string {
  return typeof text === 'function' ? text() : t(text)
}

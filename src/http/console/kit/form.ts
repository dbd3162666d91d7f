import { html, type SafeHtml } from '@remix-run/html-template'
import type { AppError } from '../../../errors.ts'
import { csrfField, type Field, field } from '../../../pages/field.ts'
import { type TextKey, t } from '../../../texts.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import type { Frame } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'

type Common = { label: TextKey; hint?: TextKey }

/** The definition of a field: what it asks for, and its limits. */
export type Spec = Common &
  (
    | (Pick<Field, 'type' | 'maxLength' | 'minLength' | 'optional'> & {
        autocomplete?: Field['autocomplete']
      })
    /** Checkboxes, each with a name of its own. The value is the list of selected names. */
    | { type: 'checks'; choices: () => readonly Choice[] }
    /** A checkbox. Its value is `on` or empty. */
    | { type: 'check' }
  )

export type Choice = { value: string; label: SafeHtml }

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

type Rendering = {
  action: string
  /** The text of the button that submits the form. */
  button: string
  /** The button's class. */
  buttonClass?: string
  /** Controls beside the button, such as a link that cancels. */
  more?: SafeHtml
  /** Whether to focus the first field if no field is invalid. */
  autofocus?: boolean
}

/** A form: what it reads is what it renders. */
export type Form<S extends Specs> = {
  /** Returns the values of a submitted form. Missing and repeated fields are empty. */
  read: (body: unknown) => FormValues<S>
  /** Returns the text of an error at its field, or at `form`. */
  describe: (error: AppError) => FormErrors<S>
  /** Renders the form, or nothing if the user's role does not allow to submit it. */
  render: (frame: Frame, state: FormState<S>, rendering: Rendering) => SafeHtml | null
  /** Renders the error that belongs to no field. */
  renderError: (state: FormState<S>) => SafeHtml | null
}

/** Defines a form by its fields. */
export function defineForm<const S extends Specs>(specs: S): Form<S> {
  const names = Object.keys(specs) as (keyof S & string)[]

  return {
    read: (body) => {
      const entries = names.map((name) => [name, readValue(body, name, specs[name] as Spec)])
      return Object.fromEntries(entries) as FormValues<S>
    },
    describe: (error) => {
      const name = names.find((each) => each === error.field) ?? 'form'
      return { [name]: describeFormError(name, error) } as FormErrors<S>
    },
    render: (frame, state, { action, button, buttonClass = 'button', more, autofocus }) => {
      if (!frame.may('POST', action)) return null
      const focused =
        names.find((name) => state.errors?.[name]) ??
        (autofocus && !state.errors ? names[0] : undefined)
      const fields = names.map((name) =>
        renderSpec(name, specs[name] as Spec, {
          value: state.values?.[name],
          error: state.errors?.[name],
          autofocus: name === focused,
        }),
      )
      return html`<form method="post" action="${action}">
${csrfField(frame.csrf)}
${fields}
<p class="actions"><button class="${buttonClass}">${button}</button>${more ? html` ${more}` : null}</p>
</form>`
    },
    renderError: ({ errors }) =>
      errors?.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null,
  }
}

type State = {
  value: string | readonly string[] | undefined
  error: string | undefined
  autofocus: boolean
}

function readValue(body: unknown, name: string, spec: Spec): string | readonly string[] {
  if (spec.type !== 'checks') return readFields(body, [name])[name] ?? ''
  const choices = spec.choices().map(({ value }) => value)
  const fields = readFields(body, choices)
  return choices.filter((choice) => fields[choice] !== '')
}

function renderSpec(name: string, spec: Spec, state: State): SafeHtml {
  const label = t(spec.label)
  const hint = spec.hint && t(spec.hint)
  const { error, autofocus } = state
  const value = typeof state.value === 'string' ? state.value : ''
  switch (spec.type) {
    case 'check':
      return html`<p class="field"><label class="check"><input type="checkbox" name="${name}" value="on"${value ? html` checked` : null}> ${label}</label></p>`
    case 'checks':
      return renderChecks(name, label, spec.choices(), {
        ...state,
        value: Array.isArray(state.value) ? state.value : [],
      })
    default: {
      const { label: _label, hint: _hint, autocomplete = 'off', ...limits } = spec
      return field({
        name,
        label,
        autocomplete,
        ...limits,
        value,
        autofocus,
        ...(hint && { hint }),
        ...(error && { error }),
      })
    }
  }
}

function renderChecks(
  name: string,
  label: string,
  choices: readonly Choice[],
  { value, error }: { value: readonly string[]; error: string | undefined },
): SafeHtml {
  return html`<div class="field" role="group" aria-labelledby="${name}"${error ? html` aria-describedby="${name}-error"` : null}>
<strong id="${name}">${label}</strong>
${choices.map(
  (choice) =>
    html`<label class="check"><input type="checkbox" name="${choice.value}" value="on"${value.includes(choice.value) ? html` checked` : null}> <span>${choice.label}</span></label>`,
)}
${error ? html`<p class="error" id="${name}-error" role="alert">${error}</p>` : null}
</div>`
}

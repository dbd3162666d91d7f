import { html, type SafeHtml } from '@remix-run/html-template'

type Text = SafeHtml | string

/** `lang` is the language of the label, if it is not the page's. */
export type Choice = { value: string; label: Text; lang?: string }

/** Choices of a selection under a heading. */
export type ChoiceGroup = { label: string; choices: readonly Choice[] }

type TextType =
  | 'text'
  | 'email'
  | 'password'
  | 'date'
  | 'time'
  | 'number'
  | 'search'
  | 'url'
  | 'color'

/** A control without its label. */
export type Control = {
  name: string
  /** The name by default. */
  id?: string | undefined
  /** The name for screen readers, if no label is visible. */
  ariaLabel?: string
  /** Additional attributes, each preceded by a space. */
  attributes?: SafeHtml | undefined
} & (
  | { type: TextType; value: string }
  | { type: 'multiline'; value: string; rows?: number }
  | {
      type: 'select'
      value: string | readonly string[]
      choices: readonly (Choice | ChoiceGroup)[]
    }
  | { type: 'file'; accept: string }
)

/** A field of a form: its control, and the texts that belong to it. */
export type LabeledField = Control & {
  label: Text
  hint?: Text | undefined
  error?: string | undefined
  /** Whether to focus the field: if it has an error, by default. */
  autofocus?: boolean | undefined
  /** The stored image that an upload replaces, and the label of the checkbox that removes it. */
  image?: { src: string; alt: string; remove: string } | undefined
}

/** Renders a control, such as one in a row of a table, whose label is elsewhere. */
export function renderControl(control: Control): SafeHtml {
  const { name, id = name, ariaLabel, attributes } = control
  const common = html`id="${id}" name="${name}"${ariaLabel ? html` aria-label="${ariaLabel}"` : null}${attributes ?? null}`
  switch (control.type) {
    case 'select':
      return html`<select ${common}>${renderOptions(control.choices, control.value)}</select>`
    case 'multiline':
      // Parsers drop one line feed after <textarea>. This one is added so that a line feed in the
      // value is preserved.
      return html`<textarea rows="${control.rows ?? 3}" ${common}>
${control.value}</textarea>`
    case 'file':
      return html`<input type="file" accept="${control.accept}" ${common}>`
    default:
      return html`<input type="${control.type}" value="${control.value}" ${common}>`
  }
}

/** Renders a field with its label, and associates its hint and error with it. */
export function renderField(field: LabeledField): SafeHtml {
  const { label, hint, error, autofocus, image, ...control } = field
  const id = control.id ?? control.name
  const attributes = html`${control.attributes ?? null}${renderNoteAttributes(id, { hint, error, autofocus })}`
  return html`<div class="field">
<label for="${id}">${label}</label>
${image ? html`<img class="current-image" src="${image.src}" alt="${image.alt}">` : null}
${renderControl({ ...control, attributes })}
${renderNotes(id, { hint, error })}
${image ? html`<label class="check"><input type="checkbox" name="remove-${control.name}" value="on"> ${image.remove}</label>` : null}
</div>`
}

type SearchBox = {
  name: string
  /** The name by default. */
  id?: string
  /** The label, which only screen readers have. */
  label: string
  value: string
  placeholder: string
  autofocus?: boolean
}

/** Renders a search box without a visible label. */
export function renderSearchBox({ label, placeholder, autofocus, ...box }: SearchBox): SafeHtml {
  const attributes = html` maxlength="500" autocomplete="off" dir="auto"${autofocus ? html` autofocus` : null} placeholder="${placeholder}"`
  return html`<label class="hidden-text" for="${box.id ?? box.name}">${label}</label>
${renderControl({ type: 'search', ...box, attributes })}`
}

type Check = {
  name: string
  label: Text
  /** What the form sends if it is selected. */
  value?: string
  isChecked: boolean
  hint?: Text | undefined
  error?: string | undefined
  autofocus?: boolean
}

/** Renders a checkbox with its label, hint and error. */
export function renderCheckbox({ name, value = 'on', ...check }: Check): SafeHtml {
  const { label, isChecked, hint, error, autofocus } = check
  return html`<div class="field"><label class="check"><input type="checkbox" id="${name}" name="${name}" value="${value}"${isChecked ? html` checked` : null}${renderNoteAttributes(name, { hint, error, autofocus })}> ${label}</label>${renderNotes(name, { hint, error })}</div>`
}

type Group = Notes & {
  id: string
  legend: Text
  content: SafeHtml
  className?: string
}

/** Renders fields as a group with a legend, a hint and an error. */
export function renderGroup({ id, legend, content, className = 'field', ...notes }: Group) {
  const describedBy = listNoteIds(id, notes)
  const { error, autofocus = Boolean(error) } = notes
  return html`<fieldset class="${className}" id="${id}" tabindex="-1"${describedBy ? html` aria-describedby="${describedBy}"` : null}${autofocus ? html` autofocus` : null}>
<legend>${legend}</legend>
${renderNotes(id, notes)}
${content}
</fieldset>`
}

type Choices = Omit<Group, 'content'> & {
  type: 'checkbox' | 'radio'
  choices: readonly (Choice & {
    /** The name of the control. All have the id of the group as their name by default. */
    name?: string
    hint?: Text
    isChecked: boolean
  })[]
  /** Other fields of the group. */
  content?: SafeHtml | undefined
}

/** Renders checkboxes or radio buttons as a group. */
export function renderChoices({ type, choices, content, ...group }: Choices): SafeHtml {
  const { id } = group
  const controls = html`<div class="checks">${choices.map((choice) => {
    const { name = id, value, label, isChecked } = choice
    const hintId = `${id}-${value}-hint`
    return html`<label class="check"><input type="${type}" name="${name}" value="${value}"${isChecked ? html` checked` : null}${choice.hint ? html` aria-describedby="${hintId}"` : null}> <span dir="auto">${label}</span></label>
${choice.hint ? html`<p class="hint" id="${hintId}">${choice.hint}</p>` : null}`
  })}</div>`
  return renderGroup({ ...group, content: content ? html`${controls}\n${content}` : controls })
}

/** Renders hidden fields: names with their values, or several values of one name. */
export function renderHidden(
  fields: Readonly<Record<string, string | readonly string[]>>,
): SafeHtml[] {
  return Object.entries(fields).flatMap(([name, values]) =>
    [values]
      .flat()
      .map((value) => html`<input type="hidden" name="${name}" value="${value as string}">`),
  )
}

/** Renders a hidden field that tells password managers whose password a form asks for. */
export function renderUsername(email: string): SafeHtml {
  return html`<input type="text" name="email" value="${email}" autocomplete="username" readonly hidden>`
}

/** Returns choices by the texts of their values. */
export function listChoices(texts: Readonly<Record<string, string>>): Choice[] {
  return Object.entries(texts).map(([value, label]) => ({ value, label }))
}

/** Renders the options of a selection. */
function renderOptions(
  choices: readonly (Choice | ChoiceGroup)[],
  selected: string | readonly string[],
): SafeHtml[] {
  return choices.map((choice) =>
    'choices' in choice
      ? html`<optgroup label="${choice.label}">${renderOptions(choice.choices, selected)}</optgroup>`
      : html`<option value="${choice.value}"${choice.lang ? html` lang="${choice.lang}"` : null}${[selected].flat().includes(choice.value) ? html` selected` : null}>${choice.label}</option>`,
  )
}

type Notes = {
  hint?: Text | undefined
  error?: string | undefined
  autofocus?: boolean | undefined
}

/** Renders the attributes that associate the hint and the error of a control with it. */
export function renderNoteAttributes(id: string, notes: Notes): SafeHtml {
  const ids = listNoteIds(id, notes)
  const { error, autofocus = Boolean(error) } = notes
  return html`${ids ? html` aria-describedby="${ids}"` : null}${error ? html` aria-invalid="true"` : null}${autofocus ? html` autofocus` : null}`
}

/** Renders the hint and the error of a control below it. */
export function renderNotes(id: string, { hint, error }: Notes): SafeHtml {
  return html`${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : null}${error ? html`<p class="error" id="${id}-error" role="alert">${error}</p>` : null}`
}

function listNoteIds(id: string, { hint, error }: Notes): string {
  return [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
}

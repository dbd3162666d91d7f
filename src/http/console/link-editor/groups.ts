import { html, type SafeHtml } from '@remix-run/html-template'
import { fieldText } from './field-messages.ts'
import { type Choice, errorAt, type FilledForm, typedText } from './form.ts'
import { formField, selectField } from './inputs.ts'
import { editorMessages as texts } from './messages.ts'
import { optionTag } from './rows.ts'
import { isSectionUsed, type Section, sectionFields, sectionNames } from './section.ts'

type Group = {
  id: string
  title: string
  /** A summary of its content, shown while collapsed. */
  about: string
  /** The section of `links/fields.ts` that it contains. */
  section?: Section
  /** The id prefixes of its other fields. */
  fields?: readonly string[]
  isUsed?: (filled: FilledForm) => boolean
  content: (filled: FilledForm) => SafeHtml
}

const groups = (): readonly Group[] => [
  {
    id: 'ends',
    ...texts.groups.lifetime,
    section: 'lifetime',
    content: (filled) => html`<div class="columns">${sectionFields(filled, 'lifetime')}</div>`,
  },
  {
    id: 'where',
    ...texts.groups.targeting,
    section: 'targeting',
    content: (filled) => html`${sectionFields(filled, 'targeting')}`,
  },
  {
    id: 'parameters',
    ...texts.groups.parameters,
    section: 'parameters',
    content: (filled) => html`${sectionFields(filled, 'parameters')}`,
  },
  {
    id: 'looks',
    ...texts.groups.appearance,
    section: 'appearance',
    fields: ['pixels'],
    isUsed: ({ form }) => form.pixels.length > 0,
    content: (filled) => html`${typeField(filled)}
${sectionFields(filled, 'appearance')}
${pixelsField(filled)}`,
  },
  {
    id: 'who',
    ...texts.groups.password,
    fields: ['password', 'removePassword'],
    isUsed: ({ form, hasPassword }) =>
      hasPassword || [typedText(form, 'password'), typedText(form, 'removePassword')].some(Boolean),
    content: passwordField,
  },
  {
    id: 'in',
    ...texts.groups.organize,
    fields: ['campaigns', 'channels'],
    isUsed: ({ form }) => form.campaigns.length > 0 || form.channels.length > 0,
    content: (filled) => html`${checksField(filled, {
      name: 'campaigns',
      ...texts.memberships.campaigns,
      none: noneYet(texts.memberships.campaigns.none, '/console/campaigns/new'),
    })}
${checksField(filled, {
  name: 'channels',
  ...texts.memberships.channels,
  none: noneYet(texts.memberships.channels.none, '/console/channels/new'),
})}`,
  },
]

/** Renders the less common parts of the form, expanded if they have values or errors. */
export function linkGroups(filled: FilledForm): SafeHtml[] {
  const at = filled.fault?.field ?? filled.more ?? ''
  return groups().map(({ id, title, about, section, fields = [], isUsed, content }) => {
    const names = [...fields, ...(section ? sectionNames(section) : [])]
    const isOpen =
      names.some((name) => at.startsWith(name)) ||
      isUsed?.(filled) ||
      (section && isSectionUsed(filled.form, section))
    return html`<details class="panel group" id="group-${id}"${isOpen ? html` open` : null}>
<summary><h2>${title}</h2> <span class="small soft">${about}</span></summary>
${content(filled)}
</details>`
  })
}

function typeField(filled: FilledForm): SafeHtml {
  const { splashes, overlays } = filled.choices
  const type = typedText(filled.form, 'type') || 'direct'
  const plainTypes = Object.entries(texts.types).map(([value, label]) => ({ value, label }))
  const known = [...plainTypes, ...splashes, ...overlays].some(({ value }) => value === type)
  return selectField(filled, 'type', {
    label: fieldText('type').label,
    options: html`${plainTypes.map((option) => optionTag(option, type))}${known ? null : optionTag({ value: type, label: type }, type)}
${optionGroup(texts.splashes, splashes, type)}${optionGroup(texts.overlays, overlays, type)}`,
  })
}

function optionGroup(label: string, options: readonly Choice[], chosen: string): SafeHtml | null {
  if (options.length === 0) return null
  return html`<optgroup label="${label}">${options.map((option) => optionTag(option, chosen))}</optgroup>`
}

function pixelsField(filled: FilledForm): SafeHtml | null {
  if (filled.choices.pixels.length === 0 && !errorAt(filled, 'pixels')) return null
  return checksField(filled, {
    name: 'pixels',
    ...texts.pixels,
  })
}

function noneYet(text: string, path: string): SafeHtml {
  return html`<p class="small soft">${text} <a href="${path}">${texts.createOne}</a></p>`
}

/** Renders a checkbox per resource, or `none` without any. */
function checksField(
  filled: FilledForm,
  {
    name,
    legend,
    hint,
    none,
  }: { name: 'pixels' | 'campaigns' | 'channels'; legend: string; hint: string; none?: SafeHtml },
): SafeHtml {
  const choices = filled.choices[name]
  const error = errorAt(filled, name)
  return html`<fieldset id="${name}" tabindex="-1"${error ? html` autofocus` : null}>
<legend>${legend}</legend>
<p class="hint">${hint}</p>
${error ? html`<p class="error" role="alert">${error}</p>` : null}
${choices.length === 0 ? (none ?? null) : null}
<div class="checks">${choices.map(
    ({ value, label }) =>
      html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${filled.form[name].includes(value) ? html` checked` : null}> <span dir="auto">${label}</span></label>`,
  )}</div>
</fieldset>`
}

function passwordField(filled: FilledForm): SafeHtml {
  const { hasPassword, form } = filled
  return html`${formField(filled, 'password', {
    ...(hasPassword ? texts.newPassword : texts.password),
    attributes: html` spellcheck="false" autocapitalize="none"`,
  })}
${
  hasPassword
    ? html`<p><label class="check"><input type="checkbox" name="removePassword" value="yes"${typedText(form, 'removePassword') === 'yes' ? html` checked` : null}> ${texts.removePassword}</label></p>`
    : null
}`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { t, tAll } from '../../../texts.ts'
import { getFieldText } from './field-texts.ts'
import { type Choice, type FilledForm, findErrorText, getInputText } from './form.ts'
import { renderFormField, renderSelectField } from './inputs.ts'
import { renderOptionTag } from './rows.ts'
import { isSectionUsed, listInputPrefixes, renderSectionFields, type Section } from './section.ts'

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

const createGroups = (): readonly Group[] => [
  {
    id: 'ends',
    ...tAll('linkForm.groups.lifetime'),
    section: 'lifetime',
    content: (filled) =>
      html`<div class="columns">${renderSectionFields(filled, 'lifetime')}</div>`,
  },
  {
    id: 'where',
    ...tAll('linkForm.groups.targeting'),
    section: 'targeting',
    content: (filled) => html`${renderSectionFields(filled, 'targeting')}`,
  },
  {
    id: 'parameters',
    ...tAll('linkForm.groups.parameters'),
    section: 'parameters',
    content: (filled) => html`${renderSectionFields(filled, 'parameters')}`,
  },
  {
    id: 'looks',
    ...tAll('linkForm.groups.appearance'),
    section: 'appearance',
    fields: ['pixels'],
    isUsed: ({ form }) => form.pixels.length > 0,
    content: (filled) => html`${renderTypeField(filled)}
${renderSectionFields(filled, 'appearance')}
${renderPixelsField(filled)}`,
  },
  {
    id: 'who',
    ...tAll('linkForm.groups.password'),
    fields: ['password', 'removePassword'],
    isUsed: ({ form, hasPassword }) =>
      hasPassword ||
      [getInputText(form, 'password'), getInputText(form, 'removePassword')].some(Boolean),
    content: renderPasswordField,
  },
  {
    id: 'in',
    ...tAll('linkForm.groups.organize'),
    fields: ['campaigns', 'channels'],
    isUsed: ({ form }) => form.campaigns.length > 0 || form.channels.length > 0,
    content: (filled) => html`${renderChecksField(filled, {
      name: 'campaigns',
      ...tAll('linkForm.memberships.campaigns'),
      none: renderEmptyNote(t('linkForm.memberships.campaigns.none'), '/console/campaigns/new'),
    })}
${renderChecksField(filled, {
  name: 'channels',
  ...tAll('linkForm.memberships.channels'),
  none: renderEmptyNote(t('linkForm.memberships.channels.none'), '/console/channels/new'),
})}`,
  },
]

/** Renders the less common parts of the form, expanded if they have values or errors. */
export function renderLinkGroups(filled: FilledForm): SafeHtml[] {
  const at = filled.fieldError?.field ?? filled.more ?? ''
  return createGroups().map(({ id, title, about, section, fields = [], isUsed, content }) => {
    const names = [...fields, ...(section ? listInputPrefixes(section) : [])]
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

function renderTypeField(filled: FilledForm): SafeHtml {
  const { splashes, overlays } = filled.choices
  const type = getInputText(filled.form, 'type') || 'direct'
  const plainTypes = Object.entries(tAll('linkForm.types')).map(([value, label]) => ({
    value,
    label,
  }))
  const isKnown = [...plainTypes, ...splashes, ...overlays].some(({ value }) => value === type)
  return renderSelectField(filled, 'type', {
    label: getFieldText('type').label,
    options: html`${plainTypes.map((option) => renderOptionTag(option, type))}${isKnown ? null : renderOptionTag({ value: type, label: type }, type)}
${renderOptionGroup(t('linkForm.splashes'), splashes, type)}${renderOptionGroup(t('linkForm.overlays'), overlays, type)}`,
  })
}

function renderOptionGroup(
  label: string,
  options: readonly Choice[],
  chosen: string,
): SafeHtml | null {
  if (options.length === 0) return null
  return html`<optgroup label="${label}">${options.map((option) => renderOptionTag(option, chosen))}</optgroup>`
}

function renderPixelsField(filled: FilledForm): SafeHtml | null {
  if (filled.choices.pixels.length === 0 && !findErrorText(filled, 'pixels')) return null
  return renderChecksField(filled, {
    name: 'pixels',
    ...tAll('linkForm.pixels'),
  })
}

function renderEmptyNote(text: string, path: string): SafeHtml {
  return html`<p class="small soft">${text} <a href="${path}">${t('linkForm.createOne')}</a></p>`
}

/** Renders a checkbox per resource, or `none` without any. */
function renderChecksField(
  filled: FilledForm,
  {
    name,
    legend,
    hint,
    none,
  }: { name: 'pixels' | 'campaigns' | 'channels'; legend: string; hint: string; none?: SafeHtml },
): SafeHtml {
  const choices = filled.choices[name]
  const error = findErrorText(filled, name)
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

function renderPasswordField(filled: FilledForm): SafeHtml {
  const { hasPassword, form } = filled
  return html`${renderFormField(filled, 'password', {
    ...tAll(hasPassword ? 'linkForm.newPassword' : 'linkForm.password'),
    attributes: html` spellcheck="false" autocapitalize="none"`,
  })}
${
  hasPassword
    ? html`<p><label class="check"><input type="checkbox" name="removePassword" value="yes"${getInputText(form, 'removePassword') === 'yes' ? html` checked` : null}> ${t('linkForm.removePassword')}</label></p>`
    : null
}`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { type Field, field } from '../../../pages/field.ts'
import { linkCard } from './card.ts'
import {
  type Choice,
  errorAt,
  type FilledForm,
  type LinkForm,
  ROW_LISTS,
  type RowList,
} from './form.ts'
import { optionTag, rowsField } from './rows.ts'

type Group = {
  id: string
  title: string
  /** What is in it, for who has not opened it. */
  about: string
  /** The ids that the fields in it begin with. */
  fields: readonly string[]
  isUsed: (filled: FilledForm) => boolean
  content: (filled: FilledForm) => SafeHtml
}

const rowsOf: Record<RowList, Omit<Parameters<typeof rowsField>[1], 'options'>> = {
  geo: {
    list: 'geo',
    legend: 'Country',
    hint: 'Send visitors from a country to another URL.',
    labels: ['Country', 'Destination URL for this country'],
    examples: ['Germany', 'https://example.com/de'],
    datalist: 'countries',
  },
  device: {
    list: 'device',
    legend: 'Device',
    hint: 'The first match wins. Order: country, device, language.',
    labels: ['Device', 'Destination URL for this device'],
    examples: ['', 'https://example.com/app'],
  },
  language: {
    list: 'language',
    legend: 'Language',
    hint: 'For example French or en-GB.',
    labels: ['Language', 'Destination URL for this language'],
    examples: ['French', 'https://example.com/fr'],
    datalist: 'languages',
  },
  parameter: {
    list: 'parameter',
    legend: 'Parameters',
    hint: 'Added to the destination URL.',
    labels: ['Parameter', 'Value'],
    examples: ['utm_source', 'newsletter'],
  },
}

const groups: readonly Group[] = [
  {
    id: 'ends',
    title: 'Expiration',
    about: 'Date and time',
    fields: ['expires'],
    isUsed: ({ form }) => form.expiresDay !== '' || form.expiresTime !== '',
    content: (filled) => html`<div class="columns">
${formField(filled, 'expiresDay', { label: 'Expires on', type: 'date', hint: 'In UTC. Leave blank to never expire.' })}
${formField(filled, 'expiresTime', {
  label: 'Time',
  type: 'time',
  hint: 'In UTC. Defaults to the end of the day.',
  attributes: html` step="1"`,
})}
</div>`,
  },
  {
    id: 'where',
    title: 'Targeting and UTM',
    about: 'Redirect by country, device or language; add URL parameters',
    fields: ROW_LISTS,
    isUsed: ({ form, otherRules }) =>
      otherRules > 0 || ROW_LISTS.some((list) => form[list].length > 0),
    content: (filled) => html`${otherRulesNote(filled)}${ROW_LISTS.map((list) =>
      rowsField(filled, {
        ...rowsOf[list],
        ...(list === 'device' && { options: filled.choices.devices }),
      }),
    )}
<datalist id="countries">${filled.choices.countries.map((name) => html`<option value="${name}">`)}</datalist>
<datalist id="languages">${filled.choices.languages.map((name) => html`<option value="${name}">`)}</datalist>`,
  },
  {
    id: 'looks',
    title: 'Appearance',
    about: 'Redirect type, social preview, tracking pixels',
    fields: ['type', 'meta', 'pixels'],
    isUsed: ({ form }) =>
      form.type !== 'direct' ||
      form.pixels.length > 0 ||
      [form.metaTitle, form.metaDescription, form.metaImage].some(Boolean),
    content: (filled) => html`${typeField(filled)}
<div class="columns">
<div>
${formField(filled, 'metaTitle', { label: 'Title' })}
${formField(filled, 'metaDescription', { label: 'Description', type: 'multiline' })}
${formField(filled, 'metaImage', { label: 'Image URL', hint: 'JPEG or PNG, 1200 × 630 recommended.' })}
</div>
${linkCard(filled)}
</div>
${pixelsField(filled)}`,
  },
  {
    id: 'who',
    title: 'Password protection',
    about: 'Password',
    fields: ['password', 'removePassword'],
    isUsed: ({ form, hasPassword }) => hasPassword || form.password !== '' || form.removePassword,
    content: passwordField,
  },
  {
    id: 'in',
    title: 'Organize',
    about: 'Campaigns and channels',
    fields: ['campaigns', 'channels'],
    isUsed: ({ form }) => form.campaigns.length > 0 || form.channels.length > 0,
    content: (filled) => html`${checksField(filled, {
      name: 'campaigns',
      legend: 'Campaigns',
      hint: 'Included in the campaign’s statistics.',
      none: html`<p class="small soft">No campaigns yet. <a href="/console/campaigns/new">Create one</a></p>`,
    })}
${checksField(filled, {
  name: 'channels',
  legend: 'Channels',
  hint: 'Group links, bio pages and QR codes.',
  none: html`<p class="small soft">No channels yet. <a href="/console/channels/new">Create one</a></p>`,
})}`,
  },
]

function otherRulesNote({ otherRules }: FilledForm): SafeHtml | null {
  if (otherRules === 0) return null
  const rules = otherRules === 1 ? '1 more rule was' : `${otherRules} more rules were`
  return html`<p class="hint">${rules} set through the API. Saving this form keeps them.</p>`
}

/** The parts of the form that most links do without: open where they hold something or are wrong. */
export function linkGroups(filled: FilledForm): SafeHtml[] {
  const at = filled.fault?.field ?? filled.more ?? ''
  return groups.map(({ id, title, about, fields, isUsed, content }) => {
    const isAsked = fields.some((field) => at.startsWith(field))
    return html`<details class="panel group" id="group-${id}"${isAsked || isUsed(filled) ? html` open` : null}>
<summary><h2>${title}</h2> <span class="small soft">${about}</span></summary>
${content(filled)}
</details>`
  })
}

type TextName = {
  [Name in keyof LinkForm]: LinkForm[Name] extends string ? Name : never
}[keyof LinkForm]

/** A field of the form with what was typed into it, and what is wrong with that. */
export function formField(
  filled: FilledForm,
  name: TextName,
  options: Omit<Field, 'name' | 'value' | 'error' | 'autofocus' | 'autocomplete'>,
): SafeHtml {
  const error = errorAt(filled, name)
  return field({
    name,
    optional: true,
    autocomplete: 'off',
    value: filled.form[name],
    ...(error && { error, autofocus: true }),
    ...options,
  })
}

const plainTypes: readonly Choice[] = [
  { value: 'direct', label: 'Direct redirect' },
  { value: 'frame', label: 'Masked (iframe)' },
  { value: 'splash', label: 'Interstitial page' },
]

function typeField(filled: FilledForm): SafeHtml {
  const { splashes, overlays } = filled.choices
  const { type } = filled.form
  const known = [...plainTypes, ...splashes, ...overlays].some(({ value }) => value === type)
  return selectField(filled, 'type', {
    label: 'Redirect type',
    options: html`${plainTypes.map((option) => optionTag(option, type))}${known ? null : optionTag({ value: type, label: type }, type)}
${optionGroup('Your splash pages', splashes, type)}${optionGroup('Your overlays', overlays, type)}`,
  })
}

function optionGroup(label: string, options: readonly Choice[], chosen: string): SafeHtml | null {
  if (options.length === 0) return null
  return html`<optgroup label="${label}">${options.map((option) => optionTag(option, chosen))}</optgroup>`
}

/** A field to choose from, with its label, and its hint and error tied to it. */
export function selectField(
  filled: FilledForm,
  name: 'type' | 'domain',
  { label, hint, options }: { label: string; hint?: string; options: SafeHtml },
): SafeHtml {
  const error = errorAt(filled, name)
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}"${described ? html` aria-describedby="${described}"` : null}${error ? html` aria-invalid="true" autofocus` : null}>${options}</select>
${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : null}
${error ? html`<p class="error" id="${name}-error" role="alert">${error}</p>` : null}
</div>`
}

function pixelsField(filled: FilledForm): SafeHtml | null {
  if (filled.choices.pixels.length === 0 && !errorAt(filled, 'pixels')) return null
  return checksField(filled, {
    name: 'pixels',
    legend: 'Pixels',
    hint: 'Fire on every click.',
  })
}

/** A box to tick for each of some resources; `none` stands there where there is not one. */
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
    label: hasPassword ? 'New password' : 'Password',
    hint: hasPassword
      ? 'A password is set. Leave blank to keep it.'
      : 'Visitors must enter this password. Leave blank for a public link.',
    attributes: html` spellcheck="false" autocapitalize="none"`,
  })}
${
  hasPassword
    ? html`<p><label class="check"><input type="checkbox" name="removePassword" value="yes"${form.removePassword ? html` checked` : null}> Remove password</label></p>`
    : null
}`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import type { FormField } from '../../../links/field.ts'
import { getShareImagePath, parseShareImageHash } from '../../../links/share-images/share-image.ts'
import { hostOf } from '../../../pages/safe-url.ts'
import { hostText } from '../../../pages/short-link-text.ts'
import { t, tAll } from '../../../texts.ts'
import { renderCheckbox, renderChoices, renderField } from '../kit/fields.ts'
import { renderPanel, renderUntitledPanel } from '../kit/parts.ts'
import { type Editor, NO_SUGGESTIONS, notesOf, renderRows, stateOf, textsOf } from './fields.ts'
import { isFieldUsed, LINK_FIELDS, type LinkField } from './form.ts'
import { renderRules } from './rule-fields.ts'
import { renderParameters } from './utm.ts'

type Section = FormField['section']

type Group = {
  /** The end of its id. */
  id: string
  name: 'lifetime' | 'targeting' | 'parameters' | 'appearance' | 'password' | 'organize'
  /** The section of `links/fields.ts` that it contains. */
  section?: Section
  /** What the ids of its other inputs start with. */
  inputs?: readonly string[]
  /** Whether any of these has a value. */
  isUsed?: (editor: Editor) => boolean
  /** Renders what follows the section. */
  render?: (editor: Editor) => SafeHtml | null
}

const GROUPS: readonly Group[] = [
  { id: 'ends', name: 'lifetime', section: 'lifetime' },
  { id: 'where', name: 'targeting', section: 'targeting' },
  { id: 'parameters', name: 'parameters', section: 'parameters', inputs: ['utm'] },
  {
    id: 'looks',
    name: 'appearance',
    section: 'appearance',
    inputs: ['pixels'],
    isUsed: ({ form }) => form.pixels.length > 0,
    render: renderPixels,
  },
  {
    id: 'who',
    name: 'password',
    inputs: ['password', 'removePassword'],
    isUsed: ({ form, link }) =>
      Boolean(link?.hasPassword || form.texts.password || form.texts.removePassword),
    render: renderPassword,
  },
  {
    id: 'in',
    name: 'organize',
    inputs: ['campaigns', 'channels'],
    isUsed: ({ form }) => form.campaigns.length > 0 || form.channels.length > 0,
    render: (editor) =>
      html`${renderMemberships(editor, 'campaigns')}\n${renderMemberships(editor, 'channels')}`,
  },
]

/** One transparent pixel. */
const NO_IMAGE = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='

/** Renders the destination, the short link and the tags. */
export function renderEssentials(editor: Editor): SafeHtml {
  const { choices, fetched, link } = editor
  const url = stateOf(editor, 'url')
  const alias = stateOf(editor, 'alias')
  const isFresh = !editor.fieldError && !editor.more
  return renderUntitledPanel(
    t('linkForm.sections.link'),
    html`<div class="destination">
${renderField({
  ...url,
  type: 'text',
  label: t('linkFields.url.label'),
  autofocus: url.autofocus || (isFresh && url.value === ''),
  attributes: html` required inputmode="url" spellcheck="false" dir="ltr"${NO_SUGGESTIONS}`,
})}
<button class="button quiet small" name="more" value="title" formnovalidate data-title="/console/links/title">${t('linkForm.fetchTitle')}</button>
<p class="hint" data-title-answer role="status">${fetched ?? null}</p>
</div>
<div class="short-link" data-free="/console/links/free"${link ? html` data-id="${link.id}"` : null}>
${renderDomain(editor)}
${renderField({
  ...alias,
  type: 'text',
  label: t('linkForm.alias.label'),
  hint: link ? t('linkForm.alias.warning') : t('linkForm.alias.hint'),
  autofocus: alias.autofocus || (isFresh && !link && url.value !== ''),
  attributes: html`${link ? html` required` : null} autocapitalize="none" spellcheck="false"${NO_SUGGESTIONS}`,
})}
<p class="hint" data-answer role="status"></p>
</div>
<div data-chips data-remove="${t('linkForm.tags.remove')}">
${renderField({
  ...stateOf(editor, 'tags'),
  type: 'text',
  label: t('linkForm.tags.label'),
  hint: t('linkForm.tags.hint'),
  attributes: html` list="known-tags"${NO_SUGGESTIONS}`,
})}
</div>
<datalist id="known-tags">${choices.tags.map((name) => html`<option value="${name}">`)}</datalist>`,
  )
}

/** Renders the domain as the prefix of the short link: a selection if the account has domains. */
function renderDomain(editor: Editor): SafeHtml {
  const { domains, host } = editor.choices
  const domain = stateOf(editor, 'domain')
  if (domains.length === 0 && domain.value === '' && !domain.error) {
    return html`<p class="prefix" aria-hidden="true" dir="ltr">${hostText(host)}/</p>`
  }
  const others = new Set([...domains, domain.value].filter(Boolean))
  return renderField({
    ...domain,
    type: 'select',
    label: t('linkForm.domain'),
    choices: [
      { value: '', label: `${hostText(host)}/` },
      ...[...others].map((name) => ({ value: name, label: `${hostText(name)}/` })),
    ],
  })
}

/** Renders the less common parts of the form, expanded if they have values or errors. */
export function renderGroups(editor: Editor): SafeHtml[] {
  const at = editor.fieldError?.field ?? editor.more ?? ''
  return GROUPS.map(({ id, name, section, inputs = [], isUsed, render }) => {
    const fields = listFields(section)
    const isOpen =
      [...inputs, ...fields.map((field) => field.name)].some((input) => at.startsWith(input)) ||
      isUsed?.(editor) ||
      fields.some((field) => isFieldUsed(editor.form, field))
    const content = renderSection(editor, section)
    return html`<details class="panel group" id="group-${id}"${isOpen ? html` open` : null}>
<summary><h2>${t(`linkForm.groups.${name}.title`)}</h2> <span class="small soft">${t(`linkForm.groups.${name}.about`)}</span></summary>
${section === 'lifetime' ? html`<div class="columns">${content}</div>` : content}
${render?.(editor) ?? null}
</details>`
  })
}

function listFields(section: Section | undefined): LinkField[] {
  return LINK_FIELDS.filter((field) => field.section === section)
}

function renderSection(editor: Editor, section: Section | undefined): SafeHtml[] {
  return listFields(section).map((field) => renderLinkField(editor, field))
}

/** Renders the inputs of a field of `links/fields.ts`. */
function renderLinkField(editor: Editor, link: LinkField): SafeHtml {
  const { field, input, name } = link
  const texts = textsOf(field)
  const state = stateOf(editor, name)
  const attributes = NO_SUGGESTIONS
  switch (input) {
    case 'text':
    case 'url':
      return renderField({ ...state, ...texts, type: 'text', attributes })
    case 'multiline':
      return renderField({ ...state, ...texts, type: 'multiline', attributes })
    case 'number': {
      const numeric = html`${attributes} inputmode="numeric"`
      return renderField({ ...state, ...texts, type: 'text', attributes: numeric })
    }
    case 'checkbox':
      return renderCheckbox({ ...state, ...texts, value: 'yes', isChecked: state.value === 'yes' })
    case 'domainFlag':
      return renderField({ ...state, ...texts, type: 'select', choices: listFlagChoices() })
    case 'choice':
      return renderType(editor, link)
    case 'moment':
      return html`${renderField({ ...stateOf(editor, `${name}Day`), ...texts, type: 'date', attributes })}
${renderField({ ...stateOf(editor, `${name}Time`), ...textsOf(field, '.time'), type: 'time', attributes: html`${attributes} step="1"` })}`
    case 'rows':
      return field === 'parameters' ? renderParameters(editor, link) : renderRows(editor, link)
    case 'rules':
      return renderRules(editor)
  }
}

function listFlagChoices() {
  return Object.entries(tAll('linkForm.domainFlag')).map(([value, label]) => ({
    value: value === 'default' ? '' : value,
    label,
  }))
}

/** Renders the type of redirect. Keeps one that is no longer offered. */
function renderType(editor: Editor, { field, name }: LinkField): SafeHtml {
  const { types } = editor.choices
  const { value: given, ...state } = stateOf(editor, name)
  const value = given || 'direct'
  const known = types.flatMap((type) => ('choices' in type ? type.choices : type))
  const isKnown = known.some((type) => type.value === value)
  const choices = isKnown ? types : [...types, { value, label: value }]
  return renderField({ ...state, ...textsOf(field), type: 'select', value, choices })
}

function renderPixels(editor: Editor): SafeHtml | null {
  const { pixels } = editor.choices
  const notes = notesOf(editor, 'pixels')
  if (pixels.length === 0 && !notes.error) return null
  const texts = tAll('linkForm.pixels')
  return renderChoices({ id: 'pixels', type: 'checkbox', choices: pixels, ...texts, ...notes })
}

function renderPassword(editor: Editor): SafeHtml {
  const { form, link } = editor
  const name = 'removePassword'
  return html`${renderField({
    ...stateOf(editor, 'password'),
    ...tAll(link?.hasPassword ? 'linkForm.newPassword' : 'linkForm.password'),
    type: 'text',
    attributes: html` spellcheck="false" autocapitalize="none"${NO_SUGGESTIONS}`,
  })}
${
  link?.hasPassword
    ? renderCheckbox({
        name,
        value: 'yes',
        label: t('linkForm.removePassword'),
        isChecked: form.texts[name] === 'yes',
      })
    : null
}`
}

/** Renders a checkbox per campaign or channel, or a link to create one. */
function renderMemberships(editor: Editor, name: 'campaigns' | 'channels'): SafeHtml {
  const choices = editor.choices[name]
  return renderChoices({
    id: name,
    type: 'checkbox',
    choices,
    legend: t(`linkForm.memberships.${name}.legend`),
    hint: t(`linkForm.memberships.${name}.hint`),
    ...notesOf(editor, name),
    content:
      choices.length === 0
        ? html`<p class="small soft">${t(`linkForm.memberships.${name}.none`)} <a href="/console/${name}/new">${t('linkForm.createOne')}</a></p>`
        : undefined,
  })
}

/** Renders the sticky column: the QR code of the short link and the preview of the link when shared. */
export function renderSideColumn(editor: Editor): SafeHtml {
  const { alias = '', domain = '' } = editor.form.texts
  const query = new URLSearchParams({
    ...(alias.trim() && { alias: alias.trim() }),
    ...(domain && { domain }),
  })
  const isWrong = ['alias', 'domain'].includes(editor.fieldError?.field ?? '')
  return html`<aside class="side" aria-label="${t('linkForm.sections.preview')}">
<section class="panel code-preview" aria-labelledby="code-title">
<h2 id="code-title">${t('linkForm.code.title')}</h2>
<img src="/console/links/code.svg${isWrong || query.size === 0 ? '' : `?${query}`}" width="160" height="160" alt="${t('linkForm.code.picture')}" data-code="/console/links/code.svg">
<p class="small soft" data-code-note${alias.trim() ? html` hidden` : null}>${t('linkForm.code.note')}</p>
</section>
${renderPanel('card-title', t('linkForm.card.title'), [
  renderCard(editor),
  ...renderSection(editor, 'card'),
  renderField({
    name: 'metaImageFile',
    type: 'file',
    accept: 'image/png,image/jpeg',
    label: t('linkForm.card.upload'),
    hint: t('linkForm.card.uploadHint'),
    ...notesOf(editor, 'metaImageFile'),
  }),
])}
</aside>`
}

/**
 * Renders a preview of the link when shared. An image of another site is only named, because loading
 * it would send a request there. A script updates elements with `data-card` on input.
 */
function renderCard({ form, choices }: Editor): SafeHtml {
  const { url = '', domain, metaTitle, metaDescription, metaImage = '' } = form.texts
  const host = hostOf(metaImage)
  const hash = parseShareImageHash(metaImage)
  return html`<figure class="card" data-cards data-empty="${t('linkForm.card.empty')}" data-image="${t('linkForm.card.image')}">
<div class="card-box">
<img class="card-image" data-card-image src="${hash ? getShareImagePath(hash) : NO_IMAGE}" alt=""${hash ? null : html` hidden`}>
<p class="card-picture" data-card="picture"${host && !hash ? null : html` hidden`}>${t('linkForm.card.image', { host })}</p>
<p class="small soft" data-card="host" dir="ltr">${hostText(domain || choices.host)}</p>
<p class="card-title" data-card="title" dir="auto">${metaTitle || hostOf(url) || t('linkForm.card.empty')}</p>
<p class="card-text" data-card="description" dir="auto"${metaDescription ? null : html` hidden`}>${metaDescription ?? null}</p>
</div>
</figure>`
}

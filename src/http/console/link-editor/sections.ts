import { html, type SafeHtml } from '@remix-run/html-template'
import type { FormField } from '../../../links/field.ts'
import { getShareImagePath, parseShareImageHash } from '../../../links/share-images/share-images.ts'
import { hostOf } from '../../../pages/safe-url.ts'
import { hostText } from '../../../pages/short-link-text.ts'
import { t, tAll } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import { renderCheckbox, renderChoices, renderField } from '../kit/fields.ts'
import { renderPanel, renderUntitledPanel } from '../kit/parts.ts'
import { type Editor, notesOf, renderRows, renderText, stateOf, textsOf } from './fields.ts'
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
  /** The names of its other inputs, or what they start with. */
  inputs?: readonly string[]
  /** Renders what follows the section. */
  render?: (editor: Editor) => SafeHtml | (SafeHtml | null)[] | null
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
    render: (editor) => renderSelection(editor, 'pixels'),
  },
  { id: 'who', name: 'password', inputs: ['password', 'removePassword'], render: renderPassword },
  {
    id: 'in',
    name: 'organize',
    inputs: ['campaigns', 'channels'],
    render: (editor) => [renderSelection(editor, 'campaigns'), renderSelection(editor, 'channels')],
  },
]

/** One transparent pixel. */
const NO_IMAGE = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='

/** Renders the destination, the short link and the tags. */
export function renderEssentials(editor: Editor): SafeHtml {
  const { choices, fetched, errors, form, link, more } = editor
  const isFresh = !errors && !more
  const hasUrl = Boolean(form.texts.url)
  return renderUntitledPanel(
    t('linkForm.sections.link'),
    html`<div class="destination">
${renderText(editor, 'url', {
  label: t('linkFields.url.label'),
  autofocus: isFresh && !hasUrl,
  attributes: html` required inputmode="url" spellcheck="false" dir="ltr"`,
})}
<button class="button quiet small" name="more" value="title" formnovalidate data-title="/console/links/title"${withScript('fetch-title')}>${t('linkForm.fetchTitle')}</button>
<p class="hint" data-title-answer role="status">${fetched ?? null}</p>
</div>
<div class="short-link">
${renderDomain(editor)}
${renderText(editor, 'alias', {
  label: t('linkForm.alias.label'),
  hint: link ? t('linkForm.alias.warning') : t('linkForm.alias.hint'),
  autofocus: isFresh && !link && hasUrl,
  attributes: html`${link ? html` required` : null} autocapitalize="none" spellcheck="false"`,
})}
<p class="hint" data-answer="/console/links/free?id=${link?.id ?? ''}" data-of="alias domain"${withScript('answers')} role="status"></p>
</div>
<div data-chips${withScript('tags')} data-remove="${t('linkForm.tags.remove')}">
${renderText(editor, 'tags', {
  label: t('linkForm.tags.label'),
  hint: t('linkForm.tags.hint'),
  attributes: html` list="known-tags"`,
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
  const changed = editor.errors ? Object.keys(editor.errors) : [editor.more ?? '']
  return GROUPS.map(({ id, name, section, inputs = [], render }) => {
    const fields = listFields(section)
    const isOpen =
      [...inputs, ...fields.map((field) => field.name)].some((input) =>
        changed.some((at) => at.startsWith(input)),
      ) ||
      inputs.some((input) => hasValue(editor, input)) ||
      fields.some((field) => isFieldUsed(editor.form, field))
    const content = renderSection(editor, section)
    return html`<details class="panel group" id="group-${id}"${isOpen ? html` open` : null}>
<summary><h2>${t(`linkForm.groups.${name}.title`)}</h2> <span class="small soft">${t(`linkForm.groups.${name}.about`)}</span></summary>
${section === 'lifetime' ? html`<div class="columns">${content}</div>` : content}
${render?.(editor) ?? null}
</details>`
  })
}

function hasValue({ form, link }: Editor, name: string): boolean {
  if (name === 'pixels' || name === 'campaigns' || name === 'channels') return form[name].length > 0
  return Boolean(form.texts[name]) || (name === 'password' && link?.hasPassword === true)
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
  switch (input) {
    case 'text':
    case 'url':
      return renderText(editor, name, texts)
    case 'multiline':
      return renderText(editor, name, { ...texts, type: 'multiline' })
    case 'number':
      return renderText(editor, name, { ...texts, attributes: html` inputmode="numeric"` })
    case 'moment':
      return html`${renderText(editor, `${name}Day`, { ...texts, type: 'date' })}
${renderText(editor, `${name}Time`, { ...textsOf(field, '.time'), type: 'time', attributes: html` step="1"` })}`
    case 'checkbox':
      return renderCheckbox({ ...state, ...texts, value: 'yes', isChecked: state.value === 'yes' })
    case 'domainFlag':
      return renderField({ ...state, ...texts, type: 'select', choices: listFlagChoices() })
    case 'choice': {
      const { types } = editor.choices
      return renderField({ ...state, ...texts, type: 'select', choices: types })
    }
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

function renderPassword(editor: Editor): SafeHtml {
  const { form, link } = editor
  const name = 'removePassword'
  const isChecked = form.texts[name] === 'yes'
  return html`${renderText(editor, 'password', {
    ...tAll(link?.hasPassword ? 'linkForm.newPassword' : 'linkForm.password'),
    attributes: html` spellcheck="false" autocapitalize="none"`,
  })}
${link?.hasPassword ? renderCheckbox({ name, value: 'yes', label: t('linkForm.removePassword'), isChecked }) : null}`
}

/** Renders a checkbox per pixel, campaign or channel. Without any, offers to create one. */
function renderSelection(
  editor: Editor,
  name: 'pixels' | 'campaigns' | 'channels',
): SafeHtml | null {
  const choices = editor.choices[name]
  const isPixels = name === 'pixels'
  const notes = notesOf(editor, name)
  if (isPixels && choices.length === 0 && !notes.error) return null
  const none =
    isPixels || choices.length > 0
      ? undefined
      : html`<p class="small soft">${t(`linkForm.memberships.${name}.none`)} <a href="/console/${name}/new">${t('linkForm.createOne')}</a></p>`
  return renderChoices({
    id: name,
    type: 'checkbox',
    choices,
    content: none,
    ...tAll(isPixels ? 'linkForm.pixels' : `linkForm.memberships.${name}`),
    ...notes,
  })
}

/** Renders the sticky column: the QR code of the short link and the preview of the link when shared. */
export function renderSideColumn(editor: Editor): SafeHtml {
  const { alias = '', domain = '' } = editor.form.texts
  const query = new URLSearchParams({
    ...(alias.trim() && { alias: alias.trim() }),
    ...(domain && { domain }),
  })
  const isWrong = Boolean(editor.errors?.alias || editor.errors?.domain)
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
  return html`<figure class="card" data-cards${withScript('card')} data-empty="${t('linkForm.card.empty')}" data-image="${t('linkForm.card.image')}">
<div class="card-box">
<img class="card-image" data-card-image src="${hash ? getShareImagePath(hash) : NO_IMAGE}" alt=""${hash ? null : html` hidden`}>
<p class="card-picture" data-card="picture"${host && !hash ? null : html` hidden`}>${t('linkForm.card.image', { host })}</p>
<p class="small soft" data-card="host" dir="ltr">${hostText(domain || choices.host)}</p>
<p class="card-title" data-card="title" dir="auto">${metaTitle || hostOf(url) || t('linkForm.card.empty')}</p>
<p class="card-text" data-card="description" dir="auto"${metaDescription ? null : html` hidden`}>${metaDescription ?? null}</p>
</div>
</figure>`
}

/** Renders the bookmark that opens the form for the current page. */
export function renderBookmarklet(baseUrl: string): SafeHtml {
  const newLinkUrl = JSON.stringify(`${baseUrl}/console/links/new?url=`)
  const script = `javascript:location.href=${newLinkUrl}+encodeURIComponent(location.href)`
  return renderPanel('bookmarklet', t('linkForm.bookmarklet.title'), [
    html`<p class="soft">${t('linkForm.bookmarklet.text')}</p>`,
    html`<p><a class="button quiet small" href="${script}" draggable="true">${t('linkForm.bookmarklet.button')}</a></p>`,
  ])
}

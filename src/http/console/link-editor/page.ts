import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { consolePage, type Frame } from '../shell/layout.ts'
import { errorAt, type FilledForm, typedText } from './form.ts'
import { FORM_FIELDS } from './form-fields.ts'
import { linkGroups } from './groups.ts'
import { formField, selectField } from './inputs.ts'
import { editorMessages, fieldText } from './messages.ts'
import { optionTag } from './rows.ts'
import { ruleTemplates } from './rules/panel.ts'

export type LinkEditor = FilledForm & {
  /** The link that is edited; a new one is made without it. */
  link?: { id: number; alias: string; shortUrl: string } | undefined
  /** What tells one showing of the form from another, so that sending it twice makes one link. */
  once: string
  /** Whether something was typed that is not stored. */
  isUnsaved: boolean
  /** Where the service is found, for the bookmarklet. */
  baseUrl: string
}

/** The page on which a link is made or changed, with everything that can be said of one. */
export function linkEditorPage(frame: Frame, editor: LinkEditor): string {
  const { link, fault, once, isUnsaved } = editor
  return consolePage(frame, {
    title: link ? `Edit ${link.alias}` : 'New link',
    section: '/console/links',
    files: [
      'link-form.css',
      'rules.css',
      'alias.js',
      'tags.js',
      'rows.js',
      'rules.js',
      'card.js',
      'saving.js',
    ],
    body: html`<h1>${link ? html`Edit <bdi>${link.alias}</bdi>` : 'New link'}</h1>
${link ? html`<p class="small"><a class="address" href="${link.shortUrl}" rel="noreferrer" target="_blank"><bdi>${shortLinkText(link.shortUrl)}</bdi></a></p>` : null}
${fault ? summary(editor) : null}
<form class="link-form" method="post" action="${link ? `/console/links/${link.id}/edit` : '/console/links/new'}" data-saving${isUnsaved ? html` data-unsaved` : null}>
${csrfField(frame.csrf)}<input type="hidden" name="once" value="${once}">
${essentials(editor)}
<div class="save-bar">
<button class="button" data-save>${link ? 'Save' : 'Create link'}</button>
<a class="button quiet" href="${link ? `/console/links/${link.id}` : '/console/links'}">Cancel</a>
<span class="small soft" data-state role="status">${isUnsaved ? 'Unsaved changes' : null}</span>
</div>
${linkGroups(editor)}
</form>
${ruleTemplates(editor)}
${link ? null : bookmarklet(editor)}`,
  })
}

/** Says at once that nothing was stored, and leads to where it is wrong. */
function summary({ fault }: LinkEditor): SafeHtml | null {
  if (!fault) return null
  const { field, text } = fault
  return html`<p class="notice" role="alert" id="summary">Check the highlighted field. ${
    field === 'form' ? text : html`<a href="#${field}">${labelOf(field)}</a>: ${text}`
  }</p>`
}

function essentials(editor: LinkEditor): SafeHtml {
  const { link, form, fault } = editor
  return html`<section class="panel" aria-label="The link">
${formField(editor, 'url', {
  label: 'Destination URL',
  optional: false,
  attributes: html` inputmode="url" spellcheck="false" dir="ltr"${fault || editor.more || typedText(form, 'url') ? null : html` autofocus`}`,
})}
<div class="columns">
<div data-free="/console/links/free"${link ? html` data-id="${link.id}"` : null}>
${formField(editor, 'alias', {
  label: 'Alias',
  optional: !link,
  hint: link
    ? 'Changing the alias breaks the old short link, including printed QR codes.'
    : 'Leave blank for a random alias.',
  attributes: html` autocapitalize="none" spellcheck="false"${!fault && !editor.more && !link && typedText(form, 'url') ? html` autofocus` : null}`,
})}
<p class="hint" data-answer role="status"></p>
</div>
${domainField(editor)}
</div>
${formField(editor, 'tags', {
  label: 'Tags',
  hint: 'Separate tags with commas.',
  attributes: html` list="known-tags"`,
})}
<datalist id="known-tags">${editor.choices.tags.map((name) => html`<option value="${name}">`)}</datalist>
</section>`
}

function domainField(editor: LinkEditor): SafeHtml | null {
  const { domains, host } = editor.choices
  const domain = typedText(editor.form, 'domain')
  if (domains.length === 0 && domain === '' && !errorAt(editor, 'domain')) return null
  const all = domain === '' || domains.includes(domain) ? domains : [...domains, domain]
  return selectField(editor, 'domain', {
    label: 'Domain',
    options: html`${optionTag({ value: '', label: host }, domain)}${all.map((name) => optionTag({ value: name, label: name }, domain))}`,
  })
}

const labels: Readonly<Record<string, string>> = {
  alias: 'Alias',
  domain: 'Domain',
  tags: 'Tags',
  rules: 'Targeting',
  pixels: 'Pixels',
  campaigns: 'Campaigns',
  channels: 'Channels',
  password: 'Password',
  ...Object.fromEntries(
    FORM_FIELDS.map(({ field, input, name }) => [
      input === 'moment' ? `${name}Day` : name,
      fieldText(field).label,
    ]),
  ),
}

/** What a field is called by its id, and in a list the row it is in. */
function labelOf(field: string): string {
  const [name = '', index] = field.split('-')
  if (name === 'rule') return `${editorMessages.rules.rule} ${Number(index) + 1}`
  const label = labels[name] ?? name
  return index === undefined ? label : `${label}, row ${Number(index) + 1}`
}

function bookmarklet({ baseUrl }: LinkEditor): SafeHtml {
  const address = JSON.stringify(`${baseUrl}/console/links/new?url=`)
  const script = `javascript:location.href=${address}+encodeURIComponent(location.href)`
  return html`<section class="panel" aria-labelledby="bookmarklet">
<h2 id="bookmarklet">Bookmarklet</h2>
<p class="soft">Drag this button to your bookmarks bar. Click it on any page to shorten that page.</p>
<p><a class="button quiet small" href="${script}" draggable="true">Shorten this page</a></p>
</section>`
}

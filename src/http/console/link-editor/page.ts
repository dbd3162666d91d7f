import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { fill, fillHtml } from '../../../pages/fill.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { renderEssentials } from './essentials.ts'
import { getFieldText } from './field-messages.ts'
import type { FilledForm } from './form.ts'
import { FORM_FIELDS } from './form-fields.ts'
import { renderLinkGroups } from './groups.ts'
import { editorMessages as texts } from './messages.ts'
import { ruleMessages } from './rules/messages.ts'
import { renderRuleTemplates } from './rules/panel.ts'
import { renderSideColumn } from './side.ts'
import { utmMessages } from './utm/messages.ts'

export type LinkEditor = FilledForm & {
  /** The link being edited, or undefined for a new one. */
  link?: { id: number; alias: string; shortUrl: string } | undefined
  /** Identifies a rendered form, so that submitting it twice creates one link. */
  once: string
  /** Whether the form has unsaved changes. */
  isUnsaved: boolean
  /** The URL of the service, for the bookmarklet. */
  baseUrl: string
}

/** Renders the page for creating or editing a link. */
export function renderLinkEditorPage(frame: Frame, editor: LinkEditor): string {
  const { link, fieldError, once, isUnsaved } = editor
  return renderConsolePage(frame, {
    title: link ? fill(texts.edit, { alias: link.alias }) : texts.new,
    section: '/console/links',
    files: [
      'link-form.css',
      'rules.css',
      'alias.js',
      'tags.js',
      'assist.js',
      'rows.js',
      'rules.js',
      'card.js',
      'saving.js',
    ],
    body: html`<h1>${link ? fillHtml(texts.edit, { alias: html`<bdi>${link.alias}</bdi>` }) : texts.new}</h1>
${link ? html`<p class="small"><a class="address" href="${link.shortUrl}" rel="noreferrer" target="_blank"><bdi>${shortLinkText(link.shortUrl)}</bdi></a></p>` : null}
${fieldError ? renderSummary(editor) : null}
<form class="link-form" method="post" enctype="multipart/form-data" action="${link ? `/console/links/${link.id}/edit` : '/console/links/new'}" data-saving${isUnsaved ? html` data-unsaved` : null}>
${csrfField(frame.csrf)}<input type="hidden" name="once" value="${once}">
<button class="hidden-text" tabindex="-1" aria-hidden="true">${link ? texts.save : texts.create}</button>
<div class="builder">
<div class="builder-main">
${renderEssentials(editor, link?.id)}
${renderLinkGroups(editor)}
</div>
${renderSideColumn(editor)}
</div>
<div class="save-bar">
<button class="button" data-save>${link ? texts.save : texts.create}</button>
<a class="button quiet" href="${link ? `/console/links/${link.id}` : '/console/links'}">${texts.cancel}</a>
<span class="small soft" data-state data-text="${texts.unsaved}" role="status">${isUnsaved ? texts.unsaved : null}</span>
</div>
</form>
${renderRuleTemplates(editor)}
${link ? null : renderBookmarklet(editor)}`,
  })
}

/** Renders a summary with the error and a link to its field. */
function renderSummary({ fieldError }: LinkEditor): SafeHtml | null {
  if (!fieldError) return null
  const { field, text } = fieldError
  return html`<p class="notice" role="alert" id="summary">${texts.check} ${
    field === 'form' ? text : html`<a href="#${field}">${findLabel(field)}</a>: ${text}`
  }</p>`
}

/** Returns the label of a field by id, with the row in a list. */
function findLabel(field: string): string {
  const known = listLabels()
  if (known[field] !== undefined) return known[field]
  const [name = '', index] = field.split('-')
  if (name === 'rule') return `${ruleMessages.rule} ${Number(index) + 1}`
  const label = known[name] ?? name
  return index === undefined ? label : fill(texts.row, { label, row: Number(index) + 1 })
}

function listLabels(): Readonly<Record<string, string>> {
  return {
    alias: texts.alias.label,
    domain: texts.domain,
    tags: texts.tags.label,
    metaImageFile: texts.card.upload,
    rules: getFieldText('rules').label,
    pixels: texts.pixels.legend,
    campaigns: texts.memberships.campaigns.legend,
    channels: texts.memberships.channels.legend,
    password: texts.password.label,
    'utm-name': utmMessages.name,
    ...Object.fromEntries(
      Object.entries(utmMessages.fields).map(([name, { label }]) => [name, label]),
    ),
    ...Object.fromEntries(
      FORM_FIELDS.map(({ field, input, name }) => [
        input === 'moment' ? `${name}Day` : name,
        getFieldText(field).label,
      ]),
    ),
  }
}

function renderBookmarklet({ baseUrl }: LinkEditor): SafeHtml {
  const newLinkUrl = JSON.stringify(`${baseUrl}/console/links/new?url=`)
  const script = `javascript:location.href=${newLinkUrl}+encodeURIComponent(location.href)`
  return html`<section class="panel" aria-labelledby="bookmarklet">
<h2 id="bookmarklet">${texts.bookmarklet.title}</h2>
<p class="soft">${texts.bookmarklet.text}</p>
<p><a class="button quiet small" href="${script}" draggable="true">${texts.bookmarklet.button}</a></p>
</section>`
}

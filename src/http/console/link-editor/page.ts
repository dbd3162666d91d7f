import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t, tHtml } from '../../../texts.ts'
import { UTM_NAMES } from '../../../utm/utm.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { renderEssentials } from './essentials.ts'
import { getFieldText } from './field-texts.ts'
import type { FilledForm } from './form.ts'
import { FORM_FIELDS } from './form-fields.ts'
import { renderLinkGroups } from './groups.ts'
import { renderRuleTemplates } from './rules/panel.ts'
import { renderSideColumn } from './side.ts'

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
    title: link ? t('linkForm.edit', { alias: link.alias }) : t('linkForm.new'),
    section: '/console/links',
    body: html`<h1>${link ? tHtml('linkForm.edit', { alias: html`<bdi>${link.alias}</bdi>` }) : t('linkForm.new')}</h1>
${link ? html`<p class="small"><a class="address" href="${link.shortUrl}" rel="noreferrer" target="_blank"><bdi>${shortLinkText(link.shortUrl)}</bdi></a></p>` : null}
${fieldError ? renderSummary(editor) : null}
<form class="link-form" method="post" enctype="multipart/form-data" action="${link ? `/console/links/${link.id}/edit` : '/console/links/new'}" data-saving${isUnsaved ? html` data-unsaved` : null}>
${csrfField(frame.csrf)}<input type="hidden" name="once" value="${once}">
<button class="hidden-text" tabindex="-1" aria-hidden="true">${link ? t('linkForm.save') : t('linkForm.create')}</button>
<div class="builder">
<div class="builder-main">
${renderEssentials(editor, link?.id)}
${renderLinkGroups(editor)}
</div>
${renderSideColumn(editor)}
</div>
<div class="save-bar">
<button class="button" data-save>${link ? t('linkForm.save') : t('linkForm.create')}</button>
<a class="button quiet" href="${link ? `/console/links/${link.id}` : '/console/links'}">${t('linkForm.cancel')}</a>
<span class="small soft" data-state data-text="${t('linkForm.unsaved')}" role="status">${isUnsaved ? t('linkForm.unsaved') : null}</span>
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
  return html`<p class="notice" role="alert" id="summary">${t('linkForm.check')} ${
    field === 'form' ? text : html`<a href="#${field}">${findLabel(field)}</a>: ${text}`
  }</p>`
}

/** Returns the label of a field by id, with the row in a list. */
function findLabel(field: string): string {
  const known = listLabels()
  if (known[field] !== undefined) return known[field]
  const [name = '', index] = field.split('-')
  if (name === 'rule') return `${t('rules.rule')} ${Number(index) + 1}`
  const label = known[name] ?? name
  return index === undefined ? label : t('linkForm.row', { label, row: Number(index) + 1 })
}

function listLabels(): Readonly<Record<string, string>> {
  return {
    alias: t('linkForm.alias.label'),
    domain: t('linkForm.domain'),
    tags: t('linkForm.tags.label'),
    metaImageFile: t('linkForm.card.upload'),
    rules: getFieldText('rules').label,
    pixels: t('linkForm.pixels.legend'),
    campaigns: t('linkForm.memberships.campaigns.legend'),
    channels: t('linkForm.memberships.channels.legend'),
    password: t('linkForm.password.label'),
    'utm-name': t('utm.name'),
    ...Object.fromEntries(UTM_NAMES.map((name) => [name, t(`utm.fields.${name}.label`)])),
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
<h2 id="bookmarklet">${t('linkForm.bookmarklet.title')}</h2>
<p class="soft">${t('linkForm.bookmarklet.text')}</p>
<p><a class="button quiet small" href="${script}" draggable="true">${t('linkForm.bookmarklet.button')}</a></p>
</section>`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { listAnalyticsKeys, renderAnalyticsSection } from '../analytics/section.ts'
import type { Analytics } from '../analytics/statistics.ts'
import type { PageLinks } from '../kit/pager.ts'
import type { Choice } from '../resources/form-field.ts'
import { type GroupItem, renderAddLinkForm, renderGroupItems } from '../resources/group-items.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'

export type ChannelPage = {
  channel: { id: number; name: string; description: string; color: string; starred: boolean }
  analytics: Analytics
  rows: readonly GroupItem[]
  pages: PageLinks
  /** The bio pages and codes that can be added, in a labeled group for each type. */
  itemChoices: readonly { label: string; choices: readonly Choice[] }[]
  /** The title of the item that was just added. */
  addedTitle: string | undefined
  /** The submitted short link that could not be added, and the error. */
  rejectedLink: { value: string; error: string } | undefined
  /** The error of the form that adds a bio page or code. */
  itemError: string | undefined
}

/** Renders a channel: its statistics and items. */
export function renderChannelPage(frame: Frame, page: ChannelPage): string {
  const { channel, analytics, rows, pages, addedTitle, rejectedLink } = page
  const section = '/console/channels'
  const path = `${section}/${channel.id}`
  const items = {
    title: t('channel.items'),
    emptyText: t('channel.noItems'),
    firstColumn: t('channel.name'),
    otherColumns: [t('channel.type'), t('channel.url')],
    rows,
    pages,
    addedTitle,
  }
  const forms = html`${renderAddLinkForm(frame, { action: `${path}/links`, rejectedLink })}
${renderItemForm(frame, `${path}/items`, page)}`
  return renderConsolePage(frame, {
    title: channel.name,
    section,
    keys: listAnalyticsKeys(),
    body: html`<p class="eyebrow"><a href="${section}">${t('channel.words.many')}</a></p>
<div class="head"><h1>${renderSwatch(channel.color)}<bdi>${channel.name}</bdi></h1><p class="actions"><a class="button small" href="${path}/edit" data-key="E" aria-keyshortcuts="E">${t('resource.edit')}</a> <a class="button quiet small" href="#items">${t('channel.items')}</a> <a class="button quiet small" href="${path}/delete">${t('resource.delete')}</a></p></div>
${channel.starred ? html`<p class="small soft">${t('channel.isStarred')}</p>` : null}
${channel.description ? html`<p class="text soft" dir="auto">${channel.description}</p>` : null}
${renderAnalyticsSection(frame, analytics)}
${renderGroupItems(frame, items, forms)}`,
  })
}

function renderSwatch(color: string): SafeHtml | null {
  return color === ''
    ? null
    : html`<svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="${color}"/></svg> `
}

/** Renders the form that adds a bio page or code. Without any to select, renders only its error. */
function renderItemForm(
  { csrf }: Frame,
  action: string,
  { itemChoices, itemError }: ChannelPage,
): SafeHtml | null {
  if (itemChoices.length === 0) {
    return itemError ? html`<p class="notice" role="alert">${itemError}</p>` : null
  }
  return html`<form method="post" action="${action}" class="adding">${csrfField(csrf)}
<div class="field">
<label for="item">${t('channel.addItem')}</label>
<select id="item" name="item"${itemError ? html` aria-describedby="item-error" aria-invalid="true" autofocus` : null}>${itemChoices.map(
    ({ label, choices }) =>
      html`<optgroup label="${label}">${choices.map(({ value, label }) => html`<option value="${value}">${label}</option>`)}</optgroup>`,
  )}</select>
${itemError ? html`<p class="error" id="item-error" role="alert">${itemError}</p>` : null}
</div>
<button class="button">${t('resource.add')}</button>
</form>`
}

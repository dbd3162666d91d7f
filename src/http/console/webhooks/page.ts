import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { t, tHtml } from '../../../texts.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'

export type ListedWebhook = { id: number; url: string; events: readonly string[]; state: string }

/** An event and whether it is selected. */
export type EventChoice = { type: string; label: string; isSelected: boolean }

/** The values and errors of the form for a new endpoint. */
export type WebhookForm = {
  url?: string
  errors?: { url?: string; events?: string; form?: string }
}

/** Renders the account's endpoints and the form for a new one. */
export function renderWebhooksPage(
  frame: Frame,
  {
    endpoints,
    events,
    form: { url = '', errors = {} },
  }: { endpoints: readonly ListedWebhook[]; events: readonly EventChoice[]; form: WebhookForm },
): string {
  return renderConsolePage(frame, {
    title: t('webhook.title'),
    section: '/console/webhooks',
    body: html`<h1>${t('webhook.title')}</h1>
<p class="soft">${tHtml('webhook.about', { standard: html`<a href="https://www.standardwebhooks.com/" rel="noreferrer">${t('webhook.standard')}</a>` })}</p>
<section class="panel" aria-labelledby="new">
<h2 id="new">${t('webhook.new')}</h2>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="/console/webhooks">
${csrfField(frame.csrf)}
${field({
  name: 'url',
  label: t('webhook.url'),
  autocomplete: 'off',
  value: url,
  maxLength: 2048,
  hint: t('webhook.urlHint'),
  ...(errors.url && { error: errors.url }),
  autofocus: Boolean(errors.url),
})}
<div class="field" role="group" aria-labelledby="events"${errors.events ? html` aria-describedby="events-error"` : null}>
<strong id="events">${t('webhook.eventsToSend')}</strong>
${events.map(renderEventChoice)}
${errors.events ? html`<p class="error" id="events-error" role="alert">${errors.events}</p>` : null}
</div>
<p><button class="button">${t('webhook.add')}</button></p>
</form>
</section>
<section class="panel" aria-labelledby="all">
<h2 id="all">${t('webhook.all')}</h2>
${
  endpoints.length === 0
    ? html`<p class="soft">${t('webhook.none')}</p>`
    : html`<table class="cards">
<thead><tr><th scope="col">${t('webhook.heads.url')}</th><th scope="col">${t('webhook.heads.events')}</th><th scope="col">${t('webhook.heads.status')}</th></tr></thead>
<tbody>${endpoints.map(renderRow)}</tbody>
</table>`
}
</section>`,
  })
}

function renderEventChoice({ type, label, isSelected }: EventChoice): SafeHtml {
  return html`<label class="check"><input type="checkbox" name="${type}" value="on"${isSelected ? html` checked` : null}> <span>${label} <code class="soft">${type}</code></span></label>`
}

function renderRow({ id, url, events, state }: ListedWebhook): SafeHtml {
  return html`<tr>
<th scope="row" class="fitted"><a class="address" href="/console/webhooks/${id}" title="${url}">${url}</a></th>
<td data-label="${t('webhook.heads.events')}">${events.join(', ')}</td>
<td data-label="${t('webhook.heads.status')}">${state}</td>
</tr>`
}

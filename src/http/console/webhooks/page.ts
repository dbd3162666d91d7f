import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { webhookMessages as messages } from './messages.ts'

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
  const { heads } = messages
  return renderConsolePage(frame, {
    title: messages.title,
    section: '/console/webhooks',
    body: html`<h1>${messages.title}</h1>
<p class="soft">${messages.about(html`<a href="https://www.standardwebhooks.com/" rel="noreferrer">${messages.standard}</a>`)}</p>
<section class="panel" aria-labelledby="new">
<h2 id="new">${messages.new}</h2>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="/console/webhooks">
${csrfField(frame.csrf)}
${field({
  name: 'url',
  label: messages.url,
  autocomplete: 'off',
  value: url,
  maxLength: 2048,
  hint: messages.urlHint,
  ...(errors.url && { error: errors.url }),
  autofocus: Boolean(errors.url),
})}
<div class="field" role="group" aria-labelledby="events"${errors.events ? html` aria-describedby="events-error"` : null}>
<strong id="events">${messages.eventsToSend}</strong>
${events.map(renderEventChoice)}
${errors.events ? html`<p class="error" id="events-error" role="alert">${errors.events}</p>` : null}
</div>
<p><button class="button">${messages.add}</button></p>
</form>
</section>
<section class="panel" aria-labelledby="all">
<h2 id="all">${messages.all}</h2>
${
  endpoints.length === 0
    ? html`<p class="soft">${messages.none}</p>`
    : html`<table class="cards">
<thead><tr><th scope="col">${heads.url}</th><th scope="col">${heads.events}</th><th scope="col">${heads.status}</th></tr></thead>
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
<td data-label="${messages.heads.events}">${events.join(', ')}</td>
<td data-label="${messages.heads.status}">${state}</td>
</tr>`
}

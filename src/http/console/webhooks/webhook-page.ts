import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { renderCopyable } from '../shell/copyable.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'

export type DeliveryView = {
  id: number
  type: string
  created: string
  attempts: number
  /** The outcome of the last attempt, as text. */
  result: string
  isWaiting: boolean
}

type WebhookView = {
  id: number
  url: string
  secret: string
  /** The time until which messages are also signed with the previous secret, as text. */
  previousSecretUntil: string | undefined
  events: readonly string[]
  state: string
  /** Whether deliveries are stopped. */
  isDisabled: boolean
  deliveries: readonly DeliveryView[]
  /** The note on dropped messages, if there are any. */
  dropped: string | undefined
}

/** Renders an endpoint with its secret and delivery log. */
export function renderWebhookPage(frame: Frame, endpoint: WebhookView): string {
  const { id, url, secret, previousSecretUntil, events, state, isDisabled, deliveries, dropped } =
    endpoint
  const path = `/console/webhooks/${id}`
  return renderConsolePage(frame, {
    title: t('webhook.one'),
    section: '/console/webhooks',
    body: html`<p class="eyebrow"><a href="/console/webhooks">${t('webhook.title')}</a></p>
<h1>${t('webhook.one')}</h1>
<p class="address">${url}</p>
<section class="panel" aria-labelledby="endpoint">
<h2 id="endpoint">${t('webhook.endpoint')}</h2>
<p>${isDisabled ? html`<strong>${state}</strong>` : state}</p>
<p>${t('webhook.events', { names: events.join(', ') })}</p>
<p>${t('webhook.secret')} ${renderCopyable({ id: 'secret', text: secret })}</p>
${previousSecretUntil ? html`<p>${t('webhook.oldSecret', { until: previousSecretUntil })}</p>` : null}
<p class="small soft">${t('webhook.rules')}</p>
<div class="actions">${isDisabled ? renderButton(frame, `${path}/enable`, t('webhook.enable')) : renderButton(frame, `${path}/test`, t('webhook.test'))}
${renderButton(frame, `${path}/rotate`, t('webhook.rotate'))}</div>
</section>
<section class="panel" aria-labelledby="messages">
<div class="head"><h2 id="messages">${t('webhook.deliveries.title')}</h2><a class="button quiet small" href="${path}">${t('webhook.deliveries.refresh')}</a></div>
${dropped ? html`<p class="notice">${dropped}</p>` : null}
${
  deliveries.length === 0
    ? html`<p class="soft">${t('webhook.deliveries.none')}</p>`
    : html`<table class="cards">
<thead><tr>${[t('webhook.deliveries.message'), t('webhook.deliveries.created'), t('webhook.deliveries.attempts'), t('webhook.deliveries.result'), t('webhook.deliveries.action')].map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
<tbody>${deliveries.map((each) => renderRow(frame, path, isDisabled, each))}</tbody>
</table>
<p class="small soft">${t('webhook.deliveries.kept')}</p>`
}
</section>
<section class="panel" aria-labelledby="end">
<h2 id="end">${t('webhook.delete.title')}</h2>
<details><summary>${t('webhook.delete.summary')}</summary>
<form method="post" action="${path}/delete">${csrfField(frame.csrf)}
<p class="small">${t('webhook.delete.text')}</p>
<p><button class="button danger">${t('webhook.delete.button')}</button></p>
</form></details>
</section>`,
  })
}

function renderRow(
  frame: Frame,
  path: string,
  isDisabled: boolean,
  { id, type, created, attempts, result, isWaiting }: DeliveryView,
): SafeHtml {
  const isFirstAttemptPending = isWaiting && attempts === 0
  const canResend = !isDisabled && !isFirstAttemptPending
  return html`<tr>
<th scope="row" class="whole">${type}<br><span class="small soft">${`msg_${id}`}</span></th>
<td data-label="${t('webhook.deliveries.created')}">${created}</td>
<td data-label="${t('webhook.deliveries.attempts')}">${attempts}</td>
<td data-label="${t('webhook.deliveries.result')}">${result}</td>
<td class="whole">${canResend ? renderButton(frame, `${path}/deliveries/${id}`, t('webhook.deliveries.resend'), type) : null}</td>
</tr>`
}

function renderButton({ csrf }: Frame, action: string, text: string, subject = ''): SafeHtml {
  const hiddenSubject = subject && html`<span class="hidden-text"> ${subject}</span>`
  return html`<form class="in-row" method="post" action="${action}">${csrfField(csrf)}<button class="button quiet small">${text}${hiddenSubject}</button></form>`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { copyable } from '../shell/copyable.ts'
import { consolePage, type Frame } from '../shell/layout.ts'

export type ShownDelivery = {
  id: number
  type: string
  created: string
  attempts: number
  /** The outcome of the last attempt, as text. */
  result: string
  waiting: boolean
}

type Shown = {
  id: number
  url: string
  secret: string
  /** The time until which the previous secret also signs. */
  oldUntil: string | undefined
  events: readonly string[]
  state: string
  /** Whether deliveries are stopped. */
  disabled: boolean
  deliveries: readonly ShownDelivery[]
  /** When messages were dropped, as text, if any were. */
  dropped: string | undefined
}

/** Renders an endpoint with its secret and delivery log. Times are UTC. */
export function webhookPage(frame: Frame, endpoint: Shown): string {
  const { id, url, secret, oldUntil, events, state, disabled, deliveries, dropped } = endpoint
  const path = `/console/webhooks/${id}`
  return consolePage(frame, {
    title: 'Webhook',
    section: '/console/webhooks',
    body: html`<p class="eyebrow"><a href="/console/webhooks">Webhooks</a></p>
<h1>Webhook</h1>
<p class="address">${url}</p>
<section class="panel" aria-labelledby="endpoint">
<h2 id="endpoint">Endpoint</h2>
<p>${disabled ? html`<strong>${state}</strong>` : state}</p>
<p>Events: ${events.join(', ')}</p>
<p>Signing secret ${copyable({ id: 'secret', text: secret })}</p>
${oldUntil ? html`<p>The previous secret also works until ${oldUntil}.</p>` : null}
<p class="small soft">Verify signatures with this secret. Failed deliveries (non-2xx) are retried up to 10 times over 3 days. Endpoints that return 410 or fail for 5 days are disabled.</p>
<div class="actions">${disabled ? button(frame, `${path}/enable`, 'Enable') : button(frame, `${path}/test`, 'Send test event')}
${button(frame, `${path}/rotate`, 'Rotate secret')}</div>
</section>
<section class="panel" aria-labelledby="messages">
<div class="head"><h2 id="messages">Recent deliveries</h2><a class="button quiet small" href="${path}">Refresh</a></div>
${dropped ? html`<p class="notice">${dropped}</p>` : null}
${
  deliveries.length === 0
    ? html`<p class="soft">No deliveries yet.</p>`
    : html`<table class="cards">
<thead><tr><th scope="col">Message</th><th scope="col">Created</th><th scope="col">Attempts</th><th scope="col">Result</th><th scope="col">Action</th></tr></thead>
<tbody>${deliveries.map((each) => row(frame, path, disabled, each))}</tbody>
</table>
<p class="small soft">Shows the last 100 deliveries. Finished deliveries are kept for 14 days.</p>`
}
</section>
<section class="panel" aria-labelledby="end">
<h2 id="end">Delete</h2>
<details><summary>Delete this endpoint</summary>
<form method="post" action="${path}/delete">${csrfField(frame.csrf)}
<p class="small">Deletes the endpoint, its secret and its delivery log.</p>
<p><button class="button danger">Delete endpoint</button></p>
</form></details>
</section>`,
  })
}

function row(
  frame: Frame,
  path: string,
  disabled: boolean,
  { id, type, created, attempts, result, waiting }: ShownDelivery,
): SafeHtml {
  return html`<tr>
<th scope="row" class="whole">${type}<br><span class="small soft">msg_${id}</span></th>
<td data-label="Created">${created}</td>
<td data-label="Attempts">${attempts}</td>
<td data-label="Result">${result}</td>
<td class="whole">${waiting && attempts === 0 ? null : disabled ? null : button(frame, `${path}/deliveries/${id}`, 'Send again', type)}</td>
</tr>`
}

function button({ csrf }: Frame, action: string, text: string, which = ''): SafeHtml {
  const what = which && html`<span class="hidden-text"> ${which}</span>`
  return html`<form class="in-row" method="post" action="${action}">${csrfField(csrf)}<button class="button quiet small">${text}${what}</button></form>`
}

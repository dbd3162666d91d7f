import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../field.ts'
import { copyable } from './copyable.ts'
import { consolePage, type Frame } from './frame.ts'

export type ShownDelivery = {
  id: number
  type: string
  created: string
  attempts: number
  /** What became of it, in words. */
  result: string
  waiting: boolean
}

type Shown = {
  id: number
  url: string
  secret: string
  /** Until when the secret before it signs as well. */
  oldUntil: string | undefined
  events: readonly string[]
  state: string
  /** Whether nothing is sent any more. */
  disabled: boolean
  deliveries: readonly ShownDelivery[]
}

/** An endpoint with its secret and its latest messages. Moments are UTC. */
export function webhookPage(frame: Frame, endpoint: Shown): string {
  const { id, url, secret, oldUntil, events, state, disabled, deliveries } = endpoint
  const path = `/console/webhooks/${id}`
  return consolePage(frame, {
    title: 'Webhook',
    section: '/console/webhooks',
    body: html`<p class="eyebrow"><a href="/console/webhooks">Webhooks</a></p>
<h1>Webhook</h1>
<p class="address">${url}</p>
<section class="panel" aria-labelledby="endpoint">
<h2 id="endpoint">Endpoint</h2>
<p>${disabled ? html`<strong>Off.</strong> ${state}` : state}</p>
<p>It is told of ${events.join(', ')}.</p>
<p>Messages are signed with the secret ${copyable({ id: 'secret', text: secret })}</p>
${oldUntil ? html`<p>The secret before it signs as well until ${oldUntil} (UTC).</p>` : null}
<p class="small soft">A program that gets them checks the signature with it. Every 2xx is taken as success; otherwise a message is sent again, up to ten times within about three days. An endpoint that answers 410, or fails for five days, is turned off.</p>
<div class="actions">${disabled ? button(frame, `${path}/enable`, 'Turn on') : button(frame, `${path}/test`, 'Send a test')}
${button(frame, `${path}/rotate`, 'Replace the secret')}</div>
</section>
<section class="panel" aria-labelledby="messages">
<div class="head"><h2 id="messages">Latest messages</h2><a class="button quiet small" href="${path}">Refresh</a></div>
${
  deliveries.length === 0
    ? html`<p class="soft">Nothing was sent yet.</p>`
    : html`<table class="cards">
<thead><tr><th scope="col">Message</th><th scope="col">Made (UTC)</th><th scope="col">Attempts</th><th scope="col">Result</th><th scope="col">Change</th></tr></thead>
<tbody>${deliveries.map((each) => row(frame, path, disabled, each))}</tbody>
</table>
<p class="small soft">Messages are kept for 30 days; the last 50 are shown.</p>`
}
</section>
<section class="panel" aria-labelledby="end">
<h2 id="end">Delete</h2>
<details><summary>Delete this endpoint</summary>
<form method="post" action="${path}/delete">${csrfField(frame.csrf)}
<p class="small">Nothing is sent to it any more, and its messages and its secret are forgotten.</p>
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
<td data-label="Made">${created}</td>
<td data-label="Attempts">${attempts}</td>
<td data-label="Result">${result}</td>
<td class="whole">${waiting && attempts === 0 ? null : disabled ? null : button(frame, `${path}/deliveries/${id}`, 'Send again', type)}</td>
</tr>`
}

function button({ csrf }: Frame, action: string, text: string, which = ''): SafeHtml {
  const what = which && html`<span class="hidden-text"> ${which}</span>`
  return html`<form class="in-row" method="post" action="${action}">${csrfField(csrf)}<button class="button quiet small">${text}${what}</button></form>`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { findText, t, tHtml } from '../../texts.ts'
import {
  addWebhook,
  deleteWebhook,
  enableWebhook,
  getWebhook,
  listWebhookDeliveries,
  listWebhooks,
  resendWebhookMessage,
  rotateWebhookSecret,
  testWebhook,
} from '../../webhooks/webhook.service.ts'
import type { WebhookDelivery, WebhookEndpoint } from '../../webhooks/webhook.ts'
import { EVENT_TYPES } from '../../webhooks/webhook.ts'
import { uncompressedHeader } from '../compression.ts'
import { defineForm } from './kit/form.ts'
import { renderBlank, renderButtonForm, renderCopyable, renderPanel } from './kit/parts.ts'
import { renderConfirmedButton } from './kit/popup.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from './kit/subject.ts'
import { renderTable } from './kit/table.ts'
import { formatMoment, formatSecond } from './shell/format.ts'
import type { Frame } from './shell/layout.ts'
import { renderSectionIcon } from './shell/navigation.ts'

const PATH = '/console/webhooks'
const STANDARD = 'https://www.standardwebhooks.com/'

const form = defineForm({
  url: { label: 'webhook.url', hint: 'webhook.urlHint', maxLength: 2048 },
  events: {
    type: 'checks',
    label: 'webhook.eventsToSend',
    choices: () =>
      EVENT_TYPES.map((type) => ({
        value: type,
        label: html`${t(`webhook.eventTypes.${type}`)} <code class="soft">${type}</code>`,
      })),
  },
})

/** Registers webhooks: an account's endpoints, a form for a new endpoint, and the delivery log. */
export function registerWebhookRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, submit, action } = defineSubject(app, PATH)

  page('/webhooks', 'editor', (request) => renderList(request))
  submit('/webhooks', 'editor', form, add, renderList)
  page('/webhooks/:id', 'editor', renderEndpoint)

  const changes = { test: testWebhook, enable: enableWebhook, rotate: rotateWebhookSecret }
  for (const name of ['test', 'enable', 'rotate'] as const) {
    action(`/webhooks/:id/${name}`, 'editor', async (request) => {
      const id = idOf(request)
      await changes[name](request.scope, id)
      return { to: `${PATH}/${id}`, toast: name === 'test' ? 'testSent' : 'saved' }
    })
  }

  action('/webhooks/:id/delete', 'editor', async (request) => {
    await deleteWebhook(request.scope, idOf(request))
    return { to: PATH, toast: 'deleted' }
  })

  action('/webhooks/:id/deliveries/:delivery', 'editor', async (request) => {
    const id = idOf(request)
    const delivery = idOf(request, 'delivery')
    await resendWebhookMessage(request.scope, id, delivery)
    return { to: `${PATH}/${id}` }
  })

  async function add({ scope }: ConsoleRequest, input: { url: string; events: readonly string[] }) {
    const events = EVENT_TYPES.filter((type) => input.events.includes(type))
    const id = await addWebhook(scope, { url: input.url, events })
    return { to: `${PATH}/${id}` }
  }

  async function renderList(
    { scope, session }: ConsoleRequest,
    state: Parameters<typeof form.render>[1] = {
      values: { events: ['link.created', 'link.updated', 'link.deleted'] },
    },
  ): Promise<Page> {
    const { timeZone } = session.user
    const endpoints = await listWebhooks(scope)
    const standard = html`<a href="${STANDARD}" rel="noreferrer">${t('webhook.standard')}</a>`
    return {
      title: t('webhook.title'),
      body: (frame) => html`<h1>${t('webhook.title')}</h1>
<p class="soft">${tHtml('webhook.about', { standard })}</p>
${endpoints.length === 0 ? renderBlank(t('webhook.none'), t('webhook.example'), html`<a class="button quiet" href="#new">${t('webhook.add')}</a>`, renderSectionIcon(PATH)) : null}
${renderPanel('new', t('webhook.new'), [form.renderError(state), form.render(frame, state, { action: PATH, button: t('webhook.add') })])}
${endpoints.length > 0 ? renderPanel('all', t('webhook.all'), renderEndpoints(endpoints, timeZone)) : null}`,
    }
  }

  async function renderEndpoint(request: ConsoleRequest): Promise<Page> {
    const { user } = request.session
    const endpoint = await getWebhook(request.scope, idOf(request))
    const deliveries = await listWebhookDeliveries(request.scope, endpoint.id)
    const { timeZone } = user
    const path = `${PATH}/${endpoint.id}`
    return {
      title: t('webhook.one'),
      headers: uncompressedHeader,
      body: (frame) => html`<p class="eyebrow"><a href="${PATH}">${t('webhook.title')}</a></p>
<div class="head"><h1>${t('webhook.one')}</h1>
${renderConfirmedButton(frame, {
  action: `${path}/delete`,
  summary: t('webhook.delete.title'),
  text: t('webhook.delete.text'),
  button: t('webhook.delete.button'),
})}</div>
<p class="address">${endpoint.url}</p>
${renderPanel('endpoint', t('webhook.endpoint'), renderFacts(frame, endpoint, { path, timeZone, now: ctx.clock() }))}
${renderPanel(
  'messages',
  t('webhook.deliveries.title'),
  renderLog(frame, endpoint, deliveries, { path, timeZone }),
  {
    beside: html`<a class="button quiet small" href="${path}">${t('webhook.deliveries.refresh')}</a>`,
  },
)}`,
    }
  }
}

function renderEndpoints(endpoints: readonly WebhookEndpoint[], timeZone: string): SafeHtml {
  return renderTable(
    endpoints,
    [
      {
        head: t('webhook.heads.url'),
        className: 'fitted',
        cell: ({ id, url }) =>
          html`<a class="address" href="${PATH}/${id}" title="${url}">${url}</a>`,
      },
      { head: t('webhook.heads.events'), cell: ({ events }) => events.join(', ') },
      { head: t('webhook.heads.status'), cell: (each) => describeState(each, timeZone) },
    ],
    { empty: t('webhook.none') },
  )
}

function renderFacts(
  frame: Frame,
  endpoint: WebhookEndpoint,
  { path, timeZone, now }: { path: string; timeZone: string; now: Date },
): SafeHtml {
  const { disabled, events, secret, oldSecretUntil } = endpoint
  const state = describeState(endpoint, timeZone)
  const until = oldSecretUntil && oldSecretUntil > now && formatMoment(oldSecretUntil, timeZone)
  const change = disabled ? 'enable' : 'test'
  return html`<p>${disabled ? html`<strong>${state}</strong>` : state}</p>
<p>${t('webhook.events', { names: events.join(', ') })}</p>
<p>${t('webhook.secret')} ${renderCopyable({ id: 'secret', text: secret })}</p>
${until ? html`<p>${t('webhook.oldSecret', { until })}</p>` : null}
<p class="small soft">${t('webhook.rules')}</p>
<div class="actions">${renderButtonForm(frame, { action: `${path}/${change}`, text: t(`webhook.${change}`) })}
${renderButtonForm(frame, { action: `${path}/rotate`, text: t('webhook.rotate') })}</div>`
}

function renderLog(
  frame: Frame,
  { disabled, dropped }: WebhookEndpoint,
  deliveries: readonly WebhookDelivery[],
  { path, timeZone }: { path: string; timeZone: string },
): SafeHtml {
  const canResend = ({ state, attempts }: WebhookDelivery) =>
    disabled === null && !(state === 'waiting' && attempts === 0)
  const table = renderTable(
    deliveries,
    [
      {
        head: t('webhook.deliveries.message'),
        className: 'whole',
        cell: ({ id, type }) => html`${type}<br><span class="small soft">${`msg_${id}`}</span>`,
      },
      {
        head: t('webhook.deliveries.created'),
        cell: ({ createdAt }) => formatSecond(createdAt, timeZone),
      },
      { head: t('webhook.deliveries.attempts'), cell: ({ attempts }) => attempts },
      { head: t('webhook.deliveries.result'), cell: (each) => describeResult(each, timeZone) },
      {
        head: t('webhook.deliveries.action'),
        className: 'whole',
        unlabeled: true,
        cell: (each) =>
          canResend(each)
            ? renderButtonForm(frame, {
                action: `${path}/deliveries/${each.id}`,
                text: t('webhook.deliveries.resend'),
                subject: each.type,
              })
            : null,
      },
    ],
    { empty: t('webhook.deliveries.none') },
  )
  const time = dropped ? formatMoment(dropped.lastAt, timeZone) : ''
  return html`${dropped ? html`<p class="notice">${t('webhook.dropped', { n: dropped.count, time })}</p>` : null}
${table}
${deliveries.length > 0 ? html`<p class="small soft">${t('webhook.deliveries.kept')}</p>` : null}`
}

function describeState({ disabled, failingSince }: WebhookEndpoint, timeZone: string): string {
  if (disabled) {
    const reason = disabled.by === 'gone' ? t('webhook.gone') : t('webhook.failures')
    return t('webhook.disabledOn', { time: formatMoment(disabled.at, timeZone), reason })
  }
  return failingSince
    ? t('webhook.failingSince', { time: formatMoment(failingSince, timeZone) })
    : t('webhook.active')
}

function describeResult(
  { state, attempts, nextAt, status, problem }: WebhookDelivery,
  timeZone: string,
): string {
  if (state === 'delivered') return t('webhook.delivered', { status: String(status) })
  const returned = status === null ? undefined : t('webhook.returned', { status: String(status) })
  const reason = problem === null ? returned : describeProblem(problem)
  if (state === 'failed') return reason ? t('webhook.failedFor', { reason }) : t('webhook.failed')
  if (!nextAt || attempts === 0) return t('webhook.waiting')
  return reason
    ? t('webhook.retrying', { time: formatSecond(nextAt, timeZone), reason })
    : t('webhook.sending')
}

/** Describes why an endpoint did not respond, by its code. Earlier versions have stored the text. */
function describeProblem(problem: string): string {
  return findText('problems', `outbound_${problem}`) ?? problem
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { EVENT_TYPES, EVENTS } from '../../webhooks/event.ts'
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
import { toAppError } from '../errors.ts'
import { pageRoute } from '../html/page-route.ts'
import { formatTimestamp } from '../timestamp.ts'
import { pathId } from './path-id.ts'
import { faultText, fieldsOf, sendConsole } from './send.ts'
import { formatCount } from './shell/format-count.ts'
import { setToast } from './shell/toast.ts'
import { type WebhookForm, webhooksPage } from './webhooks/page.ts'
import { type ShownDelivery, webhookPage } from './webhooks/webhook-page.ts'

type WebhookRequest = FastifyRequest<{ Params: { id: string } }>
type DeliveryRequest = FastifyRequest<{ Params: { id: string; delivery: string } }>

const hidden = { schema: { hide: true } }

/** Webhooks: the endpoints of an account, a new one, and what was sent to one. */
export function webhookRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { clock } = ctx
  app.route({ ...pageRoute, url: '/webhooks', handler: async (_request, reply) => sendList(reply) })

  app.post('/webhooks', hidden, async (request, reply) => {
    const { url, ...chosen } = fieldsOf(request.body, ['url', ...EVENT_TYPES])
    const events = EVENT_TYPES.filter((type) => chosen[type] !== '')
    try {
      const id = await addWebhook(ctx, ctx.db, request.session.account.id, { url, events })
      return reply.redirect(`/console/webhooks/${id}`, 303)
    } catch (error) {
      const rejection = toAppError(error, request.log)
      if (rejection.status >= 500) throw rejection
      const { field } = rejection
      const at = field === 'url' || field === 'events' ? field : 'form'
      const form = { url, errors: { [at]: faultText(rejection) } }
      return sendList(reply, form, events, field === undefined ? rejection.status : 422)
    }
  })

  app.route({
    ...pageRoute,
    url: '/webhooks/:id',
    handler: async (request: WebhookRequest, reply) => {
      const [accountId, id] = [request.session.account.id, pathId(request.params.id)]
      const endpoint = await getWebhook(ctx.db, accountId, id)
      const deliveries = (await listWebhookDeliveries(ctx.db, accountId, id)).map(presentDelivery)
      const { url, secret, events, disabled, dropped } = endpoint
      const until = endpoint.oldSecretUntil
      const oldUntil = until && until > clock() ? formatTimestamp(until) : undefined
      const shown = { id, url, secret, oldUntil, events, state: stateText(endpoint), deliveries }
      return sendConsole(reply, (frame) =>
        webhookPage(frame, {
          ...shown,
          disabled: disabled !== null,
          dropped: dropped ? droppedText(dropped) : undefined,
        }),
      )
    },
  })

  const actions = { test: testWebhook, enable: enableWebhook, rotate: rotateWebhookSecret }
  for (const action of ['test', 'enable', 'rotate'] as const) {
    app.post(`/webhooks/:id/${action}`, hidden, async (request: WebhookRequest, reply) => {
      const id = pathId(request.params.id)
      await actions[action](ctx, ctx.db, request.session.account.id, id)
      setToast(reply, action === 'test' ? 'testSent' : 'saved')
      return reply.redirect(`/console/webhooks/${id}`, 303)
    })
  }

  app.post('/webhooks/:id/delete', hidden, async (request: WebhookRequest, reply) => {
    await deleteWebhook(ctx, ctx.db, request.session.account.id, pathId(request.params.id))
    setToast(reply, 'deleted')
    return reply.redirect('/console/webhooks', 303)
  })

  app.post(
    '/webhooks/:id/deliveries/:delivery',
    hidden,
    async (request: DeliveryRequest, reply) => {
      const [id, delivery] = [pathId(request.params.id), pathId(request.params.delivery)]
      await resendWebhookMessage(ctx, ctx.db, request.session.account.id, id, delivery)
      return reply.redirect(`/console/webhooks/${id}`, 303)
    },
  )

  async function sendList(
    reply: FastifyReply,
    form: WebhookForm = {},
    chosen: readonly string[] = ['link.created', 'link.updated', 'link.deleted'],
    status = 200,
  ): Promise<FastifyReply> {
    const listed = await listWebhooks(ctx.db, reply.request.session.account.id)
    const endpoints = listed.map((endpoint) => {
      const { id, url, events } = endpoint
      return { id, url, events, state: stateText(endpoint) }
    })
    const events = EVENT_TYPES.map((type) => {
      return { type, label: EVENTS[type], chosen: chosen.includes(type) }
    })
    return sendConsole(reply, (frame) => webhooksPage(frame, { endpoints, events, form }), {
      status,
    })
  }
}

function stateText({ disabled, failingSince }: WebhookEndpoint): string {
  if (disabled) {
    const reason = disabled.by === 'gone' ? 'returned 410' : 'failed for 5 days'
    return `Disabled on ${formatTimestamp(disabled.at)} (${reason})`
  }
  return failingSince ? `Failing since ${formatTimestamp(failingSince)}` : 'Active'
}

function droppedText({ count, lastAt }: NonNullable<WebhookEndpoint['dropped']>): string {
  const messages = count === 1 ? '1 message was' : `${formatCount(count)} messages were`
  const last = `the last on ${formatTimestamp(lastAt)} (UTC)`
  return `${messages} dropped because too many were waiting, ${last}.`
}

function presentDelivery(delivery: WebhookDelivery): ShownDelivery {
  const { id, type, state, attempts, createdAt } = delivery
  return {
    ...{ id, type, attempts, created: formatTimestamp(createdAt), waiting: state === 'waiting' },
    result: resultText(delivery),
  }
}

function resultText({ state, attempts, nextAt, status, problem }: WebhookDelivery): string {
  if (state === 'delivered') return `Delivered (${status})`
  const reason = problem ?? (status === null ? undefined : `returned ${status}`)
  if (state === 'failed') return reason ? `Failed – ${reason}` : 'Failed'
  if (!nextAt || attempts === 0) return 'Waiting'
  return reason ? `Retrying at ${formatTimestamp(nextAt)} – ${reason}` : 'Sending'
}

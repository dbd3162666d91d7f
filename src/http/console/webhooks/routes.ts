import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { t } from '../../../texts.ts'
import { EVENT_TYPES } from '../../../webhooks/event.ts'
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
} from '../../../webhooks/webhook.service.ts'
import type { WebhookDelivery, WebhookEndpoint } from '../../../webhooks/webhook.ts'
import { toAppError } from '../../errors.ts'
import { translateProblem } from '../../localization/error-text.ts'
import { parsePathId } from '../../request/path-id.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { formatMoment, formatSecond } from '../shell/format-day.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { setToast } from '../shell/toast.ts'
import { renderWebhooksPage, type WebhookForm } from './page.ts'
import { type DeliveryView, renderWebhookPage } from './webhook-page.ts'

type WebhookRequest = FastifyRequest<{ Params: { id: string } }>
type DeliveryRequest = FastifyRequest<{ Params: { id: string; delivery: string } }>

/**
 * Registers the routes of webhooks: an account's endpoints, a form for a new endpoint, and the
 * delivery log.
 */
export function registerWebhookRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { clock } = ctx
  app.route({
    ...pageFor('editor'),
    url: '/webhooks',
    handler: async (_request, reply) => sendList(reply),
  })

  app.post('/webhooks', formFor('editor'), async (request, reply) => {
    const { url, ...selectedEvents } = readFields(request.body, ['url', ...EVENT_TYPES])
    const events = EVENT_TYPES.filter((type) => selectedEvents[type] !== '')
    try {
      const id = await addWebhook(ctx, ctx.db, request.session.account.id, { url, events })
      return reply.redirect(`/console/webhooks/${id}`, 303)
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500) throw rejection
      const { field } = rejection
      const errorField = field === 'url' || field === 'events' ? field : 'form'
      const form = { url, errors: { [errorField]: describeFormError(errorField, rejection) } }
      return sendList(reply, form, events, field === undefined ? rejection.status : 422)
    }
  })

  app.route({
    ...pageFor('editor'),
    url: '/webhooks/:id',
    handler: async (request: WebhookRequest, reply) => {
      const accountId = request.session.account.id
      const id = parsePathId(request.params.id)
      const { timeZone } = request.session.user
      const endpoint = await getWebhook(ctx.db, accountId, id)
      const deliveries = (await listWebhookDeliveries(ctx.db, accountId, id)).map((delivery) =>
        presentDelivery(delivery, timeZone),
      )
      const { url, secret, events, disabled, dropped } = endpoint
      const until = endpoint.oldSecretUntil
      const previousSecretUntil =
        until && until > clock() ? formatMoment(until, timeZone) : undefined
      return sendConsolePage(reply, (frame) =>
        renderWebhookPage(frame, {
          id,
          url,
          secret,
          previousSecretUntil,
          events,
          state: describeState(endpoint, timeZone),
          deliveries,
          isDisabled: disabled !== null,
          dropped: dropped ? describeDropped(dropped, timeZone) : undefined,
        }),
      )
    },
  })

  const actions = { test: testWebhook, enable: enableWebhook, rotate: rotateWebhookSecret }
  for (const action of ['test', 'enable', 'rotate'] as const) {
    app.post(
      `/webhooks/:id/${action}`,
      formFor('editor'),
      async (request: WebhookRequest, reply) => {
        const id = parsePathId(request.params.id)
        await actions[action](ctx, ctx.db, request.session.account.id, id)
        setToast(reply, action === 'test' ? 'testSent' : 'saved')
        return reply.redirect(`/console/webhooks/${id}`, 303)
      },
    )
  }

  app.post('/webhooks/:id/delete', formFor('editor'), async (request: WebhookRequest, reply) => {
    await deleteWebhook(ctx, ctx.db, request.session.account.id, parsePathId(request.params.id))
    setToast(reply, 'deleted')
    return reply.redirect('/console/webhooks', 303)
  })

  app.post(
    '/webhooks/:id/deliveries/:delivery',
    formFor('editor'),
    async (request: DeliveryRequest, reply) => {
      const id = parsePathId(request.params.id)
      const delivery = parsePathId(request.params.delivery)
      await resendWebhookMessage(ctx, ctx.db, request.session.account.id, id, delivery)
      return reply.redirect(`/console/webhooks/${id}`, 303)
    },
  )

  async function sendList(
    reply: FastifyReply,
    form: WebhookForm = {},
    selectedEvents: readonly string[] = ['link.created', 'link.updated', 'link.deleted'],
    status = 200,
  ): Promise<FastifyReply> {
    const { account, user } = reply.request.session
    const { timeZone } = user
    const webhooks = await listWebhooks(ctx.db, account.id)
    const endpoints = webhooks.map((endpoint) => {
      const { id, url, events } = endpoint
      return { id, url, events, state: describeState(endpoint, timeZone) }
    })
    const events = EVENT_TYPES.map((type) => {
      return {
        type,
        label: t(`webhook.eventTypes.${type}`),
        isSelected: selectedEvents.includes(type),
      }
    })
    return sendConsolePage(
      reply,
      (frame) => renderWebhooksPage(frame, { endpoints, events, form }),
      {
        status,
      },
    )
  }
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

function describeDropped(
  { count, lastAt }: NonNullable<WebhookEndpoint['dropped']>,
  timeZone: string,
): string {
  return t('webhook.dropped', { n: count, time: formatMoment(lastAt, timeZone) })
}

function presentDelivery(delivery: WebhookDelivery, timeZone: string): DeliveryView {
  const { id, type, state, attempts, createdAt } = delivery
  return {
    id,
    type,
    attempts,
    created: formatSecond(createdAt, timeZone),
    isWaiting: state === 'waiting',
    result: describeResult(delivery, timeZone),
  }
}

function describeResult(
  { state, attempts, nextAt, status, problem }: WebhookDelivery,
  timeZone: string,
): string {
  if (state === 'delivered') return t('webhook.delivered', { status: String(status) })
  const returned = status === null ? undefined : t('webhook.returned', { status: String(status) })
  const reason = problem === null ? returned : translateProblem(problem)
  if (state === 'failed') return reason ? t('webhook.failedFor', { reason }) : t('webhook.failed')
  if (!nextAt || attempts === 0) return t('webhook.waiting')
  return reason
    ? t('webhook.retrying', { time: formatSecond(nextAt, timeZone), reason })
    : t('webhook.sending')
}

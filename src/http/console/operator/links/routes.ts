import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HostMatcher } from '../../../../blocked-hosts/blocked-host.ts'
import type { HttpContext } from '../../../../context.ts'
import { isShortLinkReserved } from '../../../../holds/hold.service.ts'
import type { LinkStatus } from '../../../../links/link.ts'
import { listHosts } from '../../../../links/link-destinations.ts'
import { getAnyLink, type ModeratedLinkView } from '../../../../links/link-moderation.ts'
import { blockHostOfLink } from '../../../../operator/host-actions.service.ts'
import { changeLinkStatus } from '../../../../operator/link-actions.service.ts'
import { listLogLines } from '../../../../operator/operator-log.service.ts'
import { findText, t } from '../../../../texts.ts'
import { toAppError } from '../../../errors.ts'
import { describeError } from '../../../html/describe-error.ts'
import { describeLabeledError } from '../../errors/labeled-error.ts'
import { buildPath, readText } from '../../kit/query.ts'
import { formFor, pageFor } from '../../kit/roles.ts'
import { describeStatus } from '../../link/status.ts'
import { formatMoment } from '../../shell/format-day.ts'
import { readFields, sendConsolePage } from '../../shell/send.ts'
import { type LinkLookup, renderLinksPage } from './page.ts'

const PATH = '/console/operator/links'
const MAX_LINES = 10
const MAX_SEARCH_LENGTH = 2000

/** Registers the routes to look up and moderate a link in any account by its short URL. */
export function registerLinkRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { blockList, clock } = ctx

  app.route({
    ...pageFor('viewer'),
    url: '/links',
    handler: async ({ query }, reply) => {
      const input = readText(query, 'url').slice(0, MAX_SEARCH_LENGTH)
      if (input === '') return sendLookup(reply, { input })
      return lookUp(reply, {
        input,
        confirmation: findText('admin.link.done', readText(query, 'done')),
      })
    },
  })

  app.post('/links/disable', formFor('viewer'), async (request, reply) =>
    setStatus(request, reply, 'disabled'),
  )
  app.post('/links/enable', formFor('viewer'), async (request, reply) =>
    setStatus(request, reply, 'active'),
  )
  app.post('/links/block', formFor('viewer'), blockHost)

  async function blockHost({ body, session }: FastifyRequest, reply: FastifyReply) {
    const { url, host } = readFields(body, ['url', 'host'])
    try {
      await blockHostOfLink(ctx, ctx.db, session.user.email, url, host)
      return reply.redirect(buildPath(PATH, { url, done: 'blocked' }), 303)
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (rejection.code !== 'link_changed') return sendRejection(reply, url, rejection)
      return lookUp(reply, { input: url, error: describeLabeledError(rejection) }, rejection.status)
    }
  }

  async function setStatus(
    { body, session }: FastifyRequest,
    reply: FastifyReply,
    status: LinkStatus,
  ): Promise<FastifyReply> {
    const { url, reason } = readFields(body, ['url', 'reason'])
    try {
      const actor = session.user.email
      const link = await changeLinkStatus(ctx, ctx.db, actor, url, { status, reason })
      const outcome = status === 'disabled' ? 'disabled' : 'enabled'
      return reply.redirect(buildPath(PATH, { url: link.shortUrl, done: outcome }), 303)
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (rejection.field !== 'reason') return sendRejection(reply, url, rejection)
      const reasonField = { input: reason, error: describeError(rejection) }
      return lookUp(reply, { input: url, reason: reasonField }, 422)
    }
  }

  async function lookUp(reply: FastifyReply, lookup: LinkLookup, status = 200) {
    try {
      const link = await getAnyLink(ctx, ctx.db, lookup.input)
      const lines = await listLogLines(ctx.db, { subject: link.shortUrl }, { limit: MAX_LINES })
      const zone = reply.request.session.user.timeZone
      const foundLink = {
        ...present(link, { now: clock(), hosts: await blockList.current(), zone }),
        log: lines,
      }
      return sendLookup(reply, { ...lookup, link: foundLink }, status)
    } catch (error) {
      return sendRejection(reply, lookup.input, error)
    }
  }

  async function sendRejection(
    reply: FastifyReply,
    input: string,
    error: unknown,
  ): Promise<FastifyReply> {
    const rejection = toAppError(error, reply.request)
    const isAboutUrl = rejection.code === 'not_found' || rejection.code === 'invalid_input'
    if (!isAboutUrl) throw rejection
    const text =
      rejection.field === 'url' ? describeError(rejection) : describeLabeledError(rejection)
    if (rejection.code !== 'not_found') return sendLookup(reply, { input, error: text }, 422)
    const isReserved = await isShortLinkReserved(ctx, ctx.db, input)
    return sendLookup(reply, { input, error: isReserved ? t('admin.link.reserved') : text }, 404)
  }
}

function sendLookup(reply: FastifyReply, lookup: LinkLookup, status = 200): FastifyReply {
  return sendConsolePage(reply, (frame) => renderLinksPage(frame, lookup), { status })
}

function present(
  link: ModeratedLinkView,
  { now, hosts, zone }: { now: Date; hosts: HostMatcher; zone: string },
) {
  const { shortUrl, destinations, resource, clicks, account } = link
  const status = describeStatus(link, now, { hosts, zone })
  return {
    shortUrl,
    destinations,
    resource,
    clicks,
    account,
    status,
    hosts: listHosts(destinations).map((host) => ({
      host,
      blocked: hosts.blocks({ hostname: host }),
    })),
    createdAt: formatMoment(link.createdAt, zone),
  }
}

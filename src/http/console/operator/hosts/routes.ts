import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  countLinksToHost,
  findBlockedHost,
  listBlockedHosts,
} from '../../../../blocked-hosts/blocked-host.service.ts'
import type { BlockedHost } from '../../../../blocked-hosts/blocked-host.ts'
import type { HttpContext } from '../../../../context.ts'
import { AppError } from '../../../../errors.ts'
import { blockHost, unblockHost } from '../../../../operator/host-actions.service.ts'
import { removeUnstorable } from '../../../../text.ts'
import { t } from '../../../../texts.ts'
import { toAppError } from '../../../errors.ts'
import { describeFormError } from '../../errors/labeled-error.ts'
import { formFor, pageFor } from '../../kit/roles.ts'
import { formatCount } from '../../shell/format-count.ts'
import { formatDate } from '../../shell/format-day.ts'
import { readFields, sendConsolePage } from '../../shell/send.ts'
import { buildPath, readPositiveInteger, readText } from '../query.ts'
import {
  type HostForm,
  renderHostFormPage,
  renderHostRemovalPage,
  renderHostsPage,
} from './page.ts'

const PATH = '/console/operator/hosts'
const PER_PAGE = 50
/** Characters of hosts, including IP addresses with a port. The confirmation shows no other names. */
const HOST_PATTERN = /^[\w.:[\]-]{1,255}$/
/** Registers the routes of blocked hosts: the list and the forms that change it. */
export function registerHostRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({ ...pageFor('viewer'), url: '/hosts', handler: sendList })
  app.route({ ...pageFor('viewer'), url: '/hosts/new', handler: sendNewForm })
  app.route({ ...pageFor('viewer'), url: '/hosts/remove', handler: sendRemoval })
  app.post('/hosts', formFor('viewer'), block)
  app.post('/hosts/remove', formFor('viewer'), unblock)

  async function sendList({ query, session }: FastifyRequest, reply: FastifyReply) {
    const q = removeUnstorable(readText(query, 'q')).slice(0, 255)
    const page = readPositiveInteger(query, 'page') ?? 1
    const offset = (page - 1) * PER_PAGE
    const { entries, total } = await listBlockedHosts(ctx.db, { limit: PER_PAGE, offset }, q)
    return sendConsolePage(reply, (frame) =>
      renderHostsPage(frame, {
        rows: entries.map((entry) => present(entry, session.user.timeZone)),
        q,
        total,
        page,
        limit: PER_PAGE,
        notice: findNotice(query),
        hrefOf: (other) => buildPath(PATH, { q, page: other === 1 ? undefined : other }),
      }),
    )
  }

  /** Sends the form, with the number of links to a host if requested. */
  async function sendNewForm({ query }: FastifyRequest, reply: FastifyReply) {
    const values = readValues((name) => readText(query, name))
    if (values.host === '') return sendForm(reply, { values })
    try {
      const count = await describeLinkCount(values.host, values.subdomains !== '')
      return sendForm(reply, { values, count })
    } catch (error) {
      return sendWithError(reply, values, toAppError(error, reply.request))
    }
  }

  async function block({ body, session }: FastifyRequest, reply: FastifyReply) {
    const fields = readFields(body, ['host', 'subdomains', 'reason'])
    const values = readValues((name) => fields[name])
    try {
      const { host } = await blockHost(ctx, ctx.db, session.user.email, {
        ...values,
        subdomains: values.subdomains !== '',
      })
      return reply.redirect(buildPath(PATH, { blocked: host }), 303)
    } catch (error) {
      return sendWithError(reply, values, toAppError(error, reply.request))
    }
  }

  async function sendRemoval({ query }: FastifyRequest, reply: FastifyReply) {
    const blocked = await requireBlockedHost(readText(query, 'host'))
    const { host, subdomains } = blocked
    const count = await describeLinkCount(host, subdomains)
    return sendConsolePage(reply, (frame) =>
      renderHostRemovalPage(frame, { host, subdomains, count }),
    )
  }

  async function unblock({ body, session }: FastifyRequest, reply: FastifyReply) {
    const { host } = await requireBlockedHost(readFields(body, ['host']).host)
    await unblockHost(ctx, ctx.db, session.user.email, host)
    return reply.redirect(buildPath(PATH, { unblocked: host }), 303)
  }

  /** @throws AppError `not_found` for a host that is invalid or not blocked */
  async function requireBlockedHost(name: string): Promise<BlockedHost> {
    const blocked = await findBlockedHost(ctx.db, name).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_input') return undefined
      throw error
    })
    if (!blocked) throw new AppError('not_found')
    return blocked
  }

  async function describeLinkCount(host: string, subdomains: boolean): Promise<string> {
    const counted = await countLinksToHost(ctx.db, host, subdomains)
    if (!counted) return t('admin.hosts.tooMany')
    const { count, atLeast } = counted
    return atLeast
      ? t('admin.hosts.atLeast', { count: formatCount(count) })
      : t('admin.hosts.links', { count })
  }
}

type Values = HostForm['values']

function readValues(read: (name: keyof Values) => string): Values {
  return { host: read('host'), subdomains: read('subdomains'), reason: read('reason') }
}

function sendForm(reply: FastifyReply, form: HostForm, status = 200): FastifyReply {
  return sendConsolePage(reply, (frame) => renderHostFormPage(frame, form), { status })
}

function sendWithError(reply: FastifyReply, values: Values, error: AppError): FastifyReply {
  if (error.status >= 500) throw error
  const errorField = error.field === 'host' || error.field === 'reason' ? error.field : 'form'
  return sendForm(
    reply,
    { values, errors: { [errorField]: describeFormError(errorField, error) } },
    422,
  )
}

function present({ host, subdomains, reason, by, at }: BlockedHost, zone: string) {
  return { host, subdomains, reason: reason ?? '', by, blockedOn: formatDate(at, zone) }
}

/** Returns the confirmation named in the URL, or nothing if it names no valid host. */
function findNotice(query: unknown): string | undefined {
  const [blocked = '', unblocked = ''] = ['blocked', 'unblocked'].map((name) =>
    readText(query, name),
  )
  if (HOST_PATTERN.test(blocked)) return t('admin.hosts.blocked', { host: blocked })
  return HOST_PATTERN.test(unblocked) ? t('admin.hosts.unblocked', { host: unblocked }) : undefined
}

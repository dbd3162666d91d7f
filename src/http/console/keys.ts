import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, invalid } from '../../errors.ts'
import { parseExpiry } from '../../links/rules/expiry.ts'
import { type KeyForm, keysPage, type ListedKey } from '../../pages/console/keys.ts'
import { newKeyPage } from '../../pages/console/new-key.ts'
import type { Services } from '../../services.ts'
import { toAppError } from '../errors.ts'
import { pageRoute } from '../html/page-route.ts'
import { formatTimestamp } from '../timestamp.ts'
import { pathId } from './path-id.ts'
import { faultText, fieldsOf, sendConsole } from './send.ts'

type KeyRequest = FastifyRequest<{ Params: { id: string } }>

const HOUR = 3_600_000
/** How long a key that is replaced may stay valid, by the form's words. */
const OVERLAPS: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['hour', HOUR],
  ['day', 24 * HOUR],
  ['week', 7 * 24 * HOUR],
])
/** Keys that are over, of which the page shows the last. */
const ENDED_SHOWN = 20

const hidden = { schema: { hide: true } }

/** API keys: what there is, a new one, one in place of another, and the end of one. */
export function keyRoutes(app: FastifyInstance, { config, clock, keys }: Services): void {
  const service = { baseUrl: config.baseUrl, yourls: config.yourlsApi }

  app.route({ ...pageRoute, url: '/keys', handler: async (_request, reply) => sendKeys(reply) })

  // A new key is the answer itself and not a page behind a redirect: for that it would have to be kept.
  app.post('/keys', hidden, async (request, reply) => {
    const { name, expires } = fieldsOf(request.body, ['name', 'expires'])
    try {
      if (name.trim() === '') throw invalid('name', 'must not be empty')
      const end = expires === '' ? null : parseExpiry('expires', expires, clock())
      const made = await keys.create(request.session.account.id, { expiresAt: end, name })
      return sendNewKey(reply, made)
    } catch (error) {
      const rejection = toAppError(error, request.log)
      if (rejection.status >= 500) throw rejection
      const { field } = rejection
      const at = field === 'name' || field === 'expires' ? field : 'form'
      const form = { name, expires, errors: { [at]: faultText(rejection) } }
      return sendKeys(reply, form, field === undefined ? rejection.status : 422)
    }
  })

  app.post('/keys/:id/rotate', hidden, async (request: KeyRequest, reply) => {
    const { overlap } = fieldsOf(request.body, ['overlap'])
    const time = OVERLAPS.get(overlap)
    if (time === undefined) throw new AppError('malformed_request')
    const { account } = request.session
    return sendNewKey(reply, await keys.rotate(account.id, pathId(request.params.id), time))
  })

  app.post('/keys/:id/revoke', hidden, async (request: KeyRequest, reply) => {
    await keys.revoke(request.session.account.id, pathId(request.params.id))
    return reply.redirect('/console/keys', 303)
  })

  async function sendKeys(reply: FastifyReply, form: KeyForm = {}, status = 200) {
    const now = clock()
    const all = (await keys.list(reply.request.session.account.id)).map((key) => present(key, now))
    const valid = all.filter(({ state }) => state === 'active').reverse()
    const ended = all.filter(({ state }) => state !== 'active').reverse()
    const listed = [...valid, ...ended.slice(0, ENDED_SHOWN)]
    return sendConsole(reply, (frame) => keysPage(frame, { ...service, keys: listed, form }), {
      status,
    })
  }

  function sendNewKey(reply: FastifyReply, { name, key }: { name: string | null; key: string }) {
    return sendConsole(reply, (frame) => newKeyPage(frame, { ...service, name, key }))
  }
}

type ApiKey = Awaited<ReturnType<Services['keys']['list']>>[number]

function present(key: ApiKey, now: Date): ListedKey {
  const isOver = key.expiresAt !== null && key.expiresAt <= now
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    state: key.revokedAt ? 'revoked' : isOver ? 'expired' : 'active',
    created: formatTimestamp(key.createdAt),
    lastUsed: key.lastUsedAt && formatTimestamp(key.lastUsedAt),
    ends: key.revokedAt
      ? formatTimestamp(key.revokedAt)
      : key.expiresAt && formatTimestamp(key.expiresAt),
  }
}

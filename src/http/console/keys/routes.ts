import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createKey, getKey, listKeys, revokeKey, rotateKey } from '../../../accounts/key.service.ts'
import { checkScope, isScopeSufficient, type Scope } from '../../../accounts/key-scope.ts'
import type { HttpContext } from '../../../context.ts'
import { listDomains } from '../../../domains/domain.service.ts'
import { AppError, invalid } from '../../../errors.ts'
import { parseExpiry } from '../../../links/rules/expiry.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { describeError } from '../../html/describe-error.ts'
import { parsePathId } from '../../request/path-id.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { confirmPassword } from '../kit/confirmation.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { formatMoment } from '../shell/format-day.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { setToast } from '../shell/toast.ts'
import { KEY_FIELDS, type KeyForm } from './key-form.ts'
import { renderNewKeyPage } from './new-key-page.ts'
import { type ListedKey, type RotationError, renderKeysPage } from './page.ts'

type KeyRequest = FastifyRequest<{ Params: { id: string } }>
type ApiKey = Awaited<ReturnType<typeof listKeys>>[number]

const HOUR_MS = 3_600_000
/** How long a rotated key stays valid, by form value. */
const OVERLAPS: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['hour', HOUR_MS],
  ['day', 24 * HOUR_MS],
  ['week', 7 * 24 * HOUR_MS],
])
/** The number of recently expired or revoked keys in the list. */
const MAX_ENDED_KEYS = 20
/** The maximum number of domains in the form. More would make it slow. */
const MAX_DOMAIN_CHOICES = 1000

/** This scope is sufficient for most apps and cannot change the account. */
const PRESELECTED_SCOPE: Scope = 'links'

/**
 * Registers the routes of API keys: the list and the forms to create, rotate and revoke them. A full
 * key can change the account's password, so creating or rotating one requires the current password.
 */
export function registerKeyRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, clock } = ctx
  const service = { baseUrl: config.baseUrl, hasYourlsApi: config.yourlsApi }

  app.route({
    ...pageFor('owner'),
    url: '/keys',
    handler: async (_request, reply) => sendKeys(reply),
  })

  // The reply contains the new key. A redirect would require storing it.
  app.post('/keys', formFor('owner'), async (request, reply) => {
    const { currentPassword, ...fields } = readFields(request.body, KEY_FIELDS)
    const form = { ...fields, scope: fields.scope || PRESELECTED_SCOPE }
    try {
      if (form.name.trim() === '') throw invalid('name', 'empty')
      const scope = checkScope(form.scope)
      const expiresAt = form.expires === '' ? null : parseExpiry('expires', form.expires, clock())
      await confirmFullAccess(scope, request, currentPassword)
      const input = { name: form.name, scope, domain: form.domain, expiresAt }
      return sendNewKey(reply, await createKey(ctx, ctx.db, request.session.account.id, input))
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500) throw rejection
      const errorField = KEY_FIELDS.find((field) => field === rejection.field) ?? 'form'
      const errors = { [errorField]: describeFormError(errorField, rejection) }
      return sendKeys(reply, { form: { ...form, errors }, rejection })
    }
  })

  app.post('/keys/:id/rotate', formFor('owner'), async (request: KeyRequest, reply) => {
    const { overlap, currentPassword } = readFields(request.body, ['overlap', 'currentPassword'])
    const overlapMs = OVERLAPS.get(overlap)
    if (overlapMs === undefined) throw new AppError('malformed_request')
    const { account } = request.session
    const id = parsePathId(request.params.id)
    try {
      const { scope } = await getKey(ctx.db, account.id, id)
      await confirmFullAccess(scope, request, currentPassword)
      return sendNewKey(reply, await rotateKey(ctx, ctx.db, account.id, id, overlapMs))
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500 || rejection.code === 'not_found') throw rejection
      const rotationError = { id, text: describeError(rejection) }
      return sendKeys(reply, { rotationError, rejection })
    }
  })

  app.post('/keys/:id/revoke', formFor('owner'), async (request: KeyRequest, reply) => {
    await revokeKey(ctx, ctx.db, request.session.account.id, parsePathId(request.params.id))
    setToast(reply, 'keyRevoked')
    return reply.redirect('/console/keys', 303)
  })

  /**
   * Re-authenticates the user before a key with the scope `full` is created. Throws the errors of
   * `confirmPassword`.
   */
  async function confirmFullAccess(scope: Scope, request: FastifyRequest, password: string) {
    if (scope === 'full') await confirmPassword(ctx, request, password)
  }

  async function sendKeys(
    reply: FastifyReply,
    { form = { scope: PRESELECTED_SCOPE }, rotationError, rejection }: KeysState = {},
  ) {
    const now = clock()
    const { account, user } = reply.request.session
    const { id } = account
    const [allKeys, { entries }] = await Promise.all([
      listKeys(ctx.db, id),
      listDomains(ctx.db, id, { limit: MAX_DOMAIN_CHOICES, offset: 0 }),
    ])
    const newest = allKeys.map((key) => present(key, now, user.timeZone)).reverse()
    const valid = newest.filter(({ state }) => state === 'active')
    const ended = newest.filter(({ state }) => state !== 'active')
    const page = {
      ...service,
      keys: [...valid, ...ended.slice(0, MAX_ENDED_KEYS)],
      form,
      rotationError,
      domains: entries.map(({ host }) => host),
    }
    const errorStatus = rejection?.field === undefined ? rejection?.status : 422
    return sendConsolePage(reply, (frame) => renderKeysPage(frame, page), {
      status: rejection ? errorStatus : 200,
      headers: rejection ? createErrorHeaders(rejection) : {},
    })
  }

  function sendNewKey(reply: FastifyReply, newKey: ApiKey & { key: string }) {
    const { name, scope, domain } = newKey
    const key = {
      text: newKey.key,
      name,
      scope,
      domain: domain?.host ?? null,
      canRead: isScopeSufficient(scope, 'read'),
      canCreate: isScopeSufficient(scope, 'create'),
    }
    return sendConsolePage(reply, (frame) => renderNewKeyPage(frame, { ...service, key }))
  }
}

type KeysState = {
  form?: KeyForm
  rotationError?: RotationError
  /** The error that determines the status of the page. */
  rejection?: AppError
}

function present(key: ApiKey, now: Date, zone: string): ListedKey {
  const endsOn = key.revokedAt ?? key.expiresAt
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scope: key.scope,
    domain: key.domain?.host ?? null,
    state: getKeyState(key, now),
    created: formatMoment(key.createdAt, zone),
    lastUsed: key.lastUsedAt && formatMoment(key.lastUsedAt, zone),
    endsOn: endsOn && formatMoment(endsOn, zone),
  }
}

function getKeyState({ revokedAt, expiresAt }: ApiKey, now: Date): ListedKey['state'] {
  if (revokedAt) return 'revoked'
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active'
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../actor.ts'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Access, RateWindow, ValidKey } from '../../identity/access.ts'
import type { Account } from '../../identity/account.ts'
import { type CallAccess, requireAccess } from '../../identity/key-scope.ts'
import type { Scope } from '../../scope.ts'
import { hasSingleHost } from './request-line.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's account and key. Set before any API handler runs. */
    account: Account
    key: ValidKey
    /** The account, the domain and the author of what the caller does. */
    scope: Scope<HttpContext>
  }
  interface FastifyContextConfig {
    /** The key scope that a route requires, unless it depends on the request. */
    access?: CallAccess
  }
}

type CallReaders = {
  readKey: (request: FastifyRequest) => string | undefined
  /** Returns the key scope a call requires, or undefined if no route or operation matches. */
  readAccess: (request: FastifyRequest) => CallAccess | undefined
}

/**
 * Creates the hook that guards an API. It rejects requests without a valid key, above the rate
 * limit, outside the scope of the key, or with an ambiguous host, and sets the rate limit headers of
 * the reply.
 */
export function createGuard(
  ctx: HttpContext,
  surface: Actor['surface'],
  { readKey, readAccess }: CallReaders,
) {
  return async function guard(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { account, key } = await checkAccess(ctx.access, readKey(request), request, reply)
    request.account = account
    request.key = key
    const actor = { surface, id: key.id }
    request.scope = { ...ctx, accountId: account.id, domain: key.domain, actor }
    const required = readAccess(request)
    if (required) requireAccess(key, required)
    checkHost(request)
  }
}

/** Throws AppError `malformed_request` if the request's host is ambiguous. */
export function checkHost({ raw }: FastifyRequest): void {
  if (!hasSingleHost(raw)) throw new AppError('malformed_request')
}

/**
 * Counts the request and returns its account and key. Sets the rate limit headers of the reply.
 *
 * @throws AppError `key_required`, `account_suspended`, `rate_limited`, `database_unavailable`
 */
export async function checkAccess(
  access: Access,
  key: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ account: Account; key: ValidKey }> {
  const {
    account,
    key: validKey,
    rejection,
    window,
  } = await access.check({ key, address: request.ip }).catch((error: unknown) => {
    reply.headers(createRateHeaders(access.createUnknownWindow()))
    throw error
  })
  reply.headers(createRateHeaders(window))
  if (account) return { account, key: validKey }
  if (rejection === 'rate_limited') reply.header('retry-after', String(window.retryAfter))
  throw new AppError(rejection)
}

/** Returns the three rate limit headers for replies under `/api`. */
export function createRateHeaders({ limit, remaining, reset }: RateWindow): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
  }
}

/**
 * Returns the key from `Authorization: Bearer <key>`. Legacy clients also send `Token <key>` or
 * just the key.
 */
export function readBearerKey(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization?.trim()
  if (!header) return undefined
  return /^(?:bearer|token)\s+(\S+)$/i.exec(header)?.[1] ?? header
}

/** Returns the key in a path of the legacy API, the segment after `/api/v1/`. */
export function readPathKey(request: FastifyRequest): string | undefined {
  return /^\/api\/v1\/([^/?]+)/.exec(request.url)?.[1]
}

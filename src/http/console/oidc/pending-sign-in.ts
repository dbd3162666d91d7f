import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config.ts'
import type { SignInSecrets } from '../../../identity/oidc/provider.ts'
import { parseConsolePath } from '../kit/query.ts'

/** A sign-in at the provider that this browser has started. */
export type PendingSignIn = SignInSecrets & {
  /** The console path to open after signing in. */
  next?: string | undefined
  /** The token of the invitation to accept. */
  invitation?: string | undefined
  /** Identifies the session whose user the identity will be connected to. */
  sessionHash?: string | undefined
}

/** The time for signing in at the provider, including its second factor. */
const MAX_AGE_SECONDS = 900
/** Longer paths would make the cookie too large for browsers. */
const MAX_NEXT_LENGTH = 1000

/**
 * Stores a pending sign-in in a cookie, so that only the browser that started it can complete it.
 * Omits a `next` that is too long. Under https, the prefix `__Host-` of the cookie's name prevents
 * other hosts of the domain from setting it.
 */
export function setPendingSignIn(
  settings: Pick<Config, 'baseUrl'>,
  reply: FastifyReply,
  { next, ...pending }: PendingSignIn,
): void {
  const hasNext = next !== undefined && next.length <= MAX_NEXT_LENGTH
  const content = hasNext ? { ...pending, next } : pending
  const value = Buffer.from(JSON.stringify(content)).toString('base64url')
  reply.setCookie(getCookieName(settings), value, {
    ...createCookieOptions(settings),
    maxAge: MAX_AGE_SECONDS,
  })
}

/** Returns the browser's pending sign-in and clears it. Returns undefined without a valid one. */
export function consumePendingSignIn(
  settings: Pick<Config, 'baseUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
): PendingSignIn | undefined {
  const value = request.server.parseCookie(request.headers.cookie ?? '')[getCookieName(settings)]
  if (value === undefined) return undefined
  reply.clearCookie(getCookieName(settings), createCookieOptions(settings))
  try {
    return parsePendingSignIn(JSON.parse(Buffer.from(value, 'base64url').toString()))
  } catch {
    return undefined
  }
}

/** Parses the content of the cookie, which is untrusted. */
function parsePendingSignIn(content: Record<string, unknown> | null): PendingSignIn | undefined {
  const readText = (name: string) => {
    const value = content?.[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const [state, nonce, verifier] = ['state', 'nonce', 'verifier'].map(readText)
  if (!state || !nonce || !verifier) return undefined
  const next = parseConsolePath(readText('next'))
  return {
    state,
    nonce,
    verifier,
    next,
    invitation: readText('invitation'),
    sessionHash: readText('sessionHash'),
  }
}

function createCookieOptions({ baseUrl }: Pick<Config, 'baseUrl'>) {
  const secure = baseUrl.startsWith('https:')
  return { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
}

function getCookieName({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return baseUrl.startsWith('https:') ? '__Host-brevis_oidc' : 'brevis_oidc'
}

/**
 * Returns a hash that identifies a session in the cookie of a pending sign-in. It cannot be computed
 * without the session's token.
 */
export function hashSessionToken(token: string): string {
  return createHash('sha256').update(`connect ${token}`).digest('base64url')
}

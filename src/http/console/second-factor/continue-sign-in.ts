import type { FastifyReply } from 'fastify'
import { endSession } from '../../../accounts/session.service.ts'
import type { StartedSession } from '../../../accounts/start-session.ts'
import type { HttpContext } from '../../../context.ts'
import {
  clearPendingCookie,
  readPendingToken,
  readSessionToken,
  setPendingCookie,
  setSessionCookie,
} from '../../html/session-cookie.ts'

/**
 * Continues after a step of signing in: redirects to the second step if it is pending. Otherwise,
 * sets the session cookie, ends the browser's previous session and redirects to `next`.
 */
export async function continueSignIn(
  { config, db }: HttpContext,
  reply: FastifyReply,
  started: StartedSession,
  next = '/console',
): Promise<FastifyReply> {
  const { request } = reply
  if (started.pending !== undefined) {
    setPendingCookie(config, reply, started.pending)
    const query = next === '/console' ? '' : `?${new URLSearchParams({ next })}`
    return reply.redirect(`/console/sign-in/verify${query}`, 303)
  }
  // The previous session may belong to another user.
  const oldToken = readSessionToken(config, request)
  if (oldToken !== undefined) await endSession(db, oldToken)
  if (readPendingToken(config, request) !== undefined) clearPendingCookie(config, reply)
  setSessionCookie(config, reply, started.token)
  return reply.redirect(next, 303)
}

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

/** Continues from the first step of a sign-in to the console, or to the second step. */
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
  // Ends the browser's previous session, which may belong to another user.
  const old = readSessionToken(config, request)
  if (old !== undefined) await endSession(db, old)
  if (readPendingToken(config, request) !== undefined) clearPendingCookie(config, reply)
  setSessionCookie(config, reply, started.token)
  return reply.redirect(next, 303)
}

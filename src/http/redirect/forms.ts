import type { FastifyReply, FastifyRequest } from 'fastify'
import { lazy } from '../../concurrency/memo.ts'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { VisitLink } from '../../links/link.ts'
import type { GuessResult } from '../../links/password-guesses.ts'
import { passwordPage, passwordPolicy } from '../../pages/password.ts'
import { prepareVisitorPage, sendVisitorPage } from '../html/send-page.ts'
import { handleOverlayForm, hasForm, removeExpiration } from './overlay-answers.ts'
import { buildReportPath } from './reports.ts'
import { buildFormAction } from './request-parts.ts'
import type { Visit } from './visit.ts'

type Rejection = Exclude<GuessResult, { kind: 'right' } | { kind: 'busy' }>

/**
 * Sends the page for password guesses that are rejected under load. It can be rendered in advance,
 * because its form has no action and is therefore the same for all links.
 */
const sendBusy = lazy(() =>
  prepareVisitorPage((context) => passwordPage({ ...context, error: 'busy' }), {
    status: 503,
    policy: passwordPolicy,
    headers: { 'retry-after': '2' },
  }),
)

/**
 * Handles a form posted to a short link: a password, or an answer to its overlay. The password form
 * needs no CSRF token, because it changes nothing.
 */
export async function handleForm(
  ctx: HttpContext,
  visit: Visit,
  request: FastifyRequest,
  reply: FastifyReply,
  link: VisitLink,
): Promise<FastifyReply> {
  const body = (request.body ?? {}) as Record<string, unknown>
  const isAnswer = !('password' in body) && !('confirm' in body) && hasForm(link)
  const decision = visit.decideUnlocked(request, isAnswer ? removeExpiration(link) : link)
  if (!('destination' in decision)) return visit.followAsync(request, reply, link)
  if (isAnswer) return handleOverlayForm(ctx, visit, request, reply, link)
  const isConfirmation = 'confirm' in body && (link.needsConfirmation || link.lifetime?.isLimited)
  if (!link.passwordHash && !('password' in body) && !isConfirmation) {
    reply.header('allow', 'GET, HEAD')
    throw new AppError('method_not_allowed')
  }
  if (!link.passwordHash && link.needsConfirmation && !isConfirmation) {
    return visit.followAsync(request, reply, link)
  }
  // If the owner removed the password after the form was opened, any password is accepted.
  if (link.passwordHash) {
    const result = await checkPassword(
      ctx,
      request,
      { id: link.id, passwordHash: link.passwordHash },
      body.password,
    )
    if (result.kind === 'busy') return sendBusy()(reply)
    if (result.kind !== 'right') return sendPasswordError(reply, link, result)
  }
  return visit.followAsync(request, reply, link, { unlocked: true })
}

async function checkPassword(
  { guesses }: HttpContext,
  request: FastifyRequest,
  link: { id: number; passwordHash: string },
  password: unknown,
): Promise<GuessResult> {
  const guess = typeof password === 'string' ? password.slice(0, 1000) : ''
  try {
    return await guesses.check(link, request.ip, guess)
  } catch (error) {
    if (error instanceof AppError && error.code === 'busy') return { kind: 'busy' }
    throw error
  }
}

function sendPasswordError(reply: FastifyReply, link: VisitLink, result: Rejection): FastifyReply {
  const { kind } = result
  return sendVisitorPage(
    reply,
    (context) =>
      passwordPage({
        ...context,
        action: buildFormAction(link, reply.request),
        error: kind,
        reportPath: buildReportPath(link),
      }),
    {
      status: kind === 'wrong' ? 401 : 429,
      policy: passwordPolicy,
      headers: 'retryAfter' in result ? { 'retry-after': String(result.retryAfter) } : {},
    },
  )
}

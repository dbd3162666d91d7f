import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { VisitLink } from '../../links/link.ts'
import { type PasswordError, passwordPage, passwordPolicy } from '../../pages/password.ts'
import type { Services } from '../../services.ts'
import { formAction, preparePage, sendPage } from '../html/send-page.ts'
import { answerOverlay, hasForm } from './overlay-answers.ts'
import type { Visit } from './visit.ts'

/**
 * Most of a burst of guesses ends with this page. It is the same for all links: its form has no action,
 * so browsers post it to where they are.
 */
const sendBusy = preparePage(passwordPage({ error: 'busy' }), {
  status: 503,
  policy: passwordPolicy,
  headers: { 'retry-after': '2' },
})

/**
 * Answers a form that was posted to a short link: its password, or what its overlay asks. The password
 * needs no token against forgery: it changes nothing, and whoever knows it may as well type it.
 */
export async function answerForm(
  services: Services,
  visit: Visit,
  request: FastifyRequest,
  reply: FastifyReply,
  link: VisitLink,
): Promise<FastifyReply> {
  const decision = visit.decideFor(request, link)
  if (!('target' in decision)) return visit.followed(request, reply, link)
  const body = (request.body ?? {}) as Record<string, unknown>
  if (!('password' in body) && hasForm(link)) {
    return answerOverlay(services, visit, request, reply, link)
  }
  if (!link.passwordHash && !('password' in body)) {
    reply.header('allow', 'GET, HEAD')
    throw new AppError('method_not_allowed')
  }
  // Without a hash the owner has taken the password off since the form was opened.
  if (link.passwordHash) {
    // Asked and not caught: to throw an error and write down its stack takes longer than to refuse.
    if (services.visitPasswords.isFull()) return sendBusy(reply)
    const problem = await checkPassword(services, request, link, link.passwordHash, body.password)
    if (problem) return refuse(reply, link, problem)
  }
  return visit.followed(request, reply, link, { unlocked: true })
}

type Problem = { error: Exclude<PasswordError, 'busy'>; status: number; retryAfter?: number }

async function checkPassword(
  { guesses, visitPasswords }: Services,
  request: FastifyRequest,
  link: VisitLink,
  hash: string,
  password: unknown,
): Promise<Problem | undefined> {
  const given = typeof password === 'string' ? password.slice(0, 1000) : ''
  // Counted in turn as well, so that a flood of guesses does not flood the database either.
  return visitPasswords.inTurn(async (matches) => {
    const { allowed, retryAfter } = await guesses.count(link.id, request.ip)
    if (!allowed) return { error: 'too_many_attempts', status: 429, retryAfter }
    return (await matches(hash, given)) ? undefined : { error: 'wrong', status: 401 }
  })
}

function refuse(reply: FastifyReply, link: VisitLink, { error, status, retryAfter }: Problem) {
  return sendPage(reply, (nonce) => passwordPage({ nonce, action: formAction(link), error }), {
    status,
    policy: passwordPolicy,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  })
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { VisitLink } from '../../links/link.ts'
import { type PasswordError, passwordPage, passwordPolicy } from '../../pages/password.ts'
import type { Services } from '../../services.ts'
import { sendPage } from './html.ts'
import type { Visit } from './visit.ts'

/** Answers a form that was posted to a short link: its password. */
export async function answerForm(
  services: Services,
  visit: Visit,
  request: FastifyRequest,
  reply: FastifyReply,
  link: VisitLink,
): Promise<FastifyReply> {
  const { password } = (request.body ?? {}) as { password?: unknown }
  if (link.passwordHash && link.status === 'active') {
    const problem = await checkPassword(services, request, link.passwordHash, link.id, password)
    if (problem) return refuse(reply, link, problem)
  }
  await new Promise<void>((resolve) => {
    reply.raw.once('close', resolve)
    visit.follow(request, reply, link, { unlocked: true })
  })
  return reply
}

type Problem = { error: PasswordError; status: number; retryAfter?: number }

async function checkPassword(
  { guesses, visitPasswords }: Services,
  request: FastifyRequest,
  hash: string,
  linkId: number,
  password: unknown,
): Promise<Problem | undefined> {
  const { allowed, retryAfter } = await guesses.count(linkId, request.ip)
  if (!allowed) return { error: 'too_many_tries', status: 429, retryAfter }
  try {
    const given = typeof password === 'string' ? password.slice(0, 1000) : ''
    return (await visitPasswords.matches(hash, given)) ? undefined : { error: 'wrong', status: 401 }
  } catch (error) {
    if (error instanceof AppError && error.code === 'busy') {
      return { error: 'busy', status: 503, retryAfter: 2 }
    }
    throw error
  }
}

function refuse(reply: FastifyReply, link: VisitLink, { error, status, retryAfter }: Problem) {
  return sendPage(reply, (nonce) => passwordPage({ nonce, action: link.shortUrl, error }), {
    status,
    policy: passwordPolicy,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  })
}

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { VisitLink } from '../../links/link.ts'
import { checkFormToken, issueFormToken } from '../html/form-token.ts'

/**
 * Returns the hidden field of an overlay's form: the form token and, for a link with a password or a
 * click limit, proof that the visitor was shown the overlay, because the thank-you page shows the
 * destination again.
 */
export function issueOverlayToken(ctx: HttpContext, reply: FastifyReply, link: VisitLink): string {
  const token = issueFormToken(reply)
  return isProtected(link) ? `${token}.${proofOf(ctx, link)}` : token
}

/**
 * Rejects a response that was not sent from the overlay's own page.
 *
 * @throws AppError `form_expired`, `forbidden`
 */
export function checkOverlayToken(
  ctx: HttpContext,
  request: FastifyRequest,
  link: VisitLink,
  value: unknown,
): void {
  const [token, proof] = String(value ?? '').split('.')
  checkFormToken(request, token)
  if (isProtected(link) && !isEqual(proof, proofOf(ctx, link))) {
    throw new AppError('forbidden')
  }
}

/** Returns whether the target is hidden from some visitors. */
export function isProtected({ passwordHash, lifetime }: VisitLink): boolean {
  return passwordHash !== null || lifetime?.isLimited === true
}

function proofOf(
  { instance }: Pick<HttpContext, 'instance'>,
  { id, passwordHash }: VisitLink,
): string {
  return createHmac('sha256', instance.visitorKey)
    .update(`unlocked ${id} ${passwordHash ?? ''}`)
    .digest('base64url')
}

function isEqual(given: string | undefined, expected: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

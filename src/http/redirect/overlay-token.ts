import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { equalsInConstantTime } from '../../constant-time.ts'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { VisitLink } from '../../links/link.ts'
import { checkFormToken, issueFormToken } from '../html/form-token.ts'

/**
 * Returns the value of the hidden field in an overlay's form: the form token and, for a link with a
 * password or click limit, proof that the visitor has seen the overlay. The proof is needed because
 * the thank-you page shows the destination again.
 */
export function issueOverlayToken(ctx: HttpContext, reply: FastifyReply, link: VisitLink): string {
  const token = issueFormToken(reply)
  return isProtected(link) ? `${token}.${createProof(ctx, link)}` : token
}

/**
 * Rejects an answer that was not sent from the overlay's page.
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
  if (isProtected(link) && !equalsInConstantTime(createProof(ctx, link), proof)) {
    throw new AppError('forbidden')
  }
}

/** Returns whether a password or click limit hides a link's destination from some visitors. */
export function isProtected({ passwordHash, lifetime }: VisitLink): boolean {
  return passwordHash !== null || lifetime?.isLimited === true
}

function createProof(
  { instance }: Pick<HttpContext, 'instance'>,
  { id, passwordHash }: VisitLink,
): string {
  return createHmac('sha256', instance.visitorKey)
    .update(`unlocked ${id} ${passwordHash ?? ''}`)
    .digest('base64url')
}

import type { FastifyRequest } from 'fastify'
import { verifyPassword } from '../../accounts/session.service.ts'
import type { HttpContext } from '../../context.ts'

/** Longer passwords are rejected without hashing. */
const LONGEST_PASSWORD = 1000

/**
 * Re-authenticates the signed-in user before a sensitive change.
 *
 * @throws AppError `invalid_input` naming `currentPassword`, `rate_limited`, `busy`
 */
export function confirmPassword(
  ctx: HttpContext,
  { session, ip: address }: FastifyRequest,
  password: string,
): Promise<void> {
  return verifyPassword(ctx, ctx.db, session.user, {
    password: password.slice(0, LONGEST_PASSWORD),
    address,
  })
}

import type { FastifyRequest } from 'fastify'
import type { Services } from '../../services.ts'

/** Longer texts are no password, and need not be hashed to know it. */
const LONGEST_PASSWORD = 1000

/**
 * Has the signed-in user enter the password again before a change that somebody else at the browser
 * must not make.
 *
 * @throws AppError `invalid_input` naming `currentPassword`, `rate_limited`, `busy`
 */
export function confirmPassword(
  { sessions }: Pick<Services, 'sessions'>,
  { session, ip: address }: FastifyRequest,
  password: string,
): Promise<void> {
  return sessions.confirm(session.account, {
    password: password.slice(0, LONGEST_PASSWORD),
    address,
  })
}

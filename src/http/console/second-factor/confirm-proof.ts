import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { isOneTimeCode, verifyCode } from '../../../people/second-factor/one-time-codes.service.ts'
import { confirmPassword } from '../kit/confirmation.ts'

/**
 * Re-authenticates the signed-in user by password or one-time code. Six digits are a code, because
 * passwords are longer.
 *
 * @throws AppError `invalid_input` naming `currentPassword` or `code`, `sign_in_again`,
 * `rate_limited`, `busy`
 */
export async function confirmProof(
  ctx: HttpContext,
  request: FastifyRequest,
  input: string,
): Promise<void> {
  if (!isOneTimeCode(input)) return confirmPassword(ctx, request, input)
  return verifyCode(ctx, ctx.db, request.session.user, { enteredCode: input, address: request.ip })
}

import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'

/**
 * Throws AppError `password_sign_in_off` if `PASSWORD_SIGN_IN=off` restricts sign-in to the
 * identity provider.
 */
export function requirePasswordSignIn({ config }: Pick<Context, 'config'>): void {
  if (!config.passwordSignIn) throw new AppError('password_sign_in_off')
}

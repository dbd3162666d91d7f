import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'

/** Throws AppError `password_sign_in_off` where `PASSWORD_SIGN_IN=off` leaves the identity provider alone. */
export function requirePasswordSignIn({ config }: Pick<Context, 'config'>): void {
  if (!config.passwordSignIn) throw new AppError('password_sign_in_off')
}

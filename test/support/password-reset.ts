import { expect } from 'vitest'
import type { Context } from '../../src/context.ts'
import type { Db } from '../../src/db/pool.ts'
import { createUserPasswordReset } from '../../src/identity/password-reset.service.ts'
import { getOwner } from '../../src/identity/user.service.ts'
import { newAddress } from './addresses.ts'
import type { TestApp } from './app.ts'
import { commandLine } from './command.ts'
import { trySignIn } from './console.ts'
import { submitPageForm } from './forms.ts'
import type { Owner } from './make.ts'
import { signInTest } from './sign-in-test.ts'

export const NEW_PASSWORD = 'another good password'

/** Returns a `test` for reset links with a new account per test. */
export function passwordResetTest() {
  return signInTest()
    .extend('createReset', { scope: 'file' }, ({ app }) => {
      const { brevisJson } = commandLine(app)
      /** Creates a reset link with the command line and returns its path. */
      return async ({ account }: Owner): Promise<string> => {
        const enteredEmail = account.email.toUpperCase()
        const created = await brevisJson(['account', 'reset-password', enteredEmail])
        expect(created).toEqual({
          email: account.email,
          url: expect.stringMatching(/^http:\/\/brev\.test\/console\/reset-password\/[\w-]{43}$/),
          expires: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        })
        return new URL(created.url).pathname
      }
    })
    .extend('submitReset', { scope: 'file' }, ({ app }) => {
      /** Opens a reset link, submits its form and returns the reply. */
      return (path: string, newPassword = NEW_PASSWORD, from: From = {}) =>
        submitPageForm(app, path, { newPassword }, { address: newAddress(), ...from })
    })
}

type From = { cookie?: string; address?: string }

/** Returns whether the password signs in from a new IP address. */
export async function canSignIn(app: TestApp, email: string, password: string): Promise<boolean> {
  const reply = await trySignIn(app, { email, password }, { address: newAddress() })
  return reply.statusCode === 303
}

/** Creates a reset link for an account's owner. */
export async function createPasswordReset(
  ctx: Context,
  db: Db,
  accountId: number,
): Promise<{ url: string; expiresAt: Date }> {
  const { id } = await getOwner({ db, accountId })
  return createUserPasswordReset(ctx, db, id)
}

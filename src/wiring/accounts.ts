import { createAccounts } from '../accounts/account.service.ts'
import { createAccountDeletion } from '../accounts/account-deletion.ts'
import { createKeys } from '../accounts/key.service.ts'
import { createPasswords, type Passwords } from '../accounts/password.ts'
import { createPasswordResets } from '../accounts/password-reset.service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'

/** Accounts, their keys and reset links, on the database or on one transaction of it. */
export function createAccountFeatures(
  { db, clock, baseUrl }: Pick<Context, 'clock'> & { db: Db; baseUrl: string },
  passwords: Passwords = createPasswords(),
) {
  return {
    accounts: createAccounts({ db, passwords, clock }),
    keys: createKeys({ db, clock }),
    accountDeletion: createAccountDeletion({ db, clock }),
    passwordResets: createPasswordResets({ db, baseUrl, passwords, clock }),
  }
}

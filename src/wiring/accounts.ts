import { createAccounts } from '../accounts/account.service.ts'
import { createAccountDeletion } from '../accounts/account-deletion.ts'
import { createKeys } from '../accounts/key.service.ts'
import { createPasswords, type Passwords } from '../accounts/password.ts'
import type { Core } from './core.ts'

/** Accounts and their keys, on the database or on one transaction of it. */
export function createAccountFeatures(
  { db, clock }: Pick<Core, 'db' | 'clock'>,
  passwords: Passwords = createPasswords(),
) {
  return {
    accounts: createAccounts({ db, passwords, clock }),
    keys: createKeys({ db, clock }),
    accountDeletion: createAccountDeletion({ db, clock }),
  }
}

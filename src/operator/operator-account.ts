import type { Account } from '../accounts/account.ts'

/** An account as shown to admins. */
export type OperatorAccount = Account & { deleting: boolean; hasAdmin: boolean }

export type AccountState = 'active' | 'suspended' | 'deleting' | 'admin'

export type AccountFilter = {
  /** A part of the email address or username, in any case. */
  text?: string | undefined
  state?: AccountState | undefined
}

/** The account to start before or after. Without either, the list starts at the first. */
export type AccountCursor = { before?: number | undefined; after?: number | undefined }

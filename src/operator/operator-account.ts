import type { Account } from '../accounts/account.ts'

/** An account as shown to admins. */
export type OperatorAccount = Account & { deleting: boolean; hasAdmin: boolean }

export type AccountState = 'active' | 'suspended' | 'deleting' | 'admin'

export type AccountFilter = {
  /** A part of the email address or username, ignoring case. */
  text?: string | undefined
  state?: AccountState | undefined
}

/**
 * The account before or after which the page starts. If neither is set, the list starts at the
 * first account.
 */
export type AccountCursor = { before?: number | undefined; after?: number | undefined }

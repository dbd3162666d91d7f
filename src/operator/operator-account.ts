import type { Account } from '../accounts/account.ts'

/** An account as an admin sees it. */
export type OperatorAccount = Account & { deleting: boolean }

export type AccountState = 'active' | 'suspended' | 'deleting' | 'admin'

export type AccountFilter = {
  /** Part of the e-mail address or the username, in any case. */
  text?: string | undefined
  state?: AccountState | undefined
}

/** From which account on, in the order of the list; without either, from the first. */
export type AccountCursor = { before?: number | undefined; after?: number | undefined }

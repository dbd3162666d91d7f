import type { Account } from '../accounts/account.ts'

/** An account as the operator sees it. */
export type SeenAccount = Account & { deleting: boolean }

export type AccountState = 'active' | 'suspended' | 'deleting' | 'admin'

export type AccountFilter = {
  /** Part of the e-mail address or the username, in any case. */
  text?: string | undefined
  state?: AccountState | undefined
}

/** From which account on, in the order of the list; without either, from its beginning. */
export type AccountCursor = { before?: number | undefined; after?: number | undefined }

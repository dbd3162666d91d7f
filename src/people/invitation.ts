import type { Role } from './user.ts'

/** An invitation as members of the account see it. */
export type Invitation = { id: number; email: string; role: Role; expiresAt: Date }

/** An invitation as whoever has its link sees it. */
export type OpenInvitation = {
  id: number
  accountId: number
  /** The username of the account. */
  account: string
  email: string
  role: Role
  /** Whether a user has the email address. */
  isKnown: boolean
}

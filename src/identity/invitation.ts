import type { Role } from './user.ts'

/** An invitation as shown to members of the account. */
export type Invitation = { id: number; email: string; role: Role; expiresAt: Date }

/** An invitation as shown to people who open its link. */
export type OpenInvitation = {
  id: number
  accountId: number
  /** The account's username. */
  account: string
  email: string
  role: Role
  /** Whether a user with this email address exists. */
  isKnown: boolean
}

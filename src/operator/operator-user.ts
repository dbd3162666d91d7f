import type { Membership } from '../people/member.service.ts'
import type { User } from '../people/user.ts'

/** A user as shown to admins. */
export type OperatorUser = User & {
  admin: boolean
  hasPassword: boolean
  hasSecondFactor: boolean
  emailVerified: boolean
  createdAt: Date
}

export type UserEntry = OperatorUser & { accounts: number }

export type UserDetails = OperatorUser & {
  memberships: readonly Membership[]
  /** Whether the user has an identity at the provider. */
  isConnected: boolean
}

export type UserFilter = {
  /** A part of the email address, ignoring case. */
  text?: string | undefined
  admins?: boolean | undefined
}

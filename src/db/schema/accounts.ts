import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt } from './columns.ts'

export type AccountTable = {
  id: Generated<number>
  email: string
  username: string
  plan: Generated<'free' | 'pro'>
  expires_at: Date | null
  suspended_at: Date | null
  registered_at: CreatedAt
  deleting_since: Date | null
}

export type UserTable = {
  id: Generated<number>
  email: string
  password_hash: string | null
  language: Generated<string>
  time_zone: Generated<string>
  admin: Generated<boolean>
  email_verified: Generated<boolean>
  has_second_factor: Generated<boolean>
  created_at: CreatedAt
}

export type UserIdentityTable = {
  issuer: string
  subject: string
  user_id: number
  created_at: CreatedAt
}

export type MemberTable = {
  account_id: number
  user_id: number
  role: 'owner' | 'editor' | 'viewer'
  created_at: ColumnType<Date, Date | undefined, Date>
}

export type ReportSubscriptionTable = {
  account_id: number
  user_id: number
  frequency: 'weekly' | 'monthly'
  token: string
  /** The first day not covered by a report, in days since 1970-01-01. */
  sent_until: number
  next_at: Date
}

export type InvitationTable = {
  id: Generated<number>
  account_id: number
  email: string
  role: MemberTable['role']
  hash: Buffer | null
  expires_at: Date
}

export type ApiKeyTable = {
  id: Generated<number>
  account_id: number
  prefix: string
  hash: Buffer
  created_at: CreatedAt
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  name: string | null
  scope: Generated<'full' | 'links' | 'create' | 'read'>
  domain_id: number | null
}

export type SessionTable = {
  id: Generated<number>
  user_id: number
  account_id: number
  hash: Buffer
  created_at: Date
  last_used_at: Date
  browser: string | null
}

export type PasswordResetTable = {
  hash: Buffer
  user_id: number
  mailed: boolean
  expires_at: Date
}

export type RateWindowTable = { subject: string; started_at: Date; hits: number }

/** Accounts with open live statistics. */
export type FollowedAccountTable = { account_id: number; until: Date }

export type IdempotencyKeyTable = {
  account_id: number
  key: string
  request_hash: Buffer
  response: string
  created_at: ColumnType<Date, Date | undefined, Date>
}

export type RowCountTable = {
  owner_id: number
  kind: string
  slot: number
  rows: number
}

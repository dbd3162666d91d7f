import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt } from './columns.ts'

export type AccountTable = {
  id: Generated<number>
  email: string
  username: string
  password_hash: string
  plan: Generated<'free' | 'pro'>
  expires_at: Date | null
  suspended_at: Date | null
  registered_at: CreatedAt
  deleting_since: Date | null
  admin: Generated<boolean>
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
  account_id: number
  hash: Buffer
  created_at: Date
  last_used_at: Date
  browser: string | null
}

export type PasswordResetTable = { account_id: number; hash: Buffer; expires_at: Date }

export type RateWindowTable = { subject: string; started_at: Date; hits: number }

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

import type { ColumnType, Generated } from 'kysely'
import type { JsonDefault } from './columns.ts'

export type OperatorLogTable = {
  id: Generated<number>
  at: Date
  actor: string
  action: string
  subject: string
  detail: string | null
}

export type BlockedHostTable = {
  id: Generated<number>
  host: string
  subdomains: boolean
  reason: string | null
  blocked_by: string
  blocked_at: ColumnType<Date, Date | undefined, Date>
}

export type StoredReportText = {
  reason: 'phishing' | 'malware' | 'spam' | 'other'
  text: string
  /** ISO 8601. */
  at: string
}

export type LinkReportTable = {
  id: Generated<number>
  link_id: number | null
  held_id: number | null
  destinations: string[]
  phishing: Generated<number>
  malware: Generated<number>
  spam: Generated<number>
  other: Generated<number>
  texts: JsonDefault<StoredReportText[]>
  first_at: Date
  last_at: Date
  settled_at: Date | null
  decision: 'disable' | 'block' | 'suspend' | 'dismiss' | 'confirm' | 'release' | null
  settled_by: string | null
}

export type HeldLinkTable = {
  id: number
  account_id: number
  username: string
  alias: string
  origin: string | null
  destinations: string[]
  created_at: Date
  deleted_at: Date
  disabled_at: Date | null
  disable_reason: string | null
  decision: 'confirm' | 'release' | null
  decided_by: string | null
  decided_at: Date | null
}

export type HeldAliasTable = { alias: string; host: string; link_id: number }

export type HeldDestinationTable = { account_id: number; digest: Buffer; link_id: number }

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
  link_id: number
  phishing: Generated<number>
  malware: Generated<number>
  spam: Generated<number>
  other: Generated<number>
  texts: JsonDefault<StoredReportText[]>
  first_at: Date
  last_at: Date
  settled_at: Date | null
  decision: 'disable' | 'block' | 'suspend' | 'dismiss' | null
  settled_by: string | null
}

import type { Generated } from 'kysely'
import type { CreatedAt } from './columns.ts'

export type MigrationTable = { name: string; checksum: string; applied_at: CreatedAt }

export type InstanceTable = {
  singleton: Generated<boolean>
  token: string
  visitor_key: Buffer
  created_at: CreatedAt
  labels_checked_at: Date | null
}

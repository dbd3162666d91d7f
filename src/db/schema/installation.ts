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

export type ChangeTable = {
  xid: Generated<string>
  id: Generated<number>
  kind: string
  ids: number[]
}

export type ChangeFeedTable = {
  singleton: Generated<boolean>
  pruned_before: Generated<string>
  prune_next: Generated<string>
  turned_at: CreatedAt
}

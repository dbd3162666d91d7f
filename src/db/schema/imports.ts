import type { ColumnType, Generated } from 'kysely'
import type { JsonDefault } from './columns.ts'

export type ImportState =
  | 'uploading'
  | 'waiting'
  | 'checking'
  | 'checked'
  | 'running'
  | 'done'
  | 'failed'
  | 'cancelled'

export type ImportTable = {
  id: Generated<number>
  account_id: number
  source: string
  name: string
  options: JsonDefault<Record<string, string>>
  state: ColumnType<ImportState, ImportState | undefined, ImportState>
  page: string | null
  rows: Generated<number>
  expected: number | null
  counts: JsonDefault<Record<string, number>>
  problem: string | null
  started_at: ColumnType<Date, Date | undefined, Date>
  updated_at: ColumnType<Date, Date | undefined, Date>
  finished_at: Date | null
  background: Generated<boolean>
  dry_run: Generated<boolean>
  size: number | null
  bytes_read: Generated<number>
  run_at: Date | null
  not_before: Date | null
  run_rows: Generated<number>
  unused: Generated<string[]>
}

export type ImportFileTable = { import_id: number; part: number; content: Buffer }

export type ImportKeyTable = { import_id: number; sealed: Buffer }

export type ImportProblemTable = {
  id: Generated<number>
  import_id: number
  row: number
  alias: string
  problem: string
  is_notice: Generated<boolean>
  account_id: number | null
}

export type ImportedLinkTable = {
  link_id: number
  account_id: number
  source: string
  domain: string
  alias: string
  history_bytes: Generated<number>
}

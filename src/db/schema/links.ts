import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { CreatedAt, Json, JsonDefault } from './columns.ts'

/** An entry of a target list, with its canonical name. */
export type StoredTarget = { name: string; link: string }

/** A stored rule. See `links/rules/rule.ts`. */
export type StoredRule = { when: object; to: string }

/** An entry of a split. See `links/split.ts`. */
export type StoredVariant = { to: string; weight: number }

export type StoredParameter = { name: string; value: string }

export type LinkTable = {
  id: Generated<number>
  account_id: number
  kind: Generated<'link' | 'qr' | 'bio' | 'forward' | 'deleted'>
  domain_id: number | null
  alias: string
  url: string
  status: Generated<'active' | 'disabled'>
  redirect: Generated<'direct' | 'frame' | 'splash' | 'overlay'>
  splash_id: number | null
  overlay_id: number | null
  password_hash: string | null
  starts_at: Date | null
  expires_at: Date | null
  max_clicks: number | null
  confirm: Generated<boolean>
  used_up_at: Date | null
  ends_at: ColumnType<Date | null, never, never>
  expired_url: string | null
  rules: JsonDefault<StoredRule[]>
  split: JsonDefault<StoredVariant[]>
  parameters: JsonDefault<StoredParameter[]>
  forward_query: boolean | null
  forward_path: boolean | null
  meta_title: string | null
  meta_description: string | null
  meta_image: string | null
  created_at: CreatedAt
  created_by: string | null
  blocked_at: Date | null
  block_reason: string | null
  archived_at: Date | null
  search_text: ColumnType<string, never, never>
}

export type LinkImageTable = {
  link_id: number
  hash: string
  image: Buffer
  created_at: CreatedAt
  account_id: number | null
}

export type LinkVersionTable = {
  link_id: number
  id: Generated<number>
  changed_at: CreatedAt
  changed_by: string
  restores: number | null
  changes: object
  bytes: GeneratedAlways<number>
  truncated: Generated<boolean>
  account_id: number | null
}

export type DeletedLinkTable = {
  link_id: number
  account_id: number
  deleted_at: CreatedAt
  parts: Json<unknown>
}

export type UndoActionTable = {
  id: Generated<number>
  account_id: number
  action: string
  value: Generated<string>
  link_ids: number[]
  created_at: CreatedAt
}

export type LinkUseTable = { link_id: number; clicks: number }

export type LinkCheckTable = {
  link_id: number
  checked_at: Date
  next_at: Date
  failed_at: Date | null
  broken_at: Date | null
  problem: string | null
  destination: string | null
  postponed: Generated<boolean>
}

export type TagTable = { id: Generated<number>; account_id: number; name: string; key: string }

export type LinkTagTable = { link_id: number; tag_id: number; position: number }

export type PixelTable = {
  id: Generated<number>
  account_id: number
  type: string
  name: string
  tag: string
  created_at: CreatedAt
}

export type UtmTemplateTable = {
  id: Generated<number>
  account_id: number
  name: string
  values: object
}

export type LinkPixelTable = { link_id: number; pixel_id: number; position: number }

export type LinkGuessesTable = {
  link_id: number
  wrong: number
  last_at: Date
  waits_until: Date | null
}

export type LinkKnownVisitorTable = {
  link_id: number
  visitor: string
  seen_at: ColumnType<Date, Date | undefined, Date>
}

export type LinkOrderTable = { account_id: number; clicks: number; link_id: number }

export type LinkOrderChangeTable = { id: Generated<number>; link_ids: number[] }

export type RemovedLinkTable = { link_id: number; removed_at: CreatedAt }

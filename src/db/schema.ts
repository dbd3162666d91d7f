import type { ColumnType, Generated } from 'kysely'

/** The tables as the migrations leave them. Rows stay inside the features' `*.queries.ts`. */
export type Schema = {
  migrations: MigrationTable
  instance: InstanceTable
  accounts: AccountTable
  api_keys: ApiKeyTable
  sessions: SessionTable
  rate_windows: RateWindowTable
  idempotency_keys: IdempotencyKeyTable
  row_counts: RowCountTable
  domains: DomainTable
  splash_pages: SplashPageTable
  overlays: OverlayTable
  overlay_answers: OverlayAnswerTable
  pixels: PixelTable
  links: LinkTable
  link_pixels: LinkPixelTable
  tags: TagTable
  link_tags: LinkTagTable
  link_guesses: LinkGuessesTable
  link_known_visitors: LinkKnownVisitorTable
  campaigns: CampaignTable
  campaign_links: CampaignLinkTable
  bio_pages: BioPageTable
  qr_codes: QrCodeTable
  channels: ChannelTable
  channel_items: ChannelItemTable
  labels: LabelTable
  journal_positions: JournalPositionTable
  click_totals: ClickTotalTable
  click_days: ClickDayTable
  account_days: AccountDayTable
  day_backfill: DayBackfillTable
  click_details: ClickDetailTable
  click_visitors: ClickVisitorTable
  clicks: ClickTable
  removed_links: RemovedLinkTable
  link_order: LinkOrderTable
  link_order_changes: LinkOrderChangeTable
  imports: ImportTable
  import_problems: ImportProblemTable
  import_files: ImportFileTable
  import_keys: ImportKeyTable
  imported_links: ImportedLinkTable
  click_imports: ClickImportTable
  webhook_endpoints: WebhookEndpointTable
  webhook_deliveries: WebhookDeliveryTable
  webhook_clicks: WebhookClickTable
  webhook_ends: WebhookEndTable
  operator_log: OperatorLogTable
  blocked_hosts: BlockedHostTable
  link_reports: LinkReportTable
}

type CreatedAt = ColumnType<Date, Date | undefined, never>
/** Written as JSON text, read as the parsed value. */
type Json<Value> = ColumnType<Value, string, string>
type JsonDefault<Value> = ColumnType<Value, string | undefined, string>

export type MigrationTable = { name: string; checksum: string; applied_at: CreatedAt }

export type InstanceTable = {
  singleton: Generated<boolean>
  token: string
  visitor_key: Buffer
  created_at: CreatedAt
}

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
}

export type SessionTable = {
  id: Generated<number>
  account_id: number
  hash: Buffer
  created_at: Date
  last_used_at: Date
  browser: string | null
}

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
  block: number
  slot: number
  rows: number
}

export type DomainTable = {
  id: Generated<number>
  account_id: number
  host: string
  origin: string
  redirect_root: string | null
  redirect_404: string | null
  created_at: CreatedAt
  asked_at: Date | null
  failing_since: Date | null
}

export type SplashPageTable = {
  id: Generated<number>
  account_id: number
  name: string
  title: string
  message: string
  image: string | null
  link: string | null
  seconds: number | null
  created_at: CreatedAt
}

export type OverlayType = 'contact' | 'poll' | 'message' | 'newsletter' | 'image'

export type OverlayTable = {
  id: Generated<number>
  account_id: number
  type: OverlayType
  name: string
  text: string
  button: string | null
  link: string | null
  image: string | null
  options: JsonDefault<string[]>
  created_at: CreatedAt
}

export type OverlayAnswerTable = {
  id: Generated<number>
  overlay_id: number
  link_id: number | null
  answer: Json<Record<string, string>>
  created_at: CreatedAt
}

export type PixelTable = {
  id: Generated<number>
  account_id: number
  type: string
  name: string
  tag: string
  created_at: CreatedAt
}

/** One entry of a targeting list, its name in canonical form. */
export type TargetRow = { name: string; link: string }
export type ParameterRow = { name: string; value: string }

export type LinkTable = {
  id: Generated<number>
  account_id: number
  kind: Generated<'link' | 'qr'>
  domain_id: number | null
  alias: string
  url: string
  status: Generated<'active' | 'disabled'>
  redirect: Generated<'direct' | 'frame' | 'splash' | 'overlay'>
  splash_id: number | null
  overlay_id: number | null
  password_hash: string | null
  expires_at: Date | null
  geo_targets: JsonDefault<TargetRow[]>
  device_targets: JsonDefault<TargetRow[]>
  language_targets: JsonDefault<TargetRow[]>
  parameters: JsonDefault<ParameterRow[]>
  meta_title: string | null
  meta_description: string | null
  meta_image: string | null
  created_at: CreatedAt
  blocked_at: Date | null
  block_reason: string | null
  search_text: ColumnType<string, never, never>
}

export type TagTable = { id: Generated<number>; account_id: number; name: string; key: string }

export type LinkTagTable = { link_id: number; tag_id: number; position: number }

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

export type CampaignTable = {
  id: Generated<number>
  account_id: number
  name: string
  slug: string | null
  public: Generated<boolean>
  created_at: CreatedAt
}

export type CampaignLinkTable = { campaign_id: number; link_id: number }

export type BioLink = { title: string; url: string }

export type BioPageTable = {
  id: Generated<number>
  account_id: number
  alias: string
  title: string
  text: Generated<string>
  links: JsonDefault<BioLink[]>
  created_at: CreatedAt
}

export type QrType = 'text' | 'vcard' | 'link' | 'email' | 'phone' | 'sms' | 'wifi'

export type QrCodeTable = {
  id: Generated<number>
  account_id: number
  alias: string
  name: string
  type: QrType
  payload: string | null
  background: string | null
  foreground: string | null
  logo: Buffer | null
  link_id: number | null
  created_at: CreatedAt
}

export type ChannelTable = {
  id: Generated<number>
  account_id: number
  name: string
  description: Generated<string>
  color: Generated<string>
  starred: Generated<boolean>
  created_at: CreatedAt
}

export type ChannelItemTable = {
  id: Generated<number>
  channel_id: number
  link_id: number | null
  bio_id: number | null
  qr_id: number | null
}

export type LabelTable = { id: Generated<number>; name: string }

export type JournalPositionTable = {
  segment: string
  position: number
  updated_at: ColumnType<Date, Date | undefined, Date>
}

export type ClickTotalTable = {
  link_id: number
  clicks: Generated<number>
  last_click_at: Date | null
}

/** The packed columns are null where nothing but the number of clicks is known. */
export type ClickDayTable = {
  link_id: number
  day: string
  clicks: number
  visitors: number | null
  hours: Buffer | null
  labels: Buffer | null
}

export type AccountDayTable = {
  account_id: number
  day: string
  clicks: number
  visitors: number
  hours: Buffer
  labels: Buffer
  links: Buffer
}

export type DayBackfillTable = { link_id: number; last_link_id: number }

/** What the two packed columns hold: `label-counts.ts` and `visitor-set.ts`. */
export type ClickDetailTable = { link_id: number; labels: Buffer; visitors: number; hashes: Buffer }

export type ClickVisitorTable = { link_id: number; bucket: number; hashes: Buffer }

export type ClickTable = {
  link_id: number
  at: Date
  visitor: ColumnType<string, bigint, never>
  country: number
  referrer: number
  browser: number
  os: number
  device: number
  crawler: boolean
  language: number | null
}

export type RemovedLinkTable = { link_id: number; removed_at: CreatedAt }

export type LinkOrderTable = { account_id: number; clicks: number; link_id: number }

export type LinkOrderChangeTable = { id: Generated<number>; link_ids: number[] }

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
}

export type ImportFileTable = { import_id: number; part: number; content: Buffer }

export type ImportKeyTable = { import_id: number; sealed: Buffer }

export type ImportProblemTable = { import_id: number; row: number; alias: string; problem: string }

export type ImportedLinkTable = {
  link_id: number
  account_id: number
  source: string
  domain: string
  alias: string
}

export type ClickImportTable = {
  link_id: number
  clicks: number
  first_day: string
  last_day: string
}

export type WebhookEndpointTable = {
  id: Generated<number>
  account_id: number
  url: string
  secret: string
  old_secret: string | null
  old_secret_until: Date | null
  events: string[]
  created_at: CreatedAt
  failures: Generated<number>
  failing_since: Date | null
  paused_until: Date | null
  clicks_told_at: Date | null
  clicks_delivery_id: number | null
  disabled_at: Date | null
  disabled_by: 'gone' | 'failures' | null
}

export type DeliveryState = 'waiting' | 'delivered' | 'failed'

export type WebhookDeliveryTable = {
  id: Generated<number>
  endpoint_id: number
  type: string
  data: Json<Record<string, unknown>>
  state: ColumnType<DeliveryState, DeliveryState | undefined, DeliveryState>
  attempts: Generated<number>
  next_at: Date
  status: number | null
  problem: string | null
  created_at: Date
}

export type WebhookClickTable = { endpoint_id: number; link_id: number; clicks: number }

export type WebhookEndTable = {
  singleton: Generated<boolean>
  told_until: Date
  last_link_id: Generated<number>
}

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

import type {
  AccountTable,
  ApiKeyTable,
  FollowedAccountTable,
  IdempotencyKeyTable,
  InvitationTable,
  MemberTable,
  PasswordResetTable,
  RateWindowTable,
  ReportSubscriptionTable,
  RowCountTable,
  SessionTable,
  UserIdentityTable,
  UserTable,
} from './schema/accounts.ts'
import type {
  AccountDayTable,
  ClickDayTable,
  ClickDetailTable,
  ClickImportTable,
  ClickTable,
  ClickTotalTable,
  ClickVisitorTable,
  JournalPositionTable,
  LabelTable,
} from './schema/clicks.ts'
import type { DomainTable } from './schema/domains.ts'
import type {
  CampaignLinkTable,
  CampaignTable,
  ChannelItemTable,
  ChannelTable,
  SharedStatisticsTable,
} from './schema/groups.ts'
import type {
  ImportedLinkTable,
  ImportFileTable,
  ImportKeyTable,
  ImportProblemTable,
  ImportTable,
} from './schema/imports.ts'
import type {
  ChangeFeedTable,
  ChangeTable,
  InstanceTable,
  MigrationTable,
} from './schema/installation.ts'
import type {
  DeletedLinkTable,
  LinkCheckTable,
  LinkGuessesTable,
  LinkImageTable,
  LinkKnownVisitorTable,
  LinkOrderChangeTable,
  LinkOrderTable,
  LinkPixelTable,
  LinkTable,
  LinkTagTable,
  LinkUseTable,
  LinkVersionTable,
  PixelTable,
  RemovedLinkTable,
  TagTable,
  UndoActionTable,
  UtmTemplateTable,
} from './schema/links.ts'
import type {
  BlockedHostTable,
  HeldAliasTable,
  HeldDestinationTable,
  HeldLinkTable,
  LinkReportTable,
  OperatorLogTable,
} from './schema/operator.ts'
import type {
  BioPageTable,
  OverlayAnswerTable,
  OverlayTable,
  SplashPageTable,
} from './schema/pages.ts'
import type { QrCodeTable } from './schema/qr.ts'
import type {
  FactorSetupTable,
  OneTimeCodeTable,
  PasskeyTable,
  PendingSignInTable,
  RecoveryCodeTable,
} from './schema/second-factor.ts'
import type {
  WebhookClickTable,
  WebhookDeliveryTable,
  WebhookEndpointTable,
  WebhookEndTable,
  WebhookMessageTable,
} from './schema/webhooks.ts'

/** The tables that the migrations create. Only `*.queries.ts` files use these types. */
export type Schema = {
  migrations: MigrationTable
  instance: InstanceTable
  changes: ChangeTable
  change_feed: ChangeFeedTable
  accounts: AccountTable
  api_keys: ApiKeyTable
  users: UserTable
  user_identities: UserIdentityTable
  members: MemberTable
  invitations: InvitationTable
  report_subscriptions: ReportSubscriptionTable
  sessions: SessionTable
  password_resets: PasswordResetTable
  one_time_codes: OneTimeCodeTable
  recovery_codes: RecoveryCodeTable
  passkeys: PasskeyTable
  factor_setups: FactorSetupTable
  pending_sign_ins: PendingSignInTable
  rate_windows: RateWindowTable
  followed_accounts: FollowedAccountTable
  idempotency_keys: IdempotencyKeyTable
  row_counts: RowCountTable
  domains: DomainTable
  splash_pages: SplashPageTable
  overlays: OverlayTable
  overlay_answers: OverlayAnswerTable
  pixels: PixelTable
  links: LinkTable
  deleted_links: DeletedLinkTable
  undo_actions: UndoActionTable
  link_pixels: LinkPixelTable
  link_images: LinkImageTable
  utm_templates: UtmTemplateTable
  link_uses: LinkUseTable
  tags: TagTable
  link_tags: LinkTagTable
  link_versions: LinkVersionTable
  link_checks: LinkCheckTable
  link_guesses: LinkGuessesTable
  link_known_visitors: LinkKnownVisitorTable
  campaigns: CampaignTable
  campaign_links: CampaignLinkTable
  shared_statistics: SharedStatisticsTable
  bio_pages: BioPageTable
  qr_codes: QrCodeTable
  channels: ChannelTable
  channel_items: ChannelItemTable
  labels: LabelTable
  journal_positions: JournalPositionTable
  click_totals: ClickTotalTable
  click_days: ClickDayTable
  account_days: AccountDayTable
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
  webhook_messages: WebhookMessageTable
  webhook_deliveries: WebhookDeliveryTable
  webhook_clicks: WebhookClickTable
  webhook_ends: WebhookEndTable
  operator_log: OperatorLogTable
  blocked_hosts: BlockedHostTable
  link_reports: LinkReportTable
  held_links: HeldLinkTable
  held_aliases: HeldAliasTable
  held_destinations: HeldDestinationTable
}

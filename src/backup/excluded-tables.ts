import type { Schema } from '../db/schema.ts'

/**
 * Tables that are not backed up, and why. All other tables of the schema are backed up. Unlogged
 * tables must be listed here, because a replica cannot read them and a server crash empties them.
 */
export const EXCLUDED_TABLES: Partial<Record<keyof Schema, string>> = {
  migrations: 'The manifest names the applied migrations; a restore applies and records them.',
  rate_windows: 'Request counts that expire within minutes.',
  factor_setups: 'Second factors being set up, which expire within minutes.',
  pending_sign_ins: 'Sign-ins between their two steps, which expire within minutes.',
  followed_accounts: 'Accounts whose statistics are open, renewed every few seconds.',
  link_guesses: 'Counts of wrong link passwords that expire by themselves.',
  changes: 'Changes that link stores still have to apply; a restore makes the stores start over.',
  change_feed: 'The position up to which changes are deleted, as transaction ids of this database.',
  import_files: 'Uploads of unfinished imports, hundreds of megabytes each.',
  import_keys: 'API keys of unfinished imports, sealed with a key that is only in DATA_DIR.',
}

import type { Schema } from '../db/schema.ts'

/**
 * The tables that a backup leaves out, with the reason. Every other table of the schema is in it.
 * Unlogged tables belong here: a replica cannot read them, and a crash of the server empties them.
 */
export const EXCLUDED_TABLES: Partial<Record<keyof Schema, string>> = {
  migrations: 'The manifest names the applied migrations; a restore applies and records them.',
  rate_windows: 'Request counts that expire within minutes.',
  link_guesses: 'Counts of wrong link passwords that expire by themselves.',
  changes: 'Changes that link stores still have to apply; a restore has them rebuilt.',
  change_feed: 'How far the changes are deleted, by transaction ids of this database.',
  import_files: 'Uploads of unfinished imports, hundreds of megabytes each.',
  import_keys: 'API keys of unfinished imports, sealed with a key that is only in DATA_DIR.',
}

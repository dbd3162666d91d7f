// The keys of all advisory locks, in one file to avoid collisions. The numbers are arbitrary.

/** Held while migrations run. */
export const MIGRATION_LOCK = 4_267_001
/** The first half of the key: the importer of one journal folder. */
export const JOURNAL_LOCK = 4_267
/** The first half of the key: one Idempotency-Key of one account. */
export const IDEMPOTENCY_LOCK = 4_268
/** Held while the first account is created. */
export const FIRST_ACCOUNT_LOCK = 4_267_002
/** The first half of the key: maintenance that one process performs for all. */
export const MAINTENANCE_LOCK = 4_269
/** The second half of MAINTENANCE_LOCK: the order of links by clicks. */
export const LINK_ORDER_LOCK = 3
/** Held while the next waiting import is claimed. */
export const IMPORT_LOCK = 4_270
/** The first half of the key: the command that imports links from one source into one account. */
export const IMPORT_COMMAND_LOCK = 4_271
/** The first half of the key: deleting surplus webhook messages of one account. */
export const WEBHOOK_QUEUE_LOCK = 4_272
/** The first half of the key: deleting the rows of one account. */
export const ACCOUNT_DELETION_LOCK = 4_273
/** Held by the one process of the installation that runs jobs. */
export const JOB_RUNNER_LOCK = 4_267_003
/** Held while totals of links are created, and shared by transactions that delete totals. */
export const TOTALS_LOCK = 4_267_004

/** Keys of the advisory locks, in one place so that no two uses meet. Any 63-bit integers do. */
export const MIGRATION_LOCK = 4_267_001
/** First half of two-part locks: the importer of one journal folder. */
export const JOURNAL_LOCK = 4_267
/** First half of two-part locks: one Idempotency-Key of one account. */
export const IDEMPOTENCY_LOCK = 4_268
/** Who makes the first account of all. */
export const FIRST_ACCOUNT_LOCK = 4_267_002
/** First half of two-part locks: housekeeping that one process does for all. */
export const MAINTENANCE_LOCK = 4_269
/** Second half of MAINTENANCE_LOCK: the order of links by clicks. */
export const LINK_ORDER = 3
/** Who takes the next import that waits. */
export const IMPORT_LOCK = 4_270
/** First half of two-part locks: the command that moves links of one source into one account. */
export const IMPORT_COMMAND_LOCK = 4_271
/** First half of two-part locks: the transaction that drops messages of one account. */
export const WEBHOOK_QUEUE_LOCK = 4_272
/** The one process of an installation that runs jobs. */
export const JOB_RUNNER_LOCK = 4_267_003

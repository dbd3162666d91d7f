/** Keys of the advisory locks, collected here to avoid collisions. Any 63-bit integers work. */
export const MIGRATION_LOCK = 4_267_001
/** First half of two-part locks: the importer of one journal folder. */
export const JOURNAL_LOCK = 4_267
/** First half of two-part locks: one Idempotency-Key of one account. */
export const IDEMPOTENCY_LOCK = 4_268
/** Creating the first account. */
export const FIRST_ACCOUNT_LOCK = 4_267_002
/** First half of two-part locks: maintenance done by one process for all. */
export const MAINTENANCE_LOCK = 4_269
/** Second half of MAINTENANCE_LOCK: the order of links by clicks. */
export const LINK_ORDER = 3
/** Taking the next waiting import. */
export const IMPORT_LOCK = 4_270
/**
 * First half of two-part locks: the command that imports links from one source into one account.
 */
export const IMPORT_COMMAND_LOCK = 4_271
/** First half of two-part locks: dropping messages of one account. */
export const WEBHOOK_QUEUE_LOCK = 4_272
/** Running jobs in one process per installation. */
export const JOB_RUNNER_LOCK = 4_267_003

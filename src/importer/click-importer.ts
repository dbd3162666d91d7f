import { finishDeletions } from '../accounts/account-deletion.ts'
import { deleteExpired } from '../accounts/expired-rows.queries.ts'
import {
  createDescribeClick,
  createImporter,
  type Importer,
  type ImporterOptions,
  type PeriodicTask,
} from '../clicks/import.ts'
import { memo } from '../concurrency/memo.ts'
import type { Db } from '../db/pool.ts'
import { emptyTrash } from '../links/trash.service.ts'
import { publishClicks } from '../live/publish-clicks.ts'
import type { CountryLookup } from '../visitors/country.ts'
import { countryName } from '../visitors/country-names.ts'
import { isCrawler } from '../visitors/crawler.ts'
import { preferredLanguage } from '../visitors/language.ts'
import { referrerHost, referrerLabel, socialNetwork } from '../visitors/referrer.ts'
import { parseUserAgent } from '../visitors/user-agent.ts'
import { createVisitorHash } from '../visitors/visitor-hash.ts'
import { recordClickEvents } from '../webhooks/click-events.ts'

type Options = Omit<ImporterOptions, 'describe' | 'note' | 'tasks'> & {
  /** The key of the visitors' hashes. */
  visitorKey: Buffer
  country: Pick<CountryLookup, 'lookup'>
}

/**
 * Creates the importer of clicks, with the functions that describe a click and the periodic tasks.
 */
export function createClickImporter({ visitorKey, country, ...options }: Options): Importer {
  const nameOf = memo(countryName)
  return createImporter({
    ...options,
    async note(tx, rollup, accountOf) {
      await recordClickEvents(tx, rollup.totals, accountOf)
      await publishClicks(tx, rollup, accountOf)
    },
    tasks: periodicTasks(options.db.db, options.log),
    describe: createDescribeClick({
      visitorHash: createVisitorHash(visitorKey),
      countryLabel: (address) => nameOf(country.lookup(address) ?? ''),
      parseUserAgent,
      isCrawler,
      referrerHost,
      referrerLabel,
      socialNetwork,
      preferredLanguage,
    }),
  })
}

/** Returns the periodic deletions that the importer runs every minute. */
export function periodicTasks(
  db: Db,
  log: { info(details: object, text: string): void },
): PeriodicTask[] {
  return [
    () => deleteExpired(db),
    async (signal) => {
      const deleted = await emptyTrash(db, undefined, signal)
      if (deleted > 0) log.info({ links: deleted }, 'links were deleted from the trash')
    },
    async (signal) => {
      const deleted = await finishDeletions(db, signal)
      if (deleted > 0) log.info({ accounts: deleted }, 'accounts were deleted')
    },
  ]
}

import { finishDeletions } from '../account-deletion/account-deletion.ts'
import {
  createDescribeClick,
  createImporter,
  type DescribeClick,
  type Importer,
  type ImporterOptions,
  type PeriodicTask,
} from '../clicks/import.ts'
import { memo } from '../concurrency/memo.ts'
import { type Instance, requireInstance } from '../db/instance.ts'
import type { Db } from '../db/pool.ts'
import { deleteExpired } from '../identity/expired-rows.queries.ts'
import { emptyTrash } from '../links/trash.service.ts'
import { deleteOldAnswers } from '../resources/overlay-answers.ts'
import { namesFullBrowser } from '../visitors/automated.ts'
import type { CountryLookup } from '../visitors/country.ts'
import { getCountryName } from '../visitors/country-names.ts'
import type { ClientClassifier } from '../visitors/crawler.ts'
import { findPreferredLanguage } from '../visitors/language.ts'
import { findSocialNetwork, parseReferrerHost, toReferrerLabel } from '../visitors/referrer.ts'
import { parseUserAgent } from '../visitors/user-agent.ts'
import { createVisitorHash } from '../visitors/visitor-hash.ts'
import { notifyOfClicks } from './notify-of-clicks.ts'

type Options = Omit<ImporterOptions, 'describe' | 'onClicks' | 'tasks' | 'authorize'> & {
  instance: Instance
  country: Pick<CountryLookup, 'lookup'>
  clients: Pick<ClientClassifier, 'findRobot' | 'findProgram'>
  /** Throws if the journal belongs to another installation. */
  requireOwnFiles?: () => void
  /** The days after which responses to overlays are deleted. */
  answerRetentionDays?: number | undefined
}

const ANSWER_RETENTION_DAYS = 365

/**
 * Creates the importer of clicks, with the function that describes clicks and the periodic tasks.
 */
export function createClickImporter({
  instance,
  country,
  clients,
  requireOwnFiles,
  answerRetentionDays,
  ...options
}: Options): Importer {
  return createImporter({
    ...options,
    onClicks: notifyOfClicks,
    tasks: createPeriodicTasks(options.db.db, options.log, answerRetentionDays),
    authorize: async (db) => {
      requireOwnFiles?.()
      await requireInstance(db, instance)
    },
    describe: createClickDescription(instance.visitorKey, country, clients),
  })
}

/** Returns the periodic deletions that the importer runs every minute. */
export function createPeriodicTasks(
  db: Db,
  log: { info(details: object, text: string): void },
  answerRetentionDays = ANSWER_RETENTION_DAYS,
): PeriodicTask[] {
  return [
    () => deleteExpired(db),
    () => deleteOldAnswers(db, answerRetentionDays),
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

/**
 * Creates the function that describes a click. `visitorKey` is the key with which visitors are
 * hashed.
 */
export function createClickDescription(
  visitorKey: Buffer,
  country: Pick<CountryLookup, 'lookup'>,
  { findRobot, findProgram }: Pick<ClientClassifier, 'findRobot' | 'findProgram'>,
): DescribeClick {
  const getCachedName = memo(getCountryName)
  return createDescribeClick({
    visitorHash: createVisitorHash(visitorKey),
    countryLabel: (address, code) => getCachedName(code ?? country.lookup(address) ?? ''),
    parseUserAgent,
    namesFullBrowser,
    findRobot,
    findProgram,
    referrerHost: parseReferrerHost,
    referrerLabel: toReferrerLabel,
    socialNetwork: findSocialNetwork,
    preferredLanguage: findPreferredLanguage,
  })
}

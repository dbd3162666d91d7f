import { createAccounts } from '../accounts/account.service.ts'
import { createKeys } from '../accounts/key.service.ts'
import { createPasswords } from '../accounts/password.ts'
import { createBios } from '../bio/bio.service.ts'
import { checkStatistics } from '../clicks/maintenance/check.ts'
import { backfillDays } from '../clicks/maintenance/day-backfill.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/pool.ts'
import { createHosts } from '../domains/hosts.ts'
import { serviceHosts } from '../domains/service-hosts.ts'
import { createLinkModeration } from '../links/link-moderation.ts'
import { createOverlays } from '../overlays/overlay.service.ts'
import { createSplashes } from '../splash/splash.service.ts'

export type Features = ReturnType<typeof createOperatorFeatures>

/**
 * The features that commands work with. They are few and need neither the country table nor the
 * journal, so that a command is done in the time that those alone would take to load.
 */
export function createOperatorFeatures(db: Db, config: Config) {
  const { baseUrl } = config
  const clock = systemClock
  // A command ends before it could see a link again: there is nothing to invalidate.
  const visitLinks = { invalidatePart: () => {} }
  return {
    clock,
    accounts: createAccounts({ db, passwords: createPasswords(), clock }),
    keys: createKeys({ db, clock }),
    overlays: createOverlays({ db, visitLinks }),
    splashes: createSplashes({ db, visitLinks }),
    moderation: createLinkModeration({
      db,
      baseUrl,
      hosts: createHosts({ db, serviceHosts: serviceHosts(config) }),
    }),
    bios: createBios({ db }),
    checkStatistics: () => checkStatistics(db),
    backfillDays: () => backfillDays(db),
  }
}

import { createAccounts } from '../accounts/account.service.ts'
import { createKeys } from '../accounts/key.service.ts'
import { createPasswords } from '../accounts/password.ts'
import { createBios } from '../bio/bio.service.ts'
import { checkStatistics } from '../clicks/maintenance/check.ts'
import { systemClock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { createOverlays } from '../overlays/overlay.service.ts'
import { createSplashes } from '../splash/splash.service.ts'

export type Features = ReturnType<typeof createOperatorFeatures>

/**
 * The features that commands work with. They are few and need neither the country table nor the
 * journal, so that a command is done in the time that those alone would take to load.
 */
export function createOperatorFeatures(db: Db) {
  const clock = systemClock
  // A command ends before it could see a link again: there is nothing to invalidate.
  const invalidateLinks = () => {}
  return {
    clock,
    accounts: createAccounts({ db, passwords: createPasswords(), clock }),
    keys: createKeys({ db, clock }),
    overlays: createOverlays({ db, invalidateLinks }),
    splashes: createSplashes({ db, invalidateLinks }),
    bios: createBios({ db }),
    checkStatistics: () => checkStatistics(db),
  }
}

/** The public functions that record clicks on the redirect path. */
export { toVariantLabel } from './encoding/label-text.ts'
export type { ClickRecord, UncountedReason } from './journal/format.ts'
export { type Journal, openJournal } from './journal/journal.ts'
export {
  claimJournal,
  disownJournal,
  hasClicks,
  readJournalOwner,
} from './journal/journal-owner.ts'
export { createLossReport, createReserveReport } from './journal/loss-report.ts'
export { fillReserve } from './journal/reserve.ts'

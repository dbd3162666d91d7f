/** The public functions that record clicks on the redirect path. */
export { type Journal, openJournal } from './journal/journal.ts'
export { createLossReport } from './journal/loss-report.ts'

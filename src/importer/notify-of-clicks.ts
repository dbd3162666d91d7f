import type { OnClicks } from '../clicks/import.ts'
import { publishClicks } from '../live/publish-clicks.ts'
import { recordClickEvents } from '../webhooks/outbox.ts'

/**
 * Passes counted clicks to webhooks and live statistics, in the transaction that counts the clicks.
 */
export const notifyOfClicks: OnClicks = async (tx, rollup, accountOf) => {
  await recordClickEvents(tx, rollup.totals, accountOf)
  await publishClicks(tx, rollup, accountOf)
}

import type { ClickReceiver } from '../clicks/import.ts'
import { MainResponseError, type PostToMain } from './main-client.ts'

/** Counting a batch may take several seconds on a busy database. */
const TIMEOUT_MS = 70_000

/** Creates the receiver that sends an edge's clicks to the main installation. */
export function createMainClicks(post: PostToMain, signal: AbortSignal): ClickReceiver {
  const limits = { timeoutMs: TIMEOUT_MS, signal }

  return {
    async readPositions(journal) {
      const response = await post('clicks/positions', journal, limits)
      return new Map(Object.entries(response as Record<string, number>))
    },

    async send(clicks) {
      try {
        await post('clicks', clicks, limits)
        return true
      } catch (error) {
        if (error instanceof MainResponseError && error.status === 409) return false
        throw error
      }
    },
  }
}

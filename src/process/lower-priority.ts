import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/**
 * Lowers the priority of all threads of this process, so that redirects come first where processors
 * are few. Never raises it, which only root may do: the whole service may already run at a lower
 * priority.
 */
export function lowerPriority(nice: number): void {
  const lowered = Math.max(getPriority(), nice)
  setPriority(lowered)
  for (const thread of listThreads()) {
    try {
      setPriority(thread, lowered)
    } catch {
      // The thread has ended.
    }
  }
}

/**
 * Returns the ids of this process's threads. Linux has a priority per thread. Later threads inherit
 * it, but those that collect garbage, a quarter of the importer's processor time, start before any
 * of our code.
 */
function listThreads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number)
  } catch {
    return []
  }
}

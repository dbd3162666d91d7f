import { readdir, readFile } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'

/** Two busy threads of this priority leave the event loop four fifths of a core they share with it. */
const BEHIND_THE_LOOP = 10

/**
 * Lowers the priority of the threads on which libuv works, so that the event loop, and with it the
 * redirects, go before the checks of passwords where there are not processors for all. On Linux alone,
 * where every thread has a priority of its own (setpriority(2), "C library/kernel differences"), and
 * with a Node.js that names them. Anywhere else, and if it may not, it changes nothing.
 */
export async function lowerPoolPriority(): Promise<void> {
  try {
    // The first reading through the pool starts all of its threads before it ends.
    for (const thread of await readdir('/proc/self/task')) await lower(Number(thread))
  } catch {
    // No Linux, or no such rights: as it was.
  }
}

async function lower(thread: number): Promise<void> {
  const name = await readFile(`/proc/self/task/${thread}/comm`, 'utf8')
  // Never upwards, which only root may do.
  if (name !== 'libuv-worker\n' || getPriority(thread) >= BEHIND_THE_LOOP) return
  setPriority(thread, BEHIND_THE_LOOP)
}

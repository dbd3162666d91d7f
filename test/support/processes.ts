import { setTimeout as sleep } from 'node:timers/promises'
import { listProcesses, type RunningProcess } from './running-processes.ts'

/** Returns the running child processes of `parent`. */
export async function listChildren(parent: number): Promise<RunningProcess[]> {
  return listProcesses((process) => process.parent === parent)
}

/** Returns whether a process with this id exists, including zombies. */
export function isAlive(pid: number): boolean {
  return signal(pid, 0)
}

/**
 * Sends a signal to a process, or to its group with a negative id. Returns false if it does not
 * exist.
 */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    return false
  }
}

/** Waits until `condition` is true. Throws an error with the description after the timeout. */
export async function until(
  description: string,
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 60_000, intervalMs = 25 } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`timed out after ${timeoutMs} ms: ${description}`)
    await sleep(intervalMs)
  }
}

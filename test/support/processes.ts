import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningProcess, runningProcesses } from './running-processes.ts'

/** The processes that `parent` started and that still run. */
export async function childrenOf(parent: number): Promise<RunningProcess[]> {
  return runningProcesses((process) => process.parent === parent)
}

/** Whether there is a process with this id, also one that has ended and that its parent has not asked after yet. */
export function isAlive(pid: number): boolean {
  return signal(pid, 0)
}

/** Sends a signal to a process, or with a negative id to its group; false if it is not there. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    return false
  }
}

/** Waits until `condition` holds. Throws what it was waiting for when the time is over. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { within = 20_000, every = 25 } = {},
): Promise<void> {
  const deadline = performance.now() + within
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${within} ms in vain: ${what}`)
    await sleep(every)
  }
}

import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

export type RunningProcess = { pid: number; parent: number; command: string }

/** The processes that `parent` started and that still run. */
export async function childrenOf(parent: number): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args='])
  return stdout
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap((match) =>
      match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3] ?? '' }] : [],
    )
    .filter((process) => process.parent === parent)
}

/** Sends a signal to a process, or with a negative id to its group; false if it is not there. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
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

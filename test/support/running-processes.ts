import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'

export type RunningProcess = { pid: number; parent: number; group: number; command: string }

/**
 * Every process of this machine that has not ended, zombies left out. On Linux from /proc, for a bare
 * machine has no `ps`.
 */
export async function runningProcesses(): Promise<RunningProcess[]> {
  const found = process.platform === 'linux' ? fromProc() : await fromPs()
  return found.filter(({ state }) => !state.startsWith('Z'))
}

type Found = RunningProcess & { state: string }

/** At once: they are hundreds of small files in memory, and tests look at them again and again. */
function fromProc(): Found[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.flatMap((pid) => {
    try {
      return [readOne(pid)]
    } catch {
      // What ends in between is not there to be read.
      return []
    }
  })
}

/** See proc(5): the name in parentheses may hold anything, the fields follow the last of them. */
function readOne(pid: number): Found {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [state = 'Z', parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
  const command = words.join(' ').trim()
  return { pid, parent: Number(parent), group: Number(group), state, command }
}

async function fromPs(): Promise<Found[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,args='])
  return stdout
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [pid, parent, group, state = 'Z', ...args] = line.trim().split(/\s+/)
      const command = args.join(' ')
      return { pid: Number(pid), parent: Number(parent), group: Number(group), state, command }
    })
}

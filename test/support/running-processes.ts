import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export type RunningProcess = { pid: number; parent: number; group: number; command: string }

/**
 * Every process of this machine that has not ended, zombies left out. On Linux from /proc, for a bare
 * machine has no `ps`.
 */
export async function runningProcesses(): Promise<RunningProcess[]> {
  const found = process.platform === 'linux' ? await fromProc() : await fromPs()
  return found.filter(({ state }) => !state.startsWith('Z'))
}

type Found = RunningProcess & { state: string }

async function fromProc(): Promise<Found[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger)
  // What ends in between is not there to be read.
  const found = await Promise.all(pids.map((pid) => readOne(pid).catch(() => [])))
  return found.flat()
}

/** See proc(5): the name in parentheses may hold anything, the fields follow the last of them. */
async function readOne(pid: number): Promise<Found[]> {
  const [stat, command] = await Promise.all(
    ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
  )
  const [state = 'Z', parent, group] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  const words = command?.split('\0').filter(Boolean) ?? []
  return [
    { pid, parent: Number(parent), group: Number(group), state, command: words.join(' ').trim() },
  ]
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

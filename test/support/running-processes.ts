import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'

type ProcessIds = { pid: number; parent: number; group: number }
export type RunningProcess = ProcessIds & { command: string }

/**
 * Returns the running processes that match `matches`, without zombies. Uses /proc on Linux, because
 * a bare machine has no `ps`.
 */
export async function listProcesses(
  matches: (ids: ProcessIds) => boolean,
): Promise<RunningProcess[]> {
  if (process.platform === 'linux') return readProc(matches)
  return (await readPs()).filter(matches)
}

/** Reads files synchronously, because they are hundreds, small and in memory. */
function readProc(matches: (ids: ProcessIds) => boolean): RunningProcess[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.flatMap((pid) => {
    try {
      const ids = readIds(pid)
      return ids && matches(ids) ? [{ ...ids, command: readCommand(pid) }] : []
    } catch {
      // The process may have ended in the meantime.
      return []
    }
  })
}

/**
 * Returns the ids of a process, or undefined for a zombie. The name in parentheses may contain
 * anything, and the fields follow the last parenthesis (proc(5)).
 */
function readIds(pid: number): ProcessIds | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [state = 'Z', parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 3)
  if (state === 'Z') return
  return { pid, parent: Number(parent), group: Number(group) }
}

function readCommand(pid: number): string {
  const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  return commandLine.filter(Boolean).join(' ').trim()
}

async function readPs(): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,args='])
  return stdout
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const [pid, parent, group, state = 'Z', ...args] = line.trim().split(/\s+/)
      const command = args.join(' ')
      if (state.startsWith('Z')) return []
      return [{ pid: Number(pid), parent: Number(parent), group: Number(group), command }]
    })
}

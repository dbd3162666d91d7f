import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** By default, the measured server runs on one core, and everything else on the other. */
export const SERVER_CORE = 0
export const OTHER_CORE = 1
export const BOTH_CORES = `${SERVER_CORE},${OTHER_CORE}`

/** Linux reports CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100

/** Pins all present and future threads of the processes to `cores`. */
export function pin(pids: readonly number[], cores: number | string): void {
  for (const pid of pids) {
    try {
      execFileSync('taskset', ['-a', '-c', '-p', String(cores), String(pid)], { stdio: 'pipe' })
    } catch (error) {
      // A database connection may have closed in the meantime.
      if (isAlive(pid)) throw error
    }
  }
}

/** Returns the PIDs of the child processes that have `text` in their command line. */
export function findChildren(pid: number, text = ''): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => readParentPid(child) === pid && readCommandLine(child).includes(text))
}

/** Returns the resident memory of a process in bytes. */
export function readResidentBytes(pid: number): number {
  return readStatusBytes(pid, /^VmRSS:\s+(\d+) kB$/m)
}

/** Returns the maximum resident memory of a process in bytes. */
export function readPeakBytes(pid: number): number {
  return readStatusBytes(pid, /^VmHWM:\s+(\d+) kB$/m)
}

function readStatusBytes(pid: number, line: RegExp): number {
  return Number(line.exec(readProc(pid, 'status'))?.[1] ?? 0) * 1024
}

/** Returns the proportional memory (PSS) in bytes. In a sum over processes, shared memory counts once. */
export function readProportionalBytes(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(readProc(pid, 'smaps_rollup'))?.[1]
  return Number(kib ?? 0) * 1024
}

/** Returns the CPU time of a process in seconds. */
export function readCpuSeconds(pid: number): number {
  return readTickSeconds(pid, 11)
}

/** Returns the CPU time of a process's main thread in milliseconds. */
export function readMainThreadMs(pid: number): number {
  return Number(readProc(pid, `task/${pid}/schedstat`).split(' ')[0]) / 1e6
}

/** Returns the CPU time of exited child processes in seconds, such as closed database connections. */
export function readChildCpuSeconds(pid: number): number {
  return readTickSeconds(pid, 13)
}

/**
 * Returns the sum of two adjacent fields of `/proc/<pid>/stat`: user time and system time. Fields
 * are counted from the one after the command name, which may contain spaces.
 */
function readTickSeconds(pid: number, firstField: number): number {
  const fields = readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
  const [userTicks = 0, systemTicks = 0] = fields.slice(firstField, firstField + 2).map(Number)
  return (userTicks + systemTicks) / TICKS_PER_SECOND
}

function readParentPid(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readProc(pid, 'status'))?.[1] ?? -1)
}

function readCommandLine(pid: number): string {
  return readProc(pid, 'cmdline').replaceAll('\0', ' ')
}

function isAlive(pid: number): boolean {
  return readProc(pid, 'status') !== ''
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

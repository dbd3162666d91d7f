import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** The cores of the measurements: what is measured runs on one, the load and the rest on the other. */
export const SERVER_CORE = 0
export const OTHER_CORE = 1
export const BOTH_CORES = `${SERVER_CORE},${OTHER_CORE}`

/** Linux counts processor time for its readers in hundredths of a second. */
const TICKS = 100

/** Lets every thread of the processes, and those they start later, run on these cores only. */
export function pin(pids: readonly number[], cores: number | string): void {
  for (const pid of pids) {
    try {
      execFileSync('taskset', ['-a', '-c', '-p', String(cores), String(pid)], { stdio: 'pipe' })
    } catch (error) {
      // A connection's process may have ended since it was listed.
      if (isAlive(pid)) throw error
    }
  }
}

/** The processes that a process has started, by what their command lines contain. */
export function childrenOf(pid: number, containing = ''): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid && commandLine(child).includes(containing))
}

/** Bytes of memory that a process holds right now. */
export function residentBytes(pid: number): number {
  return memoryOf(pid, /^VmRSS:\s+(\d+) kB$/m)
}

/** The most that it has held so far. */
export function peakBytes(pid: number): number {
  return memoryOf(pid, /^VmHWM:\s+(\d+) kB$/m)
}

function memoryOf(pid: number, line: RegExp): number {
  return Number(line.exec(readProc(pid, 'status'))?.[1] ?? 0) * 1024
}

/** The same with a share of what it has in common with others, so that their sum counts that once. */
export function proportionalBytes(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(readProc(pid, 'smaps_rollup'))?.[1]
  return Number(kib ?? 0) * 1024
}

/** Seconds of processor time that a process has used, all its threads together. */
export function cpuSeconds(pid: number): number {
  const fields = readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS
}

/** Milliseconds of processor time that a process's main thread has used, to the microsecond. */
export function mainThreadMs(pid: number): number {
  return Number(readProc(pid, `task/${pid}/schedstat`).split(' ')[0]) / 1e6
}

/** What its children had used that have ended, such as connections of PostgreSQL. */
export function endedCpuSeconds(pid: number): number {
  const fields = readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / TICKS
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readProc(pid, 'status'))?.[1] ?? -1)
}

function commandLine(pid: number): string {
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

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

/** Returns the child processes that have `text` in their command line. */
export function childrenOf(pid: number, text = ''): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid && commandLine(child).includes(text))
}

/** Returns the resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  return memoryOf(pid, /^VmRSS:\s+(\d+) kB$/m)
}

/** Returns the maximum resident memory of a process in bytes. */
export function peakBytes(pid: number): number {
  return memoryOf(pid, /^VmHWM:\s+(\d+) kB$/m)
}

function memoryOf(pid: number, line: RegExp): number {
  return Number(line.exec(readProc(pid, 'status'))?.[1] ?? 0) * 1024
}

/** Returns the proportional memory (PSS) in bytes. In a sum over processes, shared memory counts once. */
export function proportionalBytes(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB$/m.exec(readProc(pid, 'smaps_rollup'))?.[1]
  return Number(kib ?? 0) * 1024
}

/** Returns the CPU time of a process in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND
}

/** Returns the CPU time of a process's main thread in milliseconds. */
export function mainThreadMs(pid: number): number {
  return Number(readProc(pid, `task/${pid}/schedstat`).split(' ')[0]) / 1e6
}

/** Returns the CPU time of exited child processes in seconds, such as closed database connections. */
export function childCpuSeconds(pid: number): number {
  const fields = readProc(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / TICKS_PER_SECOND
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

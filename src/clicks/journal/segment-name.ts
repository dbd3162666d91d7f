import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

export type Segment = {
  file: string
  /** Everything before the sequence number: one journal of one process. */
  writer: string
  sequence: number
  pid: number
  /** When the process started, in clock ticks since boot; not a number where there is no /proc. */
  started: string
  host: string
}

const PATTERN = /^((\d+)\.([0-9a-z]+)\.([0-9a-f]{8})\.[0-9a-f]{8})-(\d{8,})\.clicks$/

/** The name under which a new journal of this process writes its segments. */
export function newWriter(): string {
  const id = randomBytes(4).toString('hex')
  return `${process.pid}.${startTime('self') ?? 'unknown'}.${thisHost()}.${id}`
}

/** The name of a segment; names of one writer sort in the order in which they were written. */
export function segmentFile(writer: string, sequence: number): string {
  return `${writer}-${String(sequence).padStart(8, '0')}.clicks`
}

/** What a file's name says, undefined for files that are no segments. */
export function parseSegment(file: string): Segment | undefined {
  const [, writer, pid, started, host, sequence] = PATTERN.exec(file) ?? []
  if (!writer || !started || !host) return undefined
  return { file, writer, sequence: Number(sequence), pid: Number(pid), started, host }
}

/**
 * Whether the process that writes a segment still runs: by its id together with its start time, as
 * ids are used again. 'unknown' if it was started on another host, in another container or before
 * the last boot, where its id says nothing.
 */
export function writerState({ pid, started, host }: Segment): 'running' | 'gone' | 'unknown' {
  if (host !== thisHost()) return 'unknown'
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'running'
  }
  const found = startTime(pid)
  return found === undefined || started === 'unknown' || found === started ? 'running' : 'gone'
}

/** Field 22 of /proc/<pid>/stat (proc_pid_stat(5)), 'zombie' for one that only waits to be reaped. */
function startTime(pid: number | 'self'): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name in parentheses and may itself hold any of these.
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return 'ZX'.includes(state) ? 'zombie' : fields[18]
  } catch {
    return undefined
  }
}

let known: string | undefined

/** Tells apart what process ids depend on: the boot of the machine and the container. */
function thisHost(): string {
  known ??= createHash('sha256').update(hostIdentity()).digest('hex').slice(0, 8)
  return known
}

function hostIdentity(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')
    return `${boot}${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

export type Segment = {
  file: string
  /** The part before the sequence number. It identifies one journal of one process. */
  writer: string
  sequence: number
  pid: number
  /** When the process started, in clock ticks since boot, or `unknown` without /proc. */
  started: string
  /** The hash of the machine's boot and the container in which the process runs. */
  host: string
}

const PATTERN = /^((\d+)\.([0-9a-z]+)\.([0-9a-f]{8})\.[0-9a-f]{8})-(\d{8,})\.clicks$/

/** Returns the writer name for a new journal of this process. */
export function createWriterName(): string {
  const id = randomBytes(4).toString('hex')
  return `${process.pid}.${startTime('self') ?? 'unknown'}.${getProcessScope()}.${id}`
}

/**
 * Returns the file name of a segment. The names of a writer sort in the order in which the segments
 * are written.
 */
export function formatSegmentFile(writer: string, sequence: number): string {
  return `${writer}-${String(sequence).padStart(8, '0')}.clicks`
}

/** Parses a file name. Returns undefined for files that are not segments. */
export function parseSegment(file: string): Segment | undefined {
  const [, writer, pid, started, host, sequence] = PATTERN.exec(file) ?? []
  if (!writer || !started || !host) return undefined
  return { file, writer, sequence: Number(sequence), pid: Number(pid), started, host }
}

/**
 * Returns whether the process that writes a segment is running. Checks its id and start time,
 * because ids are reused. Returns 'unknown' if the process was started on another host, in another
 * container or before the last boot.
 */
export function writerState({ pid, started, host }: Segment): 'running' | 'gone' | 'unknown' {
  if (host !== getProcessScope()) return 'unknown'
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'running'
  }
  const currentStart = startTime(pid)
  return currentStart === undefined || started === 'unknown' || currentStart === started
    ? 'running'
    : 'gone'
}

/**
 * Returns the start time of a process, which is field 22 of /proc/<pid>/stat (see
 * proc_pid_stat(5)), or 'zombie' if the process has ended but is still listed. Returns undefined if
 * the process is not listed.
 */
function startTime(pid: number | 'self'): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name in parentheses, which may contain spaces and
    // parentheses.
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // The states Z (zombie) and X (dead).
    return 'ZX'.includes(state) ? 'zombie' : fields[18]
  } catch {
    return undefined
  }
}

let cachedScope: string | undefined

/** Identifies where process ids are unique: one boot of the machine and one container. */
function getProcessScope(): string {
  cachedScope ??= createHash('sha256').update(readHostIdentity()).digest('hex').slice(0, 8)
  return cachedScope
}

function readHostIdentity(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')
    return `${boot}${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

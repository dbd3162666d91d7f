import {
  close,
  fdatasync,
  ftruncateSync,
  futimesSync,
  mkdirSync,
  openSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../../files/sync-folder.ts'
import {
  type ClickRecord,
  FRAME_HEADER,
  MAX_FRAME,
  MAX_RECORD,
  sealFrame,
  writeRecord,
} from './format.ts'
import { newWriter, segmentFile } from './segment-name.ts'

export type Journal = ReturnType<typeof openJournal>

export type JournalOptions = {
  dir: string
  /** When a click counts as kept: once it is written, or once the disk has confirmed it as well. */
  sync: 'background' | 'fsync'
  /** Is told of clicks that could not be written; a count of 0 means written, but not confirmed. */
  onLoss: (count: number, error: Error) => void
  segmentBytes?: number
  /** Called at named moments, for tests that end the process there. */
  fault?: ((point: string) => void) | undefined
  /** The calls that a full disk makes fail, for tests. */
  files?: Partial<Files>
}

type Done = () => void
type Open = { fd: number; size: number }

type Files = {
  openSync(path: string, flags: string, mode: number): number
  writeSync(fd: number, data: Buffer, offset: number, length: number, position: number): number
  ftruncateSync(fd: number, size: number): void
  fdatasync(fd: number, done: (error: Error | null) => void): void
}

const files: Files = { openSync, writeSync, ftruncateSync, fdatasync }
const SYNC_INTERVAL = 1000
/** A segment with clicks is closed and then deleted, so that addresses do not stay on the disk. */
const SEGMENT_INTERVAL = 60_000

/**
 * The append-only file that takes clicks before the database does. The records of one turn of the
 * event loop are written together; a finished `write` survives the death of the process, and with
 * `sync: 'fsync'` it is also on the disk before anyone is told.
 */
export function openJournal(options: JournalOptions) {
  const { dir, sync, onLoss, fault = () => {} } = options
  const { segmentBytes = 64 << 20 } = options
  const { openSync, writeSync, ftruncateSync, fdatasync } = { ...files, ...options.files }
  makeFolderEarly(dir)
  const writer = newWriter()
  const buffer = Buffer.allocUnsafeSlow(FRAME_HEADER + MAX_FRAME)
  const totals = { written: 0, lost: 0, bytes: 0, segments: 0 }
  let end = FRAME_HEADER
  let waiting: Done[] = []
  let turn: NodeJS.Immediate | undefined
  let segment: Open | undefined
  let unconfirmed: Done[] = []
  let syncing: Promise<void> | undefined
  let retiring: Promise<unknown> = Promise.resolve()
  let dirty = false
  let closed = false
  const syncTimer = setInterval(() => dirty && startSync(), SYNC_INTERVAL).unref()
  const segmentTimer = setInterval(keepSegment, SEGMENT_INTERVAL).unref()

  /** Takes one click; `done` is called when it is kept, or lost for good and counted as such. */
  function append(click: ClickRecord, done: Done): void {
    if (end + MAX_RECORD > buffer.length) flush()
    end = writeRecord(buffer, end, click)
    waiting.push(done)
    turn ??= setImmediate(flush)
  }

  function flush(): void {
    clearImmediate(turn)
    turn = undefined
    if (waiting.length === 0) return
    const batch = waiting
    const frame = sealFrame(buffer, end)
    waiting = []
    end = FRAME_HEADER
    if (write(frame, batch.length) && sync === 'fsync') {
      unconfirmed.push(...batch)
      startSync()
    } else {
      callAll(batch)
    }
  }

  function write(frame: Buffer, clicks: number): boolean {
    try {
      if (closed) throw new Error('the click journal is closed')
      fault('before append')
      writeWhole(currentSegment(), frame)
    } catch (error) {
      totals.lost += clicks
      onLoss(clicks, error as Error)
      return false
    }
    totals.written += clicks
    totals.bytes += frame.length
    dirty = true
    fault('after append')
    return true
  }

  function writeWhole(target: Open, frame: Buffer): void {
    try {
      let done = 0
      while (done < frame.length) {
        done += writeSync(target.fd, frame, done, frame.length - done, target.size + done)
      }
      target.size += frame.length
    } catch (error) {
      try {
        ftruncateSync(target.fd, target.size)
      } catch {
        // What stands there now is no frame, and readers skip it at the end of a segment.
        retire(target)
      }
      throw error
    }
  }

  function currentSegment(): Open {
    if (segment && segment.size < segmentBytes) return segment
    try {
      return nextSegment()
    } catch (error) {
      // Out of file descriptors, for instance: a segment that grows too long loses nothing.
      if (!segment) throw error
      return segment
    }
  }

  function nextSegment(): Open {
    const file = join(dir, segmentFile(writer, totals.segments + 1))
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const fd = openSync(file, 'wx', 0o600)
    totals.segments += 1
    if (segment) retire(segment)
    segment = { fd, size: 0 }
    syncFolder(dir)
    return segment
  }

  function retire(old: Open): void {
    segment = undefined
    const batch = unconfirmed
    unconfirmed = []
    // A sync that runs on this file has to end before the file is closed.
    const ended = (syncing ?? Promise.resolve())
      .then(() => syncFile(old.fd))
      .then(() => {
        callAll(batch)
        close(old.fd, () => {})
      })
    retiring = Promise.all([retiring, ended])
  }

  /** A segment with clicks is closed; one that stays shows by its time that it still has a writer. */
  function keepSegment(): void {
    if (!segment) return
    try {
      futimesSync(segment.fd, new Date(), new Date())
      if (segment.size > 0) nextSegment()
    } catch (error) {
      onLoss(0, error as Error)
    }
  }

  /** Group commit: whoever comes while one sync runs is confirmed by the next. */
  function startSync(): void {
    if (syncing !== undefined || !segment) return
    const batch = unconfirmed
    unconfirmed = []
    dirty = false
    syncing = syncFile(segment.fd).then(() => {
      syncing = undefined
      callAll(batch)
      if (unconfirmed.length > 0) startSync()
    })
  }

  function syncFile(fd: number): Promise<void> {
    return new Promise((resolve) => {
      fdatasync(fd, (error) => {
        if (error) onLoss(0, error)
        resolve()
      })
    })
  }

  /** Writes what waits, has the disk confirm it, and ends the journal. */
  async function closeJournal(): Promise<void> {
    flush()
    closed = true
    clearInterval(syncTimer)
    clearInterval(segmentTimer)
    while (syncing !== undefined) await syncing
    if (segment) retire(segment)
    await retiring
  }

  return { append, close: closeJournal, stats: () => ({ ...totals }) }
}

/** A callback that throws is a fault of its own and must not keep the others from their replies. */
function callAll(callbacks: readonly Done[]): void {
  for (const callback of callbacks) {
    try {
      callback()
    } catch (error) {
      setImmediate(() => {
        throw error
      })
    }
  }
}

/** So that no visitor waits for it. What stands in its way is told with the first click. */
function makeFolderEarly(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch {
    // The first segment tries again.
  }
}

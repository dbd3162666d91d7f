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
import { isInPlace, syncFolder } from '../../files/replace.ts'
import {
  type ClickRecord,
  FRAME_HEADER,
  MAX_FRAME,
  MAX_RECORD,
  sealFrame,
  writeRecord,
} from './format.ts'
import { isDiskFull, releaseReserve } from './reserve.ts'
import { createWriterName, formatSegmentFile } from './segment-name.ts'

export type Journal = ReturnType<typeof openJournal>

export type JournalOptions = {
  dir: string
  /** When a click counts as stored: once it is written, or only once the disk has confirmed it. */
  sync: 'background' | 'fsync'
  /**
   * Called with the number of clicks that could not be written, or with 0 if they were written but
   * not confirmed.
   */
  onLoss: (count: number, error: Error) => void
  /** Called before a segment is created. Throws if the folder belongs to another installation. */
  authorize?: () => void
  /** Called with the bytes that are left when a full disk makes the journal use its reserve. */
  onReserveUsed?: (left: number) => void
  /** The size in bytes from which a segment is full. */
  segmentBytes?: number
  /** Called at named points, so that tests can end the process there. */
  onTestPoint?: ((point: string) => void) | undefined
  /** Replacements for file functions, which let tests simulate a full disk. */
  files?: Partial<Files>
}

type Done = () => void
type OpenSegment = { fd: number; file: string; size: number }

type Files = {
  openSync(path: string, flags: string, mode: number): number
  writeSync(fd: number, data: Buffer, offset: number, length: number, position: number): number
  ftruncateSync(fd: number, size: number): void
  fdatasync(fd: number, done: (error: Error | null) => void): void
}

const files: Files = { openSync, writeSync, ftruncateSync, fdatasync }
const SYNC_INTERVAL_MS = 1000
/** Milliseconds for which a failed write is reported, if no other follows. */
const PROBLEM_MS = 10_000
/**
 * Milliseconds after which a segment with clicks is closed, so that it can be deleted and IP
 * addresses do not remain on the disk.
 */
const SEGMENT_INTERVAL_MS = 60_000

/**
 * Opens a journal, whose append-only files (segments) store clicks until they are in the database.
 * All records from one turn of the event loop are written together. A completed write survives the
 * death of the process. With `sync: 'fsync'`, it is also on the disk before `done` is called.
 */
export function openJournal(options: JournalOptions) {
  const { dir, sync, onLoss, onReserveUsed, authorize, onTestPoint = () => {} } = options
  const { segmentBytes = 64 << 20 } = options
  const { openSync, writeSync, ftruncateSync, fdatasync } = { ...files, ...options.files }
  createFolderEarly(dir)
  const writer = createWriterName()
  const buffer = Buffer.allocUnsafeSlow(FRAME_HEADER + MAX_FRAME)
  const totals = { written: 0, lost: 0, bytes: 0, segments: 0 }
  let end = FRAME_HEADER
  let waiting: Done[] = []
  let pendingFlush: NodeJS.Immediate | undefined
  let segment: OpenSegment | undefined
  let unconfirmed: Done[] = []
  let syncing: Promise<void> | undefined
  let retiring: Promise<unknown> = Promise.resolve()
  let isDirty = false
  let isClosed = false
  /** The error of the last write, and its time, unless it succeeded. */
  let failure: { error: Error; at: number } | undefined
  const syncTimer = setInterval(() => {
    leaveMissingSegment()
    if (isDirty) startSync()
  }, SYNC_INTERVAL_MS).unref()
  const segmentTimer = setInterval(rotateSegment, SEGMENT_INTERVAL_MS).unref()

  /** Appends a click. Calls `done` once it is stored, or lost and reported. */
  function append(click: ClickRecord, done: Done): void {
    if (end + MAX_RECORD > buffer.length) flush()
    end = writeRecord(buffer, end, click)
    waiting.push(done)
    pendingFlush ??= setImmediate(flush)
  }

  function flush(): void {
    clearImmediate(pendingFlush)
    pendingFlush = undefined
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
      if (isClosed) throw new Error('the click journal is closed')
      onTestPoint('before append')
      writeWhole(currentSegment(), frame)
    } catch (error) {
      totals.lost += clicks
      failure = { error: error as Error, at: performance.now() }
      onLoss(clicks, error as Error)
      return false
    }
    failure = undefined
    totals.written += clicks
    totals.bytes += frame.length
    isDirty = true
    onTestPoint('after append')
    return true
  }

  function writeWhole(target: OpenSegment, frame: Buffer): void {
    try {
      let written = 0
      while (written < frame.length) {
        const [from, position] = [written, target.size + written]
        written += withReserve(() =>
          writeSync(target.fd, frame, from, frame.length - from, position),
        )
      }
      target.size += frame.length
    } catch (error) {
      try {
        ftruncateSync(target.fd, target.size)
      } catch {
        // The partial write is not a frame, and readers skip it at the end of a segment.
        retire(target)
      }
      throw error
    }
  }

  /** Repeats a write on a full disk after freeing a part of the reserve. */
  function withReserve<T>(write: () => T): T {
    for (;;) {
      try {
        return write()
      } catch (error) {
        const left = isDiskFull(error) ? releaseReserve(dir) : undefined
        if (left === undefined) throw error
        onReserveUsed?.(left)
      }
    }
  }

  function currentSegment(): OpenSegment {
    if (segment && segment.size < segmentBytes) return segment
    try {
      return nextSegment()
    } catch (error) {
      // This happens, for example, if no file descriptors are left. Continuing with a longer
      // segment loses no clicks.
      if (!segment) throw error
      return segment
    }
  }

  function nextSegment(): OpenSegment {
    const file = join(dir, formatSegmentFile(writer, totals.segments + 1))
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    authorize?.()
    const fd = withReserve(() => openSync(file, 'wx', 0o600))
    totals.segments += 1
    if (segment) retire(segment)
    segment = { fd, file, size: 0 }
    syncFolder(dir)
    return segment
  }

  function retire(old: OpenSegment): void {
    segment = undefined
    const batch = unconfirmed
    unconfirmed = []
    // A sync in progress must end before the file is closed.
    const closed = (syncing ?? Promise.resolve())
      .then(() => syncFile(old.fd))
      .then(() => {
        callAll(batch)
        close(old.fd, () => {})
      })
    retiring = Promise.all([retiring, closed])
  }

  /** Makes the next click start a new segment if this one was deleted, or moved with its folder. */
  function leaveMissingSegment(): void {
    if (!segment || isInPlace(segment.file, segment.fd)) return
    onLoss(0, new Error('a file was deleted or moved, so its clicks may be lost'))
    retire(segment)
  }

  /**
   * Starts a new segment if this one has clicks, and updates its time to show that its writer is
   * alive.
   */
  function rotateSegment(): void {
    if (!segment) return
    try {
      futimesSync(segment.fd, new Date(), new Date())
      if (segment.size > 0) nextSegment()
    } catch (error) {
      onLoss(0, error as Error)
    }
  }

  /** Starts a group commit: the next sync confirms all clicks that arrive during this one. */
  function startSync(): void {
    if (syncing !== undefined || !segment) return
    const batch = unconfirmed
    unconfirmed = []
    isDirty = false
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

  /** Writes and syncs all waiting clicks and closes the journal. */
  async function closeJournal(): Promise<void> {
    flush()
    isClosed = true
    clearInterval(syncTimer)
    clearInterval(segmentTimer)
    while (syncing !== undefined) await syncing
    if (segment) retire(segment)
    await retiring
  }

  /** Returns the error of the last write if it failed in the last seconds. */
  function findProblem(): Error | undefined {
    return failure && performance.now() - failure.at < PROBLEM_MS ? failure.error : undefined
  }

  return { append, close: closeJournal, stats: () => ({ ...totals }), findProblem }
}

/** Calls all callbacks, even if one of them throws. */
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

/**
 * Creates the folder early, so that no visitor has to wait. A failure is reported with the first
 * click.
 */
function createFolderEarly(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch {
    // The first segment tries again.
  }
}

import { randomBytes } from 'node:crypto'
import { closeSync, linkSync, mkdirSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readOrCreate, syncFolder } from '../../files/replace.ts'
import { FRAME_HEADER, type Frames, findCandidate, MAX_FRAME, readFrames } from './format.ts'
import { parseSegment, type Segment, writerState } from './segment-name.ts'

/** The folder within the journal's that keeps segments with damage. */
export const DAMAGED_FOLDER = 'damaged'

export type JournalFolder = ReturnType<typeof openJournalFolder>

export type SegmentState = Segment & {
  size: number
  /** Whether nothing will be added to the segment. */
  isFinal: boolean
}

/** Milliseconds without activity after which a writer whose state is unknown counts as gone. */
const ABANDONED_AFTER_MS = 600_000
/** The number of bytes read at a time, which is the size of the longest frame. */
const CHUNK = FRAME_HEADER + MAX_FRAME

/**
 * Opens a journal folder for reading, and creates it if it is missing. The folder contains the
 * segments of all writers, past and present.
 */
export function openJournalFolder(dir: string) {
  let id = readOrCreateId(dir)
  const chunk = Buffer.allocUnsafeSlow(CHUNK)
  /** The segment, and the range of its bytes, that the chunk contains. */
  let loaded = { file: '', position: 0, length: 0 }

  /**
   * Restores the id of a folder that was deleted: positions belong to it, so with another one clicks
   * would be imported twice.
   *
   * @throws Error if another folder has taken its place. From now on, `id` is that of the other.
   */
  function requireSameFolder(): void {
    const found = readOrCreateId(dir, id)
    if (found === id) return
    id = found
    throw new Error(`${dir} was replaced by another click journal`)
  }

  /** Returns all segments. Those of the same writer are in the order of writing. */
  function list(): SegmentState[] {
    requireSameFolder()
    const segments = readdirSync(dir)
      .sort()
      .flatMap((file) => parseSegment(file) ?? [])
    return segments.flatMap((segment, index) => {
      const isSuperseded = segments[index + 1]?.writer === segment.writer
      // The state is checked before the size, because a writer that is gone adds nothing afterward.
      const state = isSuperseded ? 'gone' : writerState(segment)
      const stats = statSync(join(dir, segment.file), { throwIfNoEntry: false })
      if (!stats) return []
      const isAbandoned = state === 'unknown' && Date.now() - stats.mtimeMs > ABANDONED_AFTER_MS
      return [{ ...segment, size: stats.size, isFinal: state === 'gone' || isAbandoned }]
    })
  }

  /**
   * Reads clicks of a segment from a position: at least one frame if a complete one follows, and at
   * most about `limit` clicks.
   */
  function read(file: string, position: number, limit: number): Frames {
    const start = position - loaded.position
    if (file === loaded.file && start >= 0 && start < loaded.length) {
      const frames = readFrames(chunk.subarray(start, loaded.length), limit)
      // The chunk contained enough records.
      if (!frames.hasPartialEnd && frames.records.length >= limit) {
        return { ...frames, offset: position + frames.offset }
      }
    }
    return readChunk(file, position, limit)
  }

  function readChunk(file: string, position: number, limit: number): Frames {
    const length = loadChunk(file, position)
    loaded = { file, position, length }
    const frames = readFrames(chunk.subarray(0, length), limit)
    const { offset, hasPartialEnd } = frames
    // A chunk is large enough for the longest frame, so bytes that do not form a frame here are
    // damaged.
    const isDamaged = hasPartialEnd && offset === 0 && length === CHUNK
    const skippedBytes = isDamaged ? findCandidate(chunk, 1) : 0
    return {
      records: frames.records,
      offset: position + offset + skippedBytes,
      skippedBytes: frames.skippedBytes + skippedBytes,
      hasPartialEnd: hasPartialEnd && !isDamaged,
    }
  }

  function loadChunk(file: string, position: number): number {
    const fd = openSync(join(dir, file), 'r')
    try {
      return readSync(fd, chunk, 0, CHUNK, position)
    } finally {
      closeSync(fd)
    }
  }

  /**
   * Keeps a segment with damage in the folder `damaged` when it is deleted. It is the same file
   * under a second name, so this also covers what is still written to it.
   */
  function setAside(file: string): void {
    const damaged = join(dir, DAMAGED_FOLDER)
    try {
      mkdirSync(damaged, { recursive: true, mode: 0o700 })
      linkSync(join(dir, file), join(damaged, file))
      syncFolder(damaged)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }

  return {
    get id() {
      return id
    },
    list,
    read,
    setAside,
  }
}

/**
 * Returns the folder's id in the database. The first process creates the id. Throws if the file has
 * other content.
 */
function readOrCreateId(dir: string, newId = randomBytes(12).toString('hex')): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, 'id')
  const id = readOrCreate(file, newId)
  if (!/^[0-9a-f]{24}$/.test(id)) {
    throw new Error(
      `${file} does not contain the journal's id. Stop the service and delete the file; a minute of clicks may be counted twice`,
    )
  }
  return id
}

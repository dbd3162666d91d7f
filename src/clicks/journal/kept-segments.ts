import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { readFreeBytes } from '../../files/file-problem.ts'
import { syncFolder } from '../../files/replace.ts'
import { isDiskFull } from './reserve.ts'
import { parseSegment, type Segment } from './segment-name.ts'

/** The folder within the journal's that keeps imported segments. */
export const KEPT_FOLDER = 'kept'

/** How long imported segments are kept. */
export type KeepOptions = {
  /** The hours after the import. With 0, segments are deleted once they are imported. */
  hours: number
  /** The free bytes of the disk below which the oldest segments are deleted early. */
  minFreeBytes: number
}

export type KeptSegment = Segment & {
  size: number
  /** The time of the import, in milliseconds since 1970. */
  keptAt: number
}

const HOUR_MS = 3_600_000
const INTERVAL_MS = 60_000
export const KEEP_NOTHING: KeepOptions = { hours: 0, minFreeBytes: 0 }

/**
 * Keeps imported segments of a journal folder for a time. After the restore of a backup, those that
 * it does not contain return to the journal. Only the importer that has claimed the folder may call
 * these functions.
 */
export function openKeptSegments(
  dir: string,
  { hours, minFreeBytes }: KeepOptions,
  { clock, log }: { clock: Clock; log: { warn(details: object, text: string): void } },
) {
  const keptDir = join(dir, KEPT_FOLDER)
  let expiredAt = -Infinity

  function list(): KeptSegment[] {
    return readNames(keptDir).flatMap((file) => {
      const segment = parseSegment(file)
      const stats = segment && statSync(join(keptDir, file), { throwIfNoEntry: false })
      return stats ? [{ ...segment, size: stats.size, keptAt: stats.mtimeMs }] : []
    })
  }

  /**
   * Removes an imported segment from the journal, and keeps it without the incomplete frame at its
   * end. Returns whether it was kept.
   */
  function finish(file: string, incompleteBytes = 0): boolean {
    const isKept = hours > 0 && keep(file, incompleteBytes)
    if (!isKept) rmSync(join(dir, file), { force: true })
    // A deleted segment must not reappear after a power loss.
    syncFolder(dir)
    return isKept
  }

  function keep(file: string, incompleteBytes: number): boolean {
    const [source, target] = [join(dir, file), join(keptDir, file)]
    const stats = statSync(source, { throwIfNoEntry: false })
    const size = (stats?.size ?? 0) - incompleteBytes
    if (size <= 0) return false
    try {
      mkdirSync(keptDir, { recursive: true, mode: 0o700 })
      if (incompleteBytes > 0) replaceByCopy(source, size)
      utimesSync(source, clock(), clock())
      renameSync(source, target)
      syncFolder(keptDir)
      return true
    } catch (error) {
      // On a full disk, new clicks have priority.
      if (!isDiskFull(error)) throw error
      return existsSync(target)
    }
  }

  /** Returns segments to the journal whose clicks the database does not contain. */
  function reopen(isMissing: (segment: KeptSegment) => boolean): void {
    const missing = list().filter(isMissing)
    for (const { file } of missing) {
      if (!existsSync(join(dir, file))) renameSync(join(keptDir, file), join(dir, file))
    }
    if (missing.length === 0) return
    for (const folder of [dir, keptDir]) syncFolder(folder)
    log.warn({ files: missing.length }, 'kept clicks that the database lacks are counted again')
  }

  /** Returns whether segments may be kept that `expire` has not checked within the last minute. */
  function isExpiryDue(): boolean {
    const elapsedMs = clock().getTime() - expiredAt
    if (elapsedMs >= 0 && elapsedMs < INTERVAL_MS) return false
    return hours > 0 || readNames(keptDir).length > 0
  }

  /**
   * Deletes segments whose time is over, and the oldest ones if the disk is nearly full. Returns
   * the names of the deleted files.
   */
  function expire(): string[] {
    expiredAt = clock().getTime()
    const expired = list().filter(({ keptAt }) => keptAt <= expiredAt - hours * HOUR_MS)
    for (const { file } of expired) rmSync(join(keptDir, file), { force: true })
    if (expired.length > 0) syncFolder(keptDir)
    return [...expired.map(({ file }) => file), ...makeRoom()]
  }

  /**
   * Deletes the oldest segments while the disk is nearly full, because new clicks have priority.
   * Returns the names of the deleted files.
   */
  function makeRoom(): string[] {
    const deleted: string[] = []
    if (hasRoom()) return deleted
    for (const { file } of list().sort((a, b) => a.keptAt - b.keptAt)) {
      rmSync(join(keptDir, file), { force: true })
      deleted.push(file)
      if (hasRoom()) break
    }
    if (deleted.length === 0) return deleted
    syncFolder(keptDir)
    const text = 'the disk is nearly full: kept clicks were deleted before JOURNAL_KEEP_HOURS'
    log.warn({ files: deleted.length }, text)
    return deleted
  }

  function hasRoom(): boolean {
    return (readFreeBytes(dir) ?? Infinity) >= minFreeBytes
  }

  return { list, finish, reopen, isExpiryDue, expire, makeRoom }
}

export type KeptSegments = ReturnType<typeof openKeptSegments>

/** Replaces a file, which may have a second name, by a copy of its start. */
function replaceByCopy(path: string, size: number): void {
  const copy = `${path}.tmp`
  try {
    copyFileSync(path, copy)
    truncateSync(copy, size)
    renameSync(copy, path)
  } finally {
    rmSync(copy, { force: true })
  }
}

function readNames(dir: string): string[] {
  try {
    return readdirSync(dir).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

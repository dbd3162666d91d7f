import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Database } from '../../db/pool.ts'
import { requireWritable } from '../../db/readiness.ts'
import { KEEP_NOTHING, type KeepOptions, openKeptSegments } from '../journal/kept-segments.ts'
import { type JournalFolder, openJournalFolder } from '../journal/segments.ts'
import {
  type ClickLog,
  createHousekeeping,
  isDue,
  type PeriodicTask,
} from '../maintenance/housekeeping.ts'
import { createLinkOrder } from '../maintenance/link-order.ts'
import { type BatchWriterOptions, createBatchWriter } from './batch-writer.ts'
import { countImported } from './busy-visitors.ts'
import { type BatchLimit, createCollector } from './collect.ts'
import type { DescribeClick } from './describe.ts'
import {
  areCompleted,
  closeFolderSession,
  type FolderSession,
  openFolderSession,
} from './folder-session.ts'
import { createFailureRecord } from './import-failure.ts'
import { deletePositions, type Move } from './positions.queries.ts'
import type { PreparedBatch } from './prepare.ts'

export type Importer = ReturnType<typeof createImporter>

export type ImporterOptions = BatchWriterOptions & {
  /** The journal's folder. */
  dir: string
  /** A batch may take seconds, so the query timeout must be much longer than for visits. */
  db: Pick<Database, 'db' | 'pool'>
  describe: DescribeClick
  log: ClickLog
  /** The approximate maximum number of clicks, and of links, per transaction. */
  batch?: number | undefined
  /** How long imported segments are kept. By default, they are deleted. */
  keep?: KeepOptions | undefined
  /** Tasks that run every minute, in parallel with imports. */
  tasks?: readonly PeriodicTask[]
}

type Work = { prepared: PreparedBatch; moves: Move[]; clicks: number; isFull: boolean }

const DEFAULT_LIMIT: BatchLimit = { links: 40_000, clicks: 200_000 }
/** Milliseconds between checks of the journal. The interval is longer while clicks accumulate. */
const IDLE_MS = 250
/** The interval after a pass that imported at least `BUSY_CLICKS` clicks. */
const BUSY_MS = 1500
const BUSY_CLICKS = 2000
/** The pause after a failure, which doubles with each further one up to the maximum. */
const FIRST_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 1000
/** Milliseconds between log lines while imports keep failing. */
const LOG_INTERVAL_MS = 60_000

/**
 * Imports the clicks of a journal folder exactly once. One transaction adds a batch to every table
 * and advances the positions in the journal. Only one importer works on a folder at a time; others
 * wait. While the database is unavailable, the importer keeps retrying.
 */
export function createImporter(options: ImporterOptions) {
  const { dir, db: database, describe, clock, log, retentionDays, tasks = [] } = options
  const { onTestPoint = () => {} } = options
  const limit = options.batch ? { links: options.batch, clicks: options.batch } : DEFAULT_LIMIT
  const { db } = database
  const folder = openJournalFolder(dir)
  const kept = openKeptSegments(dir, options.keep ?? KEEP_NOTHING, { clock, log })
  const writer = createBatchWriter(db, options)
  const housekeeping = createHousekeeping({ db, clock, log, retentionDays, tasks })
  const linkOrder = createLinkOrder({ db, clock, log })
  const failureRecord = createFailureRecord({ dir, clock })
  /** Finished segments that end in an incomplete frame. */
  const incomplete = new Set<string>()
  const collect = createCollector({ folder, describe, log, incomplete, limit, pause: turn })
  let session: FolderSession | undefined
  let running: Promise<void> | undefined
  let stopController = new AbortController()
  let lastPass: Promise<unknown> = Promise.resolve()

  /** Imports clicks until `stop` is called. Never rejects. */
  function run(): Promise<void> {
    if (running !== undefined) return running
    stopController = new AbortController()
    running = loop(stopController.signal).finally(() => {
      running = undefined
    })
    return running
  }

  /** Ends `run` after the current batch and releases the folder. */
  async function stop(): Promise<void> {
    stopController.abort()
    await running
  }

  /**
   * Imports everything in the journal, or waits until another importer of the folder has done so.
   * Returns the number of clicks imported here. Rejects if the database is unavailable.
   */
  async function drain(): Promise<number> {
    const segmentsAtStart = folder.list()
    let total = 0
    try {
      for (;;) {
        const clicks = await runExclusively(importWaiting)
        if (clicks === 0) return total
        if (clicks !== undefined) total += clicks
        else if (await areCompleted(db, folder, segmentsAtStart)) return total
        else await sleep(IDLE_MS)
      }
    } finally {
      if (running === undefined) await runExclusively(closeSession)
    }
  }

  async function loop(signal: AbortSignal): Promise<void> {
    let failures = 0
    let loggedAt = -Infinity
    let isLogged = false
    while (!signal.aborted) {
      let pauseMs = IDLE_MS
      try {
        // Without waiting clicks, a pass succeeds even if the database is read-only.
        if (failures > 0) await requireWritable(db)
        const clicks = (await runExclusively(importWaiting)) ?? 0
        // Without a session, another importer has claimed the folder and maintains the record.
        if (session) failureRecord.recordSuccess()
        if (isLogged) log.info({ failures }, 'clicks are being imported again')
        isLogged = false
        failures = 0
        if (session) {
          housekeeping.start(signal)
          linkOrder.start(signal, clicks > 0)
        }
        if (clicks >= BUSY_CLICKS) pauseMs = await waitForMoreClicks(signal)
      } catch (error) {
        failureRecord.recordFailure(error)
        kept.makeRoom()
        failures += 1
        if (isDue(loggedAt, LOG_INTERVAL_MS, clock())) {
          isLogged = true
          log.error({ err: error, failures }, 'clicks cannot be imported, trying again')
          loggedAt = clock().getTime()
        }
        pauseMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1))
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
    await housekeeping.end()
    await linkOrder.end()
    await runExclusively(closeSession)
  }

  /**
   * Waits while clicks keep arriving, because larger batches cost less per click. Returns the
   * milliseconds to pause before the next pass.
   */
  async function waitForMoreClicks(signal: AbortSignal): Promise<number> {
    let size = totalBytes(folder)
    for (let waitedMs = 0; waitedMs < BUSY_MS - IDLE_MS; waitedMs += IDLE_MS) {
      await sleep(IDLE_MS, undefined, { signal }).catch(() => {})
      const newSize = totalBytes(folder)
      if (newSize === size || signal.aborted) return 0
      size = newSize
    }
    return IDLE_MS
  }

  /** Runs one pass at a time, because `run` and `drain` may overlap. */
  function runExclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = lastPass.then(work)
    lastPass = result.catch(() => {})
    return result
  }

  /**
   * Imports batches until one is not full. Returns the number of imported clicks, or undefined if
   * another importer has claimed the folder.
   */
  async function importWaiting(): Promise<number | undefined> {
    try {
      if (!session) {
        session = await openFolderSession(database, { folder, kept }, options.authorize)
        if (session) await countImported(session, { folder, describe, pause: turn })
      }
      return session && (await importAll(session))
    } catch (error) {
      await abandonSession()
      throw error
    }
  }

  async function importAll(current: FolderSession): Promise<number> {
    let total = 0
    let next = readBatch(current)
    for (;;) {
      const work = await next
      if (!work) break
      const hasMore = work.isFull && !stopController.signal.aborted
      // Reads and prepares the next batch while the database processes this one.
      next = hasMore ? readBatch(current) : Promise.resolve(undefined)
      next.catch(() => {})
      await commit(current, work)
      total += work.clicks
    }
    await removeFinished(current)
    if (kept.isExpiryDue()) await deletePositions(current.connection.db, folder.id, kept.expire())
    return total
  }

  async function closeSession(): Promise<void> {
    const closing = session
    session = undefined
    if (closing) await closeFolderSession(closing, folder)
  }

  /** Discards all state after a failure, so that the committed positions are read again. */
  async function abandonSession(): Promise<void> {
    session?.connection.release(true)
    session = undefined
    writer.invalidate()
  }

  async function readBatch(current: FolderSession): Promise<Work | undefined> {
    const collected = await collect(current)
    if (!collected) return undefined
    const { batch, ...progress } = collected
    return { prepared: await writer.prepare(batch), ...progress }
  }

  async function commit(
    { connection, imported }: FolderSession,
    { prepared, moves }: Work,
  ): Promise<void> {
    await writer.commit(connection.db, folder.id, { prepared, moves })
    for (const { file, to } of moves) imported.set(file, to)
  }

  /**
   * Deletes or keeps fully imported segments of ended writers. Each file is deleted before its
   * position, and a kept file keeps its position.
   */
  async function removeFinished({ connection, imported, read }: FolderSession): Promise<void> {
    for (const { file, size, isFinal } of folder.list()) {
      const position = imported.get(file) ?? 0
      if (!isFinal || (position < size && !incomplete.has(file))) continue
      if (position < size) {
        folder.setAside(file)
        log.warn(
          { file, bytes: size - position },
          'an incomplete end of the click journal was skipped and set aside',
        )
      }
      const isKept = kept.finish(file, size - position)
      onTestPoint('while a segment is dropped')
      if (!isKept) await deletePositions(connection.db, folder.id, [file])
      for (const files of [imported, read, incomplete]) files.delete(file)
    }
  }

  return { run, drain, stop }
}

function totalBytes(folder: JournalFolder): number {
  return folder.list().reduce((sum, { size }) => sum + size, 0)
}

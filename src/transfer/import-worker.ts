import { onceAMinute } from '../concurrency/memo.ts'
import { repeat } from '../concurrency/repeat.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { type ClaimedImport, claimImport, heartbeat, releaseImport } from './queue.queries.ts'
import { countBytes, isFileSource } from './read/file.ts'
import { SOURCES, SourceBusyError, SourceError } from './record.ts'
import { getImport, resumeImport } from './transfer.service.ts'
import { deleteAbandonedInputs, deleteInput, findKey, readParts } from './upload.queries.ts'

/** The maximum number of concurrent imports per process. */
const MAX_CONCURRENT = 2
/**
 * The maximum number of concurrent imports from APIs. They can be slow, so that a slot must remain
 * for files.
 */
const MAX_CONCURRENT_APIS = 1
/** Milliseconds after which an import from an API yields to waiting imports. */
const TURN_MS = 300_000
const FILES = SOURCES.filter(isFileSource)
/** Milliseconds between checks for waiting imports, between heartbeats, and between cleanups. */
const POLL_MS = 1000
const HEARTBEAT_MS = 2000
const CLEANUP_INTERVAL_MS = 3_600_000
/** Milliseconds for which a file or key is stored if its user does not continue. */
const INPUT_RETENTION_MS = 86_400_000

/**
 * Runs imports that were started in the console. Safe to run in several processes. A process that
 * stops releases its imports, and another process takes over the imports of one that crashed.
 */
export function createImportWorker(ctx: Context, db: Db) {
  const { clock, log } = ctx
  const inFlight = new Set<Promise<void>>()
  let runningApis = 0
  const stopping = new AbortController()
  let running: Promise<unknown> | undefined

  /** Starts waiting imports while slots are free. Returns whether it started any. */
  async function startWaiting(): Promise<boolean> {
    let hasStarted = false
    while (inFlight.size < MAX_CONCURRENT && !stopping.signal.aborted) {
      const claimed = await claimImport(db, runningApis < MAX_CONCURRENT_APIS ? SOURCES : FILES)
      if (!claimed) break
      hasStarted = true
      const isApi = !isFileSource(claimed.source)
      if (isApi) runningApis += 1
      const done = runClaimed(claimed)
        .catch((error) => log({ err: error, import: claimed.id }, 'an import was interrupted'))
        .finally(() => {
          if (isApi) runningApis -= 1
          inFlight.delete(done)
        })
      inFlight.add(done)
    }
    return hasStarted
  }

  async function runClaimed(claimed: ClaimedImport): Promise<void> {
    const { id, account_id: accountId } = claimed
    const interruption = new AbortController()
    const signal = AbortSignal.any([interruption.signal, stopping.signal])
    const endsAt = isFileSource(claimed.source) ? Infinity : performance.now() + TURN_MS
    let pause = 0
    let bytesRead = 0
    const recordBytesRead = (bytes: number): void => {
      bytesRead = bytes
    }
    const file = (onRead = recordBytesRead) => countBytes(readParts(db, id), onRead)
    const heartbeats = setInterval(async () => {
      const isOpen = await heartbeat(db, claimed, bytesRead).catch(() => true)
      if (!isOpen) interruption.abort()
    }, HEARTBEAT_MS)
    try {
      const token = await readToken(id)
      for await (const _ of resumeImport(ctx, db, claimed, { file, token, signal })) {
        if (performance.now() > endsAt) interruption.abort()
      }
      await heartbeat(db, claimed, bytesRead)
    } catch (error) {
      if (error instanceof SourceBusyError) pause = error.seconds
      // These errors describe the source. All others are bugs or failures of this service.
      const isSourceError =
        error instanceof SourceError || error instanceof AppError || signal.aborted
      if (!isSourceError) throw error
    } finally {
      clearInterval(heartbeats)
      await releaseImport(db, claimed, pause).catch(() => {})
      await deleteFinishedInput(accountId, id)
    }
  }

  async function readToken(id: number): Promise<string | undefined> {
    const sealed = await findKey(db, id)
    return sealed && ctx.keySeal.open(id, sealed)
  }

  async function deleteFinishedInput(accountId: number, id: number): Promise<void> {
    const { state } = await getImport({ db, accountId }, id)
    if (state === 'done' || state === 'cancelled') await deleteInput(db, id)
  }

  function deleteStaleData(): Promise<void> {
    return deleteAbandonedInputs(db, new Date(clock().getTime() - INPUT_RETENTION_MS))
  }

  function loop(): Promise<unknown> {
    const options = {
      signal: stopping.signal,
      onFailure: onceAMinute((error: unknown) =>
        log({ err: error }, 'imports cannot be run, trying again'),
      ),
    }
    return Promise.all([
      repeat({ intervalMs: POLL_MS, work: startWaiting }, options),
      repeat({ intervalMs: CLEANUP_INTERVAL_MS, work: deleteStaleData }, options),
    ])
  }

  return {
    /** Runs imports until `stop` is called. Never rejects. */
    run(): void {
      running ??= loop()
    },

    /** Runs all waiting imports to the end. */
    async drain(): Promise<void> {
      while ((await startWaiting()) || inFlight.size > 0) await Promise.all(inFlight)
    },

    /** Interrupts running imports after their current batch. */
    async stop(): Promise<void> {
      stopping.abort()
      await running
      await Promise.all(inFlight)
    },
  }
}

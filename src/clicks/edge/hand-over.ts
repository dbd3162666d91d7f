import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { DescribeClick } from '../import/describe.ts'
import { createFailureRecord } from '../import/import-failure.ts'
import { KEEP_NOTHING, type KeepOptions, openKeptSegments } from '../journal/kept-segments.ts'
import { openJournalFolder } from '../journal/segments.ts'
import { type FinishedSegment, readClicks } from './read-clicks.ts'
import { type HandOver, toPosition, wireKinds } from './wire.ts'

/** The main installation, which counts the clicks of an edge. Both functions reject on failure. */
export type ClickReceiver = {
  /** Returns the confirmed position of each writer of a journal. */
  readPositions(
    journal: Pick<HandOver, 'journal' | 'installation'>,
  ): Promise<ReadonlyMap<string, number>>
  /**
   * Counts clicks and returns true. If the stored position of a writer differs from the `from` of
   * its move, counts nothing and returns false.
   */
  send(clicks: HandOver): Promise<boolean>
}

type Options = {
  /** The journal's folder. */
  dir: string
  /** The id of the installation to which the journal belongs. */
  installation: string
  /** Throws if the journal belongs to another installation. */
  authorize?: () => void
  receiver: ClickReceiver
  describe: DescribeClick
  /** How long segments are kept after they were handed over. By default, they are deleted. */
  keep?: KeepOptions | undefined
  clock: Clock
  log: Record<'info' | 'warn' | 'error', (details: object, text: string) => void>
}

/** The approximate maximum number of clicks per request. */
const MAX_CLICKS = 5000
/** Milliseconds between checks of the journal. */
const IDLE_MS = 250
/** The maximum number of milliseconds before the next attempt after a failure. */
const MAX_PAUSE_MS = 5000

/**
 * Sends the clicks of a journal folder to the main installation exactly once. The main installation
 * counts the clicks and advances the position of their writer in one transaction, and rejects
 * clicks from any other position. Clicks can therefore be sent again after any failure. Positions
 * only grow, so a request that arrives late is also rejected.
 */
export function createHandOver(options: Options) {
  const { dir, installation, authorize, receiver, describe, clock, log } = options
  const folder = openJournalFolder(dir)
  const kept = openKeptSegments(dir, options.keep ?? KEEP_NOTHING, { clock, log })
  const failureRecord = createFailureRecord({ dir, clock })
  /** The confirmed positions. Undefined until they are read, and after a failure. */
  let positions: Map<string, number> | undefined

  /** Sends everything in the journal until `signal` aborts. Never rejects. */
  async function run(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      let pauseMs = IDLE_MS
      try {
        await drain(signal)
        failureRecord.recordSuccess()
        if (failures > 0) log.info({ failures }, 'clicks are being handed over again')
        failures = 0
      } catch (error) {
        failureRecord.recordFailure(error)
        kept.makeRoom()
        failures += 1
        if (failures === 1) log.error({ err: error }, 'clicks cannot be handed over, trying again')
        pauseMs = Math.min(MAX_PAUSE_MS, IDLE_MS * 2 ** (failures - 1))
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Sends everything in the journal, or stops early if the signal aborts. Rejects on failure. */
  async function drain(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await sendBatch())) {
      // Continue while there may be more clicks.
    }
  }

  /** Sends up to about `MAX_CLICKS` clicks. Returns whether there may be more. */
  async function sendBatch(): Promise<boolean> {
    // Segments expire only after the main installation has confirmed once more that it has them.
    const isExpiryDue = kept.isExpiryDue()
    const confirmed = (isExpiryDue ? undefined : positions) ?? (await readPositions())
    positions = undefined
    if (isExpiryDue) kept.expire()
    const reading = { folder, describe, log, limit: MAX_CLICKS }
    const { clicks, moves, finished } = readClicks(reading, confirmed)
    if (moves.length > 0) {
      const kinds = [...wireKinds]
      const wasCounted = await receiver.send({
        journal: folder.id,
        installation,
        moves,
        kinds,
        clicks,
      })
      // An earlier request may have counted the clicks, but its reply was lost. Continue from the
      // stored positions, which the next call reads.
      if (!wasCounted) return true
      for (const { writer, to } of moves) confirmed.set(writer, to)
    }
    removeFinished(finished, confirmed)
    positions = confirmed
    return clicks.length >= MAX_CLICKS
  }

  /**
   * Reads the confirmed positions. Returns kept segments to the journal that the main installation
   * lacks, which happens after its backup was restored.
   */
  async function readPositions(): Promise<Map<string, number>> {
    authorize?.()
    const confirmed = new Map(await receiver.readPositions({ journal: folder.id, installation }))
    kept.reopen(({ writer, sequence, size }) => {
      return toPosition(sequence, size) > (confirmed.get(writer) ?? 0)
    })
    return confirmed
  }

  function removeFinished(
    finished: readonly FinishedSegment[],
    confirmed: ReadonlyMap<string, number>,
  ): void {
    for (const { file, writer, end, incompleteBytes: bytes } of finished) {
      if ((confirmed.get(writer) ?? 0) < end) continue
      if (bytes > 0) {
        folder.setAside(file)
        log.warn(
          { file, bytes },
          'an incomplete end of the click journal was skipped and set aside',
        )
      }
      kept.finish(file, bytes)
    }
  }

  return { run, drain }
}

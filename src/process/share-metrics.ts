import { EventEmitter, once } from 'node:events'
import { AppError } from '../errors.ts'
import type { Snapshot, ToPrimary, ToWorker } from './metrics-messages.ts'

/**
 * Milliseconds between reports. The counts since the last report are lost if a worker is killed.
 */
const REPORT_INTERVAL_MS = 5000
/** Milliseconds, longer than the primary waits for the workers. */
const TIMEOUT_MS = 2000

/**
 * Makes a worker report its metrics to the primary process. Returns the function that collects the
 * metrics of all workers. It throws AppError `busy` if the primary does not respond, because one
 * worker's counts alone would look like a decrease.
 */
export function shareMetrics(read: () => Promise<Snapshot>): () => Promise<Snapshot[]> {
  const answers = new EventEmitter().setMaxListeners(0)
  let lastId = 0

  process.on('message', (message: ToWorker) => {
    if (message.type === 'brevis:report-metrics') void report()
    else if (message.type === 'brevis:collected-metrics') {
      answers.emit(String(message.id), message.snapshots)
    }
  })
  setInterval(() => void report(), REPORT_INTERVAL_MS).unref()
  void report()

  async function report(): Promise<void> {
    send({ type: 'brevis:metrics', snapshot: await read() })
  }

  return async function collect(): Promise<Snapshot[]> {
    lastId += 1
    const id = lastId
    await report()
    const answer = once(answers, String(id), { signal: AbortSignal.timeout(TIMEOUT_MS) })
    send({ type: 'brevis:collect-metrics', id })
    const [snapshots] = await answer.catch(() => {
      throw new AppError('busy')
    })
    return snapshots as Snapshot[]
  }
}

function send(message: ToPrimary): void {
  // The channel closes when the primary ends, and this process ends with it.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

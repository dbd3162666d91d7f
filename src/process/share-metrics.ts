import { EventEmitter, once } from 'node:events'
import { AppError } from '../errors.ts'
import type { MessageToPrimary, MessageToWorker, Snapshot } from './metrics-messages.ts'

/**
 * Milliseconds between reports. If a worker is killed, the counts since its last report are lost.
 */
const REPORT_INTERVAL_MS = 5000
/** Longer than the primary process waits for the workers. */
const TIMEOUT_MS = 2000

/**
 * Makes a worker report its metrics to the primary process. Returns the function that collects the
 * metrics of all workers. It throws AppError `busy` if the primary process does not respond,
 * because the counts of one worker alone would look like a decrease.
 */
export function shareMetrics(read: () => Promise<Snapshot>): () => Promise<Snapshot[]> {
  const responses = new EventEmitter().setMaxListeners(0)
  let lastId = 0

  process.on('message', (message: MessageToWorker) => {
    if (message.type === 'brevis:report-metrics') void report()
    else if (message.type === 'brevis:collected-metrics') {
      responses.emit(String(message.id), message.snapshots)
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
    const response = once(responses, String(id), { signal: AbortSignal.timeout(TIMEOUT_MS) })
    send({ type: 'brevis:collect-metrics', id })
    const [snapshots] = await response.catch(() => {
      throw new AppError('busy')
    })
    return snapshots as Snapshot[]
  }
}

function send(message: MessageToPrimary): void {
  // The channel closes when the primary process ends, and this process ends with it.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

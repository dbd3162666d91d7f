import { EventEmitter, once } from 'node:events'
import { AppError } from '../errors.ts'
import type { Snapshot, ToPrimary, ToWorker } from './metrics-messages.ts'

/** What is lost of the counts of a worker that is killed is what it counted since it last told. */
const TELL_EVERY = 5000
/** Longer than the primary waits for the others. */
const PATIENCE = 2000

/**
 * Has a worker tell the primary process what it counts, which `read` gives, and gives the function that
 * collects what all workers of this start have counted. That one throws AppError `busy` when the primary
 * does not answer: the counts of one worker alone would look like a step back.
 */
export function shareMetrics(read: () => Promise<Snapshot>): () => Promise<Snapshot[]> {
  const answers = new EventEmitter().setMaxListeners(0)
  let lastId = 0

  process.on('message', (message: ToWorker) => {
    if (message.type === 'brevis:report-metrics') void tell()
    else if (message.type === 'brevis:collected-metrics') {
      answers.emit(String(message.id), message.snapshots)
    }
  })
  setInterval(() => void tell(), TELL_EVERY).unref()
  void tell()

  async function tell(): Promise<void> {
    send({ type: 'brevis:metrics', snapshot: await read() })
  }

  return async function collect(): Promise<Snapshot[]> {
    lastId += 1
    const id = lastId
    await tell()
    const answer = once(answers, String(id), { signal: AbortSignal.timeout(PATIENCE) })
    send({ type: 'brevis:collect-metrics', id })
    const [snapshots] = await answer.catch(() => {
      throw new AppError('busy')
    })
    return snapshots as Snapshot[]
  }
}

function send(message: ToPrimary): void {
  // The channel closes when the primary ends, and this process with it.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

import { EventEmitter, once } from 'node:events'
import type { MetricValueWithName } from '@prometheus-io/client'
import { AppError } from '../errors.ts'
import type { MessageToPrimary, MessageToWorker, Snapshot } from './metrics-messages.ts'

/** Upper bounds of the buckets in seconds. Most redirects take less than a millisecond. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export type Durations = ReturnType<typeof createDurations>

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

/**
 * Counts durations by bucket, for every visit. A histogram of the Prometheus client takes ten times
 * as long: 0.5 µs.
 */
export function createDurations() {
  const buckets = new Array<number>(BOUNDS.length + 1).fill(0)
  let sum = 0
  return {
    record(ms: number): void {
      const seconds = ms / 1000
      sum += seconds
      let bucket = 0
      while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket += 1
      buckets[bucket] = (buckets[bucket] as number) + 1
    },
    read: () => ({ buckets, sum }),
  }
}

/** Returns durations as a histogram in the form of the Prometheus client, by the values of a label. */
export function toHistogram(
  { name, help }: { name: string; help: string },
  series: Iterable<readonly [labels: Record<string, string>, durations: Durations]>,
): Snapshot[number] {
  const values: MetricValueWithName<string>[] = []
  for (const [labels, durations] of series) {
    const { buckets, sum } = durations.read()
    let count = 0
    for (const [index, own] of buckets.entries()) {
      count += own
      const le = BOUNDS[index] ?? '+Inf'
      values.push({ labels: { ...labels, le }, value: count, metricName: `${name}_bucket` })
    }
    values.push({ labels, value: sum, metricName: `${name}_sum` })
    values.push({ labels, value: count, metricName: `${name}_count` })
  }
  // The type of snapshots is that of live metrics, which have more properties.
  return { name, help, type: 'histogram', values, aggregator: 'sum' } as unknown as Snapshot[number]
}

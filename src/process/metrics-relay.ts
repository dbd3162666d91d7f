import cluster, { type Worker } from 'node:cluster'
import { EventEmitter, once } from 'node:events'
import type { MessageToPrimary, MessageToWorker, Snapshot } from './metrics-messages.ts'

/** Milliseconds to wait for the metrics of a busy worker. After that, its last report is used. */
const TIMEOUT_MS = 500
/**
 * The number of ended workers whose metrics are stored separately. If there are more, they are
 * added up.
 */
const MAX_FORMER_WORKERS = 8

/**
 * Makes the primary process respond to requests for the metrics of all workers. Includes workers
 * that have ended, so that counters never decrease.
 */
export function relayMetrics(): void {
  const latest = new Map<number, Snapshot>()
  const reported = new EventEmitter().setMaxListeners(0)
  let former: Snapshot[] = []
  let isCompacting = false

  cluster.on('message', (worker: Worker, message: MessageToPrimary) => {
    // The last report of a worker that has ended is already included.
    if (worker.isDead()) return
    if (message.type === 'brevis:metrics') {
      latest.set(worker.id, message.snapshot)
      reported.emit(String(worker.id))
    } else if (message.type === 'brevis:collect-metrics') {
      void respond(worker, message.id)
    }
  })
  cluster.on('exit', ({ id }) => {
    const last = latest.get(id)
    latest.delete(id)
    reported.emit(String(id))
    if (last === undefined) return
    former.push(last.filter(isCumulative))
    if (former.length > MAX_FORMER_WORKERS) void compact()
  })

  async function respond(requester: Worker, id: number): Promise<void> {
    const others = [...latest.keys()].filter((other) => other !== requester.id)
    await Promise.all(others.map(refresh))
    sendTo(requester, {
      type: 'brevis:collected-metrics',
      id,
      snapshots: [...former, ...latest.values()],
    })
  }

  async function refresh(id: number): Promise<void> {
    const worker = cluster.workers?.[id]
    if (!worker?.isConnected()) return
    const arrived = once(reported, String(id), { signal: AbortSignal.timeout(TIMEOUT_MS) })
    sendTo(worker, { type: 'brevis:report-metrics' })
    await arrived.catch(() => {})
  }

  async function compact(): Promise<void> {
    if (isCompacting) return
    isCompacting = true
    // Loaded on demand, because workers rarely end.
    const { Registry } = await import('@prometheus-io/client')
    const merged = former.length
    const sum = await Registry.aggregate(former.slice(0, merged)).getMetricsAsJSON()
    former = [sum, ...former.slice(merged)]
    isCompacting = false
  }
}

/** Returns whether a metric only increases, and therefore must include workers that have ended. */
function isCumulative({ type }: Snapshot[number]): boolean {
  return String(type) === 'counter' || String(type) === 'histogram'
}

function sendTo(worker: Worker, message: MessageToWorker): void {
  // A worker that is ending does not need a response.
  worker.send(message, () => {})
}

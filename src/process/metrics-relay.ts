import cluster, { type Worker } from 'node:cluster'
import { EventEmitter, once } from 'node:events'
import type { Snapshot, ToPrimary, ToWorker } from './metrics-messages.ts'

/** Milliseconds that a busy worker has to say what it counts; else what it said last is taken. */
const PATIENCE = 500
/** Workers that have ended are kept one by one up to this many, then as their sum. */
const MAX_FORMER = 8

/**
 * Has the primary process answer each worker that asks what all of them count. What a worker that ended
 * had counted stays in the sums, so that a counter never goes back.
 */
export function relayMetrics(): void {
  const latest = new Map<number, Snapshot>()
  const reported = new EventEmitter().setMaxListeners(0)
  let former: Snapshot[] = []
  let compacting = false

  cluster.on('message', (worker: Worker, message: ToPrimary) => {
    // A worker's end has taken what it said last; nothing may be counted twice.
    if (worker.isDead()) return
    if (message.type === 'brevis:metrics') {
      latest.set(worker.id, message.snapshot)
      reported.emit(String(worker.id))
    } else if (message.type === 'brevis:collect-metrics') {
      void answer(worker, message.id)
    }
  })
  cluster.on('exit', ({ id }) => {
    const last = latest.get(id)
    latest.delete(id)
    reported.emit(String(id))
    if (last === undefined) return
    former.push(last.filter(isCumulative))
    if (former.length > MAX_FORMER) void compact()
  })

  async function answer(asker: Worker, id: number): Promise<void> {
    const others = [...latest.keys()].filter((other) => other !== asker.id)
    await Promise.all(others.map(refresh))
    tell(asker, {
      type: 'brevis:collected-metrics',
      id,
      snapshots: [...former, ...latest.values()],
    })
  }

  async function refresh(id: number): Promise<void> {
    const worker = cluster.workers?.[id]
    if (!worker?.isConnected()) return
    const arrived = once(reported, String(id), { signal: AbortSignal.timeout(PATIENCE) })
    tell(worker, { type: 'brevis:report-metrics' })
    await arrived.catch(() => {})
  }

  async function compact(): Promise<void> {
    if (compacting) return
    compacting = true
    // Loaded only here: most primaries never see a worker end.
    const { Registry } = await import('@prometheus-io/client')
    const merged = former.length
    const sum = await Registry.aggregate(former.slice(0, merged)).getMetricsAsJSON()
    former = [sum, ...former.slice(merged)]
    compacting = false
  }
}

/** What only ever grows, and goes on after the end of who counted it. */
function isCumulative({ type }: Snapshot[number]): boolean {
  return String(type) === 'counter' || String(type) === 'histogram'
}

function tell(worker: Worker, message: ToWorker): void {
  // One that ends at this moment needs no answer.
  worker.send(message, () => {})
}

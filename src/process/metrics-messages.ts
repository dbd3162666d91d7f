import type { MetricObjectWithValues, MetricValue } from '@prometheus-io/client'

/** All metrics of a process at one point in time. */
export type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

/** Reports this worker's metrics, or requests those of all workers. */
export type MessageToPrimary =
  | { type: 'brevis:metrics'; snapshot: Snapshot }
  | { type: 'brevis:collect-metrics'; id: number }

/** Requests this worker's metrics, or returns those of all workers. */
export type MessageToWorker =
  | { type: 'brevis:report-metrics' }
  | { type: 'brevis:collected-metrics'; id: number; snapshots: Snapshot[] }

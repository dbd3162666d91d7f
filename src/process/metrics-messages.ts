import type { MetricObjectWithValues, MetricValue } from '@prometheus-io/client'

/** All that one process counts, at one moment. */
export type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

/** Says what this worker counts, or asks what all do. */
export type ToPrimary =
  | { type: 'brevis:metrics'; snapshot: Snapshot }
  | { type: 'brevis:collect-metrics'; id: number }

/** Asks what this worker counts, or says what all do. */
export type ToWorker =
  | { type: 'brevis:report-metrics' }
  | { type: 'brevis:collected-metrics'; id: number; snapshots: Snapshot[] }

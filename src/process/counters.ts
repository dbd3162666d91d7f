import { createDurations, type Durations } from './share-metrics.ts'

/** The outcome of a visit, for metrics. */
type Outcome =
  | 'redirect'
  | 'page'
  | 'password'
  | 'disabled'
  | 'expired'
  | 'not_found'
  | 'unavailable'

/** Creates plain counters, which cost one increment per event. */
export function createCounters() {
  const visits: Record<Outcome, number> = {
    redirect: 0,
    page: 0,
    password: 0,
    disabled: 0,
    expired: 0,
    not_found: 0,
    unavailable: 0,
  }
  return {
    visits,
    visitDurations: createDurations(),
    apiReplies: new Map<number, number>(),
    /** The durations of API calls by method. */
    apiDurations: new Map<string, Durations>(),
    /** Open connections, and those closed because of a limit: per IP address, or of all. */
    connections: { open: 0, rejected: { address: 0, total: 0 } },
  }
}

/** The outcome of a visit, for metrics. */
export type Outcome =
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
  return { visits, apiReplies: new Map<number, number>() }
}

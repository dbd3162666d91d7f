import { collectDefaultMetrics, Registry } from '@prometheus-io/client'

let registry: Registry | undefined

/**
 * Returns the default metrics of the Prometheus client: memory, garbage collection, event loop delay. They
 * are created only once per process, because their timers and observers are never removed.
 */
export function getProcessMetrics(): Registry {
  if (registry) return registry
  registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

import { collectDefaultMetrics, Registry } from '@prometheus-io/client'

let registry: Registry | undefined

/**
 * Returns the process metrics of the library: memory, garbage collection, event loop delay. Its
 * timers and observers never end, so they are created once per process, however many applications
 * it runs.
 */
export function processMetrics(): Registry {
  if (registry) return registry
  registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

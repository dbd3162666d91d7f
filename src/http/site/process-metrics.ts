import { collectDefaultMetrics, Registry } from '@prometheus-io/client'

let registry: Registry | undefined

/**
 * What the library measures of the process itself: memory, garbage collection, delays of the event
 * loop. Its timers and observers never end, so they are set up once for each process, however many
 * applications come and go in it.
 */
export function processMetrics(): Registry {
  if (registry) return registry
  registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

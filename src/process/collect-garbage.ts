import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const INTERVAL_MS = 5000
/** The maximum share of an interval for which the event loop of an idle process is busy. */
const MAX_UTILIZATION = 0.05

/**
 * Collects garbage once, as soon as the process has been idle for a while. V8 does not do so in an
 * idle process, so the garbage of the startup would stay in memory. It takes a fraction of a
 * second: docs/performance-notes.md.
 */
export function collectStartupGarbage(): void {
  let lastUtilization = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, lastUtilization)
    lastUtilization = now
    if (utilization > MAX_UTILIZATION) return
    clearInterval(timer)
    setFlagsFromString('--expose-gc')
    const collect: NodeJS.GCFunction = runInNewContext('gc')
    // An ordinary collection keeps the memory for later.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, INTERVAL_MS)
  timer.unref()
}

import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Brevis } from './brevis.ts'
import { median } from './figures.ts'

/** The number of requests that precede the measured requests. */
export const WARM_UP_REQUESTS = 5

/** Returns the median duration of a request for statistics in milliseconds. */
export async function timeRequest(
  { url, key }: Brevis,
  path: string,
  requestCount: number,
): Promise<number> {
  const durations: number[] = []
  for (let round = -WARM_UP_REQUESTS; round < requestCount; round += 1) {
    const started = performance.now()
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
    const body = await response.text()
    const { data } = JSON.parse(body) as { data?: { clicks: number } }
    if (!data?.clicks) throw new Error(`${path} returned ${body.slice(0, 200)}`)
    if (round >= 0) durations.push(performance.now() - started)
    await yieldToEventLoop()
  }
  return median(durations)
}

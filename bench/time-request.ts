import { setImmediate as turn } from 'node:timers/promises'
import type { Brevis } from './brevis.ts'
import { median } from './figures.ts'

/** The number of requests that precede the measured requests. */
export const WARM_UPS = 5

/** Returns the median duration of a request for statistics in milliseconds. */
export async function timeRequest(
  { url, key }: Brevis,
  path: string,
  count: number,
): Promise<number> {
  const durations: number[] = []
  for (let round = -WARM_UPS; round < count; round += 1) {
    const started = performance.now()
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
    const body = await response.text()
    const { data } = JSON.parse(body) as { data?: { clicks: number } }
    if (!data?.clicks) throw new Error(`${path} returned ${body.slice(0, 200)}`)
    if (round >= 0) durations.push(performance.now() - started)
    await turn()
  }
  return median(durations)
}

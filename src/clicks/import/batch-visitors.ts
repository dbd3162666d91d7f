import type { Batch } from './batch.ts'
import { type Day, HOUR } from './group.ts'

/** The hour in which each of a link's visitors came first; nearly always all came in the same one. */
export function arrivalsOf(
  visitors: readonly number[],
  days: readonly Day[],
  { visitorLow, visitorHigh, crawler, at }: Batch['columns'],
  rows: Uint32Array,
): number[] {
  const [first] = days
  const hour = first?.hours.keys[0] as number
  if (days.length === 1 && first?.hours.keys.length === 1) {
    return new Array<number>(visitors.length / 2).fill(hour)
  }
  const known = new Map<string, number>()
  for (const row of rows) {
    if (crawler[row]) continue
    const visitor = `${visitorLow[row]} ${visitorHigh[row]}`
    const came = Math.floor((at[row] as number) / HOUR)
    known.set(visitor, Math.min(came, known.get(visitor) ?? came))
  }
  return Array.from({ length: visitors.length / 2 }, (_, index) =>
    Number(known.get(`${visitors[2 * index]} ${visitors[2 * index + 1]}`)),
  )
}

/** The visitors of one link, whose rows are those from `start` to before `end`. */
export function distinctVisitors(
  { visitorLow, visitorHigh, crawler }: Batch['columns'],
  rows: Uint32Array,
  start: number,
  end: number,
): number[] {
  const words: number[] = []
  for (let index = start; index < end; index += 1) {
    const row = rows[index] as number
    if (!crawler[row]) words.push(visitorLow[row] as number, visitorHigh[row] as number)
  }
  return words.length > 2 ? withoutRepeats(words) : words
}

function withoutRepeats(words: readonly number[]): number[] {
  const hashes = new BigInt64Array(words.length / 2)
  const sorted = new Int32Array(hashes.buffer)
  sorted.set(words)
  hashes.sort()
  const distinct: number[] = []
  for (let index = 0; index < sorted.length; index += 2) {
    const [low, high] = [sorted[index] as number, sorted[index + 1] as number]
    if (index === 0 || low !== sorted[index - 2] || high !== sorted[index - 1]) {
      distinct.push(low, high)
    }
  }
  return distinct
}

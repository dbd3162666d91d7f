import { expect, test } from 'vitest'
import { prefetch } from './limit.ts'

/** Yields numbers from 1 to `end`, then throws `error`, and logs what happens. */
async function* generateNumbers(
  log: string[],
  end = 3,
  error?: Error,
): AsyncGenerator<number, void> {
  try {
    for (let value = 1; value <= end; value += 1) {
      log.push(`yielded ${value}`)
      yield value
    }
    if (error) throw error
  } finally {
    log.push('closed')
  }
}

test('prefetching requests the next value while the current one is processed', async () => {
  const log: string[] = []
  for await (const value of prefetch(generateNumbers(log))) log.push(`used ${value}`)
  expect(log).toEqual([
    'yielded 1',
    'yielded 2',
    'used 1',
    'yielded 3',
    'used 2',
    'closed',
    'used 3',
  ])
})

test('prefetching throws an error after the preceding values', async () => {
  const used: number[] = []
  const reading = (async () => {
    for await (const value of prefetch(generateNumbers([], 2, new Error('broken'))))
      used.push(value)
  })()
  await expect(reading).rejects.toThrow('broken')
  expect(used).toEqual([1, 2])
})

test('prefetching closes its source when stopped early', async () => {
  const log: string[] = []
  for await (const value of prefetch(generateNumbers(log))) if (value === 1) break
  expect(log).toEqual(['yielded 1', 'yielded 2', 'closed'])
})

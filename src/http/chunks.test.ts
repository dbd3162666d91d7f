import { describe, expect, test } from 'vitest'
import { joinChunks } from './chunks.ts'

async function* yieldRepeatedly(part: string, times: number) {
  for (let index = 0; index < times; index++) yield part
}

describe('joinChunks', () => {
  test('returns chunks of similar size with all parts', async () => {
    const chunks = await Array.fromAsync(joinChunks(yieldRepeatedly('0123456789', 10_000)))
    expect(chunks.join('')).toBe('0123456789'.repeat(10_000))
    expect(chunks.length).toBeGreaterThan(3)
    for (const chunk of chunks.slice(0, -1)) {
      expect(chunk.length).toBeGreaterThanOrEqual(16_384)
      expect(chunk.length).toBeLessThan(16_384 + 10)
    }
  })

  test('returns one chunk for a short list and none for an empty list', async () => {
    expect(await Array.fromAsync(joinChunks(yieldRepeatedly('ab', 2)))).toEqual(['abab'])
    expect(await Array.fromAsync(joinChunks(yieldRepeatedly('', 2)))).toEqual([])
    expect(await Array.fromAsync(joinChunks(yieldRepeatedly('ab', 0)))).toEqual([])
  })

  test('reads no more parts than needed for a chunk', async () => {
    let partsRead = 0
    async function* yieldAndCount() {
      while (true) {
        partsRead++
        yield 'x'.repeat(4096)
      }
    }
    const chunks = joinChunks(yieldAndCount())
    await chunks.next()
    expect(partsRead).toBe(4)
    await chunks.return(undefined)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { streamJsonList } from './reply.ts'

const meta = { code: 200, dateTime: '2031-05-06 07:08:09' }

async function* yieldUrls(urls: Iterable<string>) {
  yield* urls
}

async function collect(urls: Iterable<string>): Promise<string> {
  return (await Array.fromAsync(streamJsonList(meta, yieldUrls(urls)))).join('')
}

describe('streamJsonList', () => {
  test('writes exactly what JSON.stringify writes for the whole list', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: anyCharacter }), { maxLength: 8 }),
        async (urls) => {
          const data = { urls: urls.map((url) => ({ short_url: url })), date_time: meta.dateTime }
          expect(await collect(urls)).toBe(JSON.stringify({ code: 200, data }))
        },
      ),
      { numRuns: 300 },
    )
  })

  test('writes an empty list', async () => {
    expect(await collect([])).toBe(
      '{"code":200,"data":{"urls":[],"date_time":"2031-05-06 07:08:09"}}',
    )
  })

  test('writes 100,000 links in chunks of bounded size', async () => {
    const urls = Array.from({ length: 100_000 }, (_, index) => `https://s.example/${index}`)
    const lengths: number[] = []
    let text = ''
    for await (const chunk of streamJsonList(meta, yieldUrls(urls))) {
      lengths.push(Buffer.byteLength(chunk))
      text += chunk
    }
    expect(Math.max(...lengths)).toBeLessThanOrEqual(65_536)
    expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThanOrEqual(16_384)
    expect(JSON.parse(text).data.urls).toHaveLength(100_000)
    expect(JSON.parse(text).data.urls[99_999]).toEqual({ short_url: 'https://s.example/99999' })
  })

  test('closes the source if the reader stops early', async () => {
    let isClosed = false
    async function* endless() {
      try {
        while (true) yield 'https://s.example/a'
      } finally {
        isClosed = true
      }
    }
    for await (const chunk of streamJsonList(meta, endless())) {
      expect(chunk).toContain('https://s.example/a')
      break
    }
    expect(isClosed).toBe(true)
  })

  test('rejects with the error of its source', async () => {
    async function* failing() {
      yield 'https://s.example/a'
      throw new Error('connection lost')
    }
    await expect(Array.fromAsync(streamJsonList(meta, failing()))).rejects.toThrow(
      'connection lost',
    )
  })
})

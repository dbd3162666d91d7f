import { expect, test } from 'vitest'
import { formatBytes, formatDuration, formatMetricCount, formatRate } from './amounts.ts'

test.for([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1,023 bytes'],
  [1024, '1.0 KiB'],
  [10 * 1024, '10 KiB'],
  [1.5 * 2 ** 30, '1.5 GiB'],
  [2 ** 70, '1,048,576 PiB'],
  [Number.NaN, 'Unknown'],
] as const)('%d bytes are formatted as %s', ([bytes, text]) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.for([
  [0, '0 ms'],
  [0.0042, '4 ms'],
  [59.9, '59 s'],
  [61, '1 min 1 s'],
  [3600, '1 h 0 min'],
  [90_000, '1 day 1 h'],
  [200_000, '2 days 7 h'],
  [Number.NaN, 'Unknown'],
] as const)('%d seconds are formatted as %s', ([seconds, text]) => {
  expect(formatDuration(seconds)).toBe(text)
})

test('counts and hit rates are formatted even if they are unknown', () => {
  expect([formatMetricCount(1234), formatMetricCount(Number.NaN)]).toEqual(['1,234', 'Unknown'])
  expect(formatRate({ hits: 0, misses: 0 })).toBe('No lookups yet')
  expect(formatRate({ hits: 999, misses: 1 })).toBe('99.9% (1,000 lookups)')
})

import { expect, test } from 'vitest'
import type { HealthFigures, HealthProblem } from '../../../operator/health.ts'
import { findText, runWithLocale, tAll } from '../../../texts.ts'
import { formatBytes } from '../shell/format.ts'
import { describeProblem, formatDuration, formatMetricCount, formatRate } from './health.ts'

const figures = {
  clicksLost: 1234,
  mailFailed: 1,
  mailError: 'rejected',
  importerError: 'no such table',
  workers: 1,
  workersExpected: 2,
} as HealthFigures

test.for(['en', 'de'] as const)('every problem has a remedy in %s', (language) => {
  runWithLocale({ language }, () => {
    const names = Object.keys(tAll('admin.health.findings')).map((key) => key.split('.')[0])
    for (const name of new Set(names as HealthProblem[])) {
      expect(describeProblem(name, figures)).toMatch(/^.{10,}$/)
      expect(findText('admin.health.findings', `${name}.remedy`)).toMatch(/^.{40,}\.$/)
    }
  })
})

test('problems name their figures', () => {
  const names = ['clicksLost', 'mailFailed', 'importFailing'] as const
  const texts = () => names.map((name) => describeProblem(name, figures))
  expect(texts()).toEqual([
    '1,234 clicks were lost since startup: they couldn’t be written to the journal.',
    '1 email could not be sent in the last week: rejected',
    'Clicks can’t be imported: no such table',
  ])
  expect(runWithLocale({ language: 'de' }, texts)).toEqual([
    'Seit dem Start konnten 1.234 Klicks nicht ins Journal geschrieben werden. Sie werden nicht gezählt.',
    '1 E-Mail konnte in der letzten Woche nicht gesendet werden: rejected',
    'Klicks können nicht importiert werden: no such table',
  ])
})

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

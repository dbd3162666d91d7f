import { expect, test } from 'vitest'
import type { HealthFigures, HealthProblem } from '../../../../operator/health.ts'
import { findText, runWithLocale, tAll } from '../../../../texts.ts'
import { describeProblem } from './routes.ts'

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
    '1,234 clicks could not be written to the journal since the start and will not be counted.',
    '1 email could not be sent in the last week: rejected',
    'Clicks can’t be imported: no such table',
  ])
  expect(runWithLocale({ language: 'de' }, texts)).toEqual([
    'Seit dem Start konnten 1.234 Klicks nicht ins Journal geschrieben werden. Sie werden nicht gezählt.',
    '1 E-Mail konnte in der letzten Woche nicht gesendet werden: rejected',
    'Klicks können nicht importiert werden: no such table',
  ])
})

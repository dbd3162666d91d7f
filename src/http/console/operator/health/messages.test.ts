import { expect, test } from 'vitest'
import type { HealthFigures } from '../../../../operator/health.ts'
import { runWithLocale } from '../../../localization/language.ts'
import { healthMessages } from './messages.ts'

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
    for (const { problem, remedy } of Object.values(healthMessages.findings)) {
      expect(problem(figures)).toMatch(/^.{10,}$/)
      expect(remedy).toMatch(/^.{40,}\.$/)
    }
  })
})

test('problems name their figures', () => {
  const { clicksLost, mailFailed, importFailing } = healthMessages.findings
  const texts = () => [clicksLost, mailFailed, importFailing].map(({ problem }) => problem(figures))
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

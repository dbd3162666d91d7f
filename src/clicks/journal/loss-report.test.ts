import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLossReport } from './loss-report.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the loss report reports the first loss immediately and combines later losses', () => {
  const reports: number[] = []
  const onLoss = createLossReport(({ clicks }) => reports.push(clicks))
  for (let flush = 0; flush < 100; flush += 1) onLoss(3, new Error('ENOSPC'))
  expect(reports).toEqual([3])
  vi.advanceTimersByTime(1000)
  expect(reports).toEqual([3, 297])
})

test('the loss report reports immediately again after a quiet interval', () => {
  const reports: number[] = []
  const onLoss = createLossReport(({ clicks }) => reports.push(clicks))
  onLoss(1, new Error('ENOSPC'))
  vi.advanceTimersByTime(1000)
  onLoss(2, new Error('ENOSPC'))
  expect(reports).toEqual([1, 2])
})

test('the loss report reports a failed sync even though no click is lost', () => {
  const reports: object[] = []
  const onLoss = createLossReport((fields) => reports.push(fields))
  onLoss(0, new Error('EIO'))
  expect(reports).toEqual([{ clicks: 0, reason: 'Error: EIO' }])
})

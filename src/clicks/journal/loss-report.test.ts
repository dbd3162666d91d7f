import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLossReport } from './loss-report.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('reports the first loss immediately and later ones together', () => {
  const told: number[] = []
  const onLoss = createLossReport(({ clicks }) => told.push(clicks))
  for (let flush = 0; flush < 100; flush += 1) onLoss(3, new Error('ENOSPC'))
  expect(told).toEqual([3])
  vi.advanceTimersByTime(1000)
  expect(told).toEqual([3, 297])
})

test('reports immediately again after a quiet interval', () => {
  const told: number[] = []
  const onLoss = createLossReport(({ clicks }) => told.push(clicks))
  onLoss(1, new Error('ENOSPC'))
  vi.advanceTimersByTime(1000)
  onLoss(2, new Error('ENOSPC'))
  expect(told).toEqual([1, 2])
})

test('reports a failed sync even though no click is lost', () => {
  const told: object[] = []
  const onLoss = createLossReport((fields) => told.push(fields))
  onLoss(0, new Error('EIO'))
  expect(told).toEqual([{ clicks: 0, reason: 'Error: EIO' }])
})

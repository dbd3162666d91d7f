import { expect, test } from 'vitest'
import { lineChart, roundUp } from './chart.ts'

test.each([
  [0, 2],
  [1, 2],
  [2, 2],
  [3, 4],
  [5, 10],
  [11, 20],
  [21, 40],
  [41, 100],
  [100, 100],
  [101, 200],
  [1_000_001, 2_000_000],
])('above %i the scale ends at %i', (value, top) => {
  expect(roundUp(value)).toBe(top)
})

test('the largest step reaches the top if it is round, none goes below the bottom', () => {
  const steps = [0, 10, 5].map((clicks, index) => ({ day: `2026-01-0${index + 1}`, clicks }))
  const text = String(lineChart(steps, 'Clicks <by> day'))
  expect(text).toContain('M0 160L0,160 300,0 600,80L600 160Z')
  expect(text).toContain('points="0,160 300,0"')
  expect(text).toContain('points="300,0 600,80"')
  expect(text).toContain('Clicks &lt;by&gt; day')
})

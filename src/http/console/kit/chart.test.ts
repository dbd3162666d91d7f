import { describe, expect, test } from 'vitest'
import { type ChartStep, computeTicks, renderTimeChart } from './chart.ts'

function createSteps(clicks: readonly number[], otherFields: Partial<ChartStep> = {}): ChartStep[] {
  return clicks.map((count, index) => ({
    name: `Step <${index}>`,
    short: `s${index}`,
    clicks: count,
    state: index === clicks.length - 1 ? 'open' : 'ended',
    ...otherFields,
  }))
}

const drawChart = (steps: readonly ChartStep[]) =>
  String(renderTimeChart({ title: 'Clicks <by> day', unit: 'Day (UTC)', steps }))

const readBarHeights = (text: string) =>
  [...text.matchAll(/<rect class="bar[^>]* height="([\d.]+)"/g)].map(([, height]) => Number(height))

const readTable = (text: string) =>
  [...text.matchAll(/<td class="number">([\d,]+)</g)].map(([, n]) => Number(n?.replaceAll(',', '')))

describe('a chart of up to 13 steps', () => {
  test('has one bar per step, scaled to the largest, and a table with all numbers', () => {
    const clicks = Array.from({ length: 13 }, (_, index) => (index * 37) % 13)
    const text = drawChart(createSteps(clicks))
    const heights = readBarHeights(text)
    expect(heights).toHaveLength(13)
    expect(Math.max(...heights)).toBe(180)
    expect(heights).toEqual(clicks.map((count) => Math.round((count / 12) * 18_000) / 100))
    expect(readTable(text)).toEqual(clicks)
    expect(text).toContain('Total: 78')
    expect(text).not.toContain('<polyline')
  })

  test('has bars of height zero without clicks', () => {
    expect(readBarHeights(drawChart(createSteps([0, 0])))).toEqual([0, 0])
  })

  test('marks only the open step', () => {
    const text = drawChart(createSteps([1, 2, 3]))
    expect(text.match(/class="bar open"/g)).toHaveLength(1)
    expect(text).toMatch(/class="bar open"[^>]*height="180"/)
    expect(text.match(/, until now/g)).toHaveLength(1)
    expect(drawChart(createSteps([1, 2], { state: 'ended' }))).not.toContain('open')
  })

  test('is scaled to include the comparison period', () => {
    const text = drawChart(createSteps([1, 2], { before: { clicks: 4, newVisitors: 0 } }))
    expect(readBarHeights(text)).toEqual([45, 90])
    expect(text).toContain('<polyline class="stroke before" points="250,0 750,0"/>')
    expect(drawChart(createSteps([1], { before: { clicks: 1, newVisitors: 0 } }))).toContain(
      'points="0,0 1000,0"',
    )
  })
})

describe('a chart of more than 13 steps', () => {
  test('is a line scaled to its maximum, and dashed up to the open step', () => {
    const clicks = Array.from({ length: 14 }, (_, index) => index)
    const text = drawChart(createSteps(clicks))
    expect(readBarHeights(text)).toEqual([])
    const [, points = ''] = /class="stroke" points="([^"]+)"/.exec(text) ?? []
    expect(points.split(' ')).toHaveLength(13)
    expect(text).toMatch(/class="stroke open" points="892.86,13.85 964.29,0"/)
    expect(readTable(text)).toEqual(clicks)
  })

  test('ends before steps that have not started', () => {
    const steps = createSteps(Array.from({ length: 40 }, () => 1))
    const text = drawChart(
      steps.map((step, index) => ({ ...step, state: index < 10 ? 'ended' : 'ahead' })),
    )
    const [, points = ''] = /class="stroke" points="([^"]+)"/.exec(text) ?? []
    expect(points.split(' ')).toHaveLength(10)
    expect(text).not.toContain('stroke open')
  })
})

test.each([1, 7, 8, 9, 24, 31, 53, 90, 400])(
  'a chart of %i steps has at most 8 labels',
  (count) => {
    const labels = drawChart(createSteps(Array.from({ length: count }, () => 1))).match(
      /class="tick/g,
    )
    expect(labels?.length).toBeGreaterThan(0)
    expect(labels?.length).toBeLessThanOrEqual(8)
  },
)

test('steps are links in the chart and in the table', () => {
  const text = drawChart(createSteps([1, 2], { href: '?from=1&to=2' }))
  expect(text.match(/<a href="\?from=1&amp;to=2" tabindex="-1">/g)).toHaveLength(2)
  expect(text.match(/<th scope="row"><a href="\?from=1&amp;to=2">/g)).toHaveLength(2)
})

test('a chart escapes all texts', () => {
  const text = drawChart(createSteps([1, 2]))
  expect(text).toContain('Clicks &lt;by&gt; day')
  expect(text).toContain('Step &lt;0&gt;\n1 click<')
  expect(text).not.toContain('<by>')
})

test.each([
  [1, [0, 1]],
  [4, [0, 1, 2, 3, 4]],
  [5, [0, 1, 2, 3, 4, 5]],
  [6, [0, 2, 4, 6]],
  [47, [0, 10, 20, 30, 40]],
  [100, [0, 20, 40, 60, 80, 100]],
  [99_999, [0, 20_000, 40_000, 60_000, 80_000]],
])('the axis up to %i has ticks at %j', (top, ticks) => {
  expect(computeTicks(top)).toEqual(ticks)
})

test('the tooltip of a step compares it with the step before, or with the comparison period', () => {
  const steps = createSteps([20, 30, 40])
  const readTooltips = (all: readonly ChartStep[]) =>
    [...drawChart(all).matchAll(/<g><title>([^<]*)<\/title>/g)].map(([, text]) => text?.split('\n'))
  expect(readTooltips(steps)[1]).toEqual(['Step &lt;1&gt;', '30 clicks', '↑ 50% vs. s0'])
  // The last step has not ended.
  expect(readTooltips(steps)[2]).toEqual(['Step &lt;2&gt;', '40 clicks'])
  const compared = steps.map((step) => ({ ...step, before: { clicks: 60, newVisitors: 0 } }))
  expect(readTooltips(compared)[1]).toContain('↓ 50% vs. 60')
})

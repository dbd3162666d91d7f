import { expect, test } from 'vitest'
import { createVisitDays } from './shlink-visits.ts'

const visit = (day: number, country: string) => ({
  date: `2026-02-${String(day).padStart(2, '0')}T04:05:06Z`,
  visitLocation: { countryCode: country },
})

test('limits the memory for visits and the length of labels', () => {
  const room = { remaining: 40 }
  const days = createVisitDays(room)
  for (let index = 0; index < 100; index += 1) days.add(visit(1, `${index}${'x'.repeat(1000)}`))
  for (let day = 2; day < 20; day += 1) days.add(visit(day, 'DE'))
  const { days: kept } = days.getHistory()
  expect(kept.map(({ clicks }) => clicks)).toEqual([100])
  const countries = kept[0]?.labels?.countries ?? new Map()
  expect(countries.size).toBeLessThan(40)
  expect(Math.max(...[...countries.keys()].map((name) => name.length))).toBe(253)
  expect(room.remaining).toBe(0)
})

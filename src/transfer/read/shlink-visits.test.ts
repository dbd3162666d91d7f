import { expect, test } from 'vitest'
import { createVisitDays } from './shlink.ts'

const visit = (day: number, country: string) => ({
  date: `2026-02-${String(day).padStart(2, '0')}T04:05:06Z`,
  visitLocation: { countryCode: country },
})

test('the memory for visits and the length of their labels are limited', () => {
  const capacity = { remaining: 40 }
  const days = createVisitDays(capacity)
  for (let index = 0; index < 100; index += 1) days.add(visit(1, `${index}${'x'.repeat(1000)}`))
  for (let day = 2; day < 20; day += 1) days.add(visit(day, 'DE'))
  const { days: storedDays } = days.getHistory()
  expect(storedDays.map(({ clicks }) => clicks)).toEqual([100])
  const countries = storedDays[0]?.labels?.countries ?? new Map()
  expect(countries.size).toBeLessThan(40)
  expect(Math.max(...[...countries.keys()].map((name) => name.length))).toBe(253)
  expect(capacity.remaining).toBe(0)
})

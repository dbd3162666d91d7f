import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { meetsGoal } from '../../bench/figures.ts'
import { readPublicLists, readVersion } from '../../bench/public-lists.ts'
import { measureErrors, measureMarks } from '../../bench/sections/robots.ts'

const readText = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const lists = readPublicLists()
const errors = measureErrors(lists)
const marks = measureMarks(lists)

test('the public lists are large enough to show the errors', () => {
  expect(lists.robots.length).toBeGreaterThan(1_500)
  expect(lists.visits.length).toBeGreaterThanOrEqual(10_000)
})

test('at most 1% of robots pass as people, and at most 0.01% of people count as robots', () => {
  const goals = errors.filter(({ goal }) => goal)
  expect(goals.map(({ goal }) => goal)).toEqual([{ atMost: 1 }, { atMost: 0.01 }])
  for (const figure of goals) expect(meetsGoal(figure), figure.name).toBe(true)
})

test('no request with the headers of browsers is marked as automated', () => {
  const goals = marks.filter(({ goal }) => goal)
  expect(goals).toMatchObject([{ value: 0, goal: { atMost: 0 } }])
})

test('bench/results.json has the errors and marks of the present classification', () => {
  const { sections } = JSON.parse(readText('bench/results.json'))
  const figures = [...errors, ...marks]
  const names = figures.map(({ name }) => name)
  const stored = sections.robots.figures.filter((each: { name: string }) =>
    names.includes(each.name),
  )
  expect(stored, 'run npm run bench -- robots').toEqual(figures)
})

test.each(['crawler-user-agents', 'top-user-agents', 'user-agents'])(
  'docs/dependencies.md lists %s with its version and license',
  (name) => {
    const { license } = JSON.parse(readText('package-lock.json')).packages[`node_modules/${name}`]
    expect(readText('docs/dependencies.md')).toContain(
      `| ${name} | ${readVersion(name)} | ${license} |`,
    )
  },
)

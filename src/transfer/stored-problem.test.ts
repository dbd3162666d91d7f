import { expect, test } from 'vitest'
import { formatProblem, type Problem } from '../errors.ts'
import { parseProblem, serializeProblem } from './progress.queries.ts'

test.for<[Problem, string]>([
  [
    { key: 'problems.not_short_url', subject: '"Short"', args: { text: 'a\0\ud800' } },
    '"Short" is not a short URL: a\ufffd\ufffd',
  ],
  [{ key: 'problems.cell_empty', subject: 3 }, 'Column 3 is empty'],
  [
    { key: 'rowProblems.line_too_long', args: { max: 32768 } },
    'the line is longer than 32768 bytes',
  ],
  ['said by a library\0', 'said by a library\ufffd'],
  ['x'.repeat(400), 'x'.repeat(300)],
  ['{"key":"problems.gone"}', '{"key":"problems.gone"}'],
])('%j is stored without what PostgreSQL rejects', ([problem, text]) => {
  const stored = serializeProblem(problem)
  expect(stored).not.toMatch(/\0/)
  expect(stored.isWellFormed()).toBe(true)
  expect(formatProblem(parseProblem(stored))).toBe(text)
})

test('the text that an earlier version has stored is shown as it is', () => {
  expect(formatProblem(parseProblem('alias is a reserved word'))).toBe('alias is a reserved word')
})

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../src/http/console')
const CONTROL = /<(?:input|select|textarea|table)\b/

test('only the kit of the console writes controls and tables', () => {
  const files = globSync('**/*.ts', { cwd: ROOT }).filter((file) => !file.startsWith('kit/'))
  expect(files.length).toBeGreaterThan(60)
  const found = files.filter((file) => CONTROL.test(readFileSync(join(ROOT, file), 'utf8')))
  expect(found).toEqual([])
})

test('the kit stays small', () => {
  const files = globSync('kit/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'))
  const lines = files.map((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1)
  expect(Math.max(...lines)).toBeLessThanOrEqual(300)
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2500)
})

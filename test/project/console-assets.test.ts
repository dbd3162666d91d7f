import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../src/http/console')
const CODE = globSync('**/*.ts', { cwd: ROOT }).map((file) =>
  readFileSync(join(ROOT, file), 'utf8'),
)

function countLines(folder: string): number {
  const files = readdirSync(join(ROOT, folder)).map((name) => join(ROOT, folder, name))
  return files.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0)
}

test.each([
  ['styles', 2000],
  ['scripts', 1500],
])('the %s of the console have at most %i lines', (folder, limit) => {
  expect(countLines(folder)).toBeLessThanOrEqual(limit)
})

test('each script is needed by an element or imported by another script', () => {
  const scripts = readdirSync(join(ROOT, 'scripts'))
  const texts = scripts.map((name) => readFileSync(join(ROOT, 'scripts', name), 'utf8'))
  const named = CODE.flatMap((text) => [...text.matchAll(/withScript\(([^)]*)\)/g)])
  const needed = named.flatMap(([, names = '']) => names.match(/[\w-]+/g) ?? [])
  const imported = texts.flatMap((text) => [...text.matchAll(/from '\.\/([\w-]+)\.js'/g)])
  const used = new Set([...needed, ...imported.map(([, name]) => name)])
  expect(scripts.filter((name) => !used.has(name.replace(/\.js$/, '')))).toEqual([])
})

test('each class of the stylesheet is used', () => {
  const scripts = readdirSync(join(ROOT, 'scripts'))
  const sources = scripts.map((name) => readFileSync(join(ROOT, 'scripts', name), 'utf8'))
  const words = new Set([...CODE, ...sources].flatMap((text) => text.match(/[\w-]+/g) ?? []))
  const styles = readdirSync(join(ROOT, 'styles'))
  const rules = styles.map((name) => readFileSync(join(ROOT, 'styles', name), 'utf8')).join('\n')
  const classes = rules.match(/\.[a-z][\w-]*(?=[^{}]*\{)/g) ?? []
  const unused = new Set(classes.map((name) => name.slice(1)).filter((name) => !words.has(name)))
  expect([...unused]).toEqual([])
})

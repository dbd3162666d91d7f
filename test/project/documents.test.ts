import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const documents = globSync(['*.md', '{docs,bench}/**/*.md'], { cwd: ROOT })

test.each(documents)('the targets of links in %s exist', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8')
  const targets = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map(
    ([, target]) => target ?? '',
  )
  const missing = targets.filter((target) => !existsSync(join(ROOT, dirname(document), target)))
  expect(missing).toEqual([])
})

test('commands run programs of this repository by bin/node, because the machine may have Node.js 20', () => {
  const files = globSync(['*.md', '{docs,bench,scripts}/**/*.{md,ts,sh}'], { cwd: ROOT })
  const commands = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\S*node (?:scripts|bench)\/\S+\.ts/g)].map(
      ([command]) => [file, command] as const,
    ),
  )
  expect(commands.length).toBeGreaterThan(3)
  expect(commands.filter(([, command]) => !/bin\/node /.test(command))).toEqual([])
})

test.each(['CONTRIBUTING.md', 'docs/architecture.md'])('files named in %s exist', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8')
  const named = [...text.matchAll(/`((?:[\w-]+\/)+[\w.-]*)`/g)].map(([, path]) => path ?? '')
  expect(named.length).toBeGreaterThan(10)
  const isInRepository = (path: string) =>
    /^(?:src|test|docs|bench|scripts|deploy|migrations)\//.test(path)
  expect(named.filter((path) => isInRepository(path) && !existsSync(join(ROOT, path)))).toEqual([])
})

test('decision records have unique numbers', () => {
  const records = globSync('docs/decisions/*.md', { cwd: ROOT })
  const numbers = records.map((path) => basename(path).slice(0, 4))
  expect(numbers.length).toBeGreaterThan(40)
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([])
})

import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const documents = globSync(['*.md', '{docs,bench}/**/*.md'], { cwd: ROOT })

test.each(documents)('what %s links to is there', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8')
  const targets = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map(
    ([, to]) => to ?? '',
  )
  const missing = targets.filter((to) => !existsSync(join(ROOT, dirname(document), to)))
  expect(missing).toEqual([])
})

test('the folders and files that the README names are there', () => {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const reading = text.slice(text.indexOf('### Reading the code'), text.indexOf('## Licence'))
  const named = [...reading.matchAll(/`((?:[\w-]+\/)+[\w.-]*|[\w-]+\.ts)`/g)].map(
    ([, path]) => path ?? '',
  )
  expect(named.length).toBeGreaterThan(30)
  const folders = ['.', 'src', 'src/db', 'src/clicks']
  const missing = named.filter(
    (path) => !folders.some((folder) => existsSync(join(ROOT, folder, path))),
  )
  expect(missing).toEqual([])
})

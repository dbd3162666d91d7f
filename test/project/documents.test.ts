import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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

test.each(documents)('the sections that links in %s name exist', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8')
  const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)]
  const missing = links.filter(([, target, section = '']) => {
    const file = target ? join(dirname(document), target) : document
    return !listSections(readFileSync(join(ROOT, file), 'utf8')).includes(section)
  })
  expect(missing.map(([link]) => link)).toEqual([])
})

/** Returns the anchors of the headings, as GitHub derives them. */
function listSections(text: string): string[] {
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

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

test('decision records have unique numbers, and a line each in the index', () => {
  const folder = join(ROOT, 'docs/decisions')
  const records = globSync('0*.md', { cwd: folder }).sort()
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  const listed = [...index.matchAll(/^\| (\d{4}) \[([^\]]+)\]\((\S+)\) \| \S/gm)]
  expect(listed.map(([, , , file]) => file)).toEqual(records)
  expect(new Set(listed.map(([, number]) => number)).size).toBe(records.length)
  for (const [, number = '', title, file = ''] of listed) {
    expect(file).toMatch(new RegExp(`^${number}-`))
    expect(readFileSync(join(folder, file), 'utf8').split('\n')[0]).toBe(`# ${title}`)
  }
})

test('documents that comments name exist', () => {
  const files = globSync('{src,test,bench,scripts,migrations,deploy}/**/*.{ts,js,sql,sh,yaml}', {
    cwd: ROOT,
  })
  const named = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(
      ([path]) => [file, path] as const,
    ),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(([, path]) => !existsSync(join(ROOT, path)))).toEqual([])
})

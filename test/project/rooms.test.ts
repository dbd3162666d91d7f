import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '../../src')
const IMPORT = /\b(?:from|import\() *'(?<path>\.[^']+)'/g

/** The doors of folders in rooms, which the linter guards. */
const doors = (await readFile(join(SOURCE, '../lint/doors.grit'), 'utf8'))
  .matchAll(/r"\.\*\/(.+)\/(?:\(\?:)?([^/]+?)\)?\.ts'"/g)
  .flatMap(([, folder, names]) => (names ?? '').split('|').map((name) => `${folder}/${name}.ts`))
  .toArray()

const files = (await readdir(SOURCE, { recursive: true })).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
)

/** Returns the room of a file: its folder in `src`, or '' for files beside the rooms. */
const roomOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '')

const allImports = (
  await Promise.all(
    files.map(async (from) =>
      [...(await readFile(join(SOURCE, from), 'utf8')).matchAll(IMPORT)].map((match) => ({
        from,
        to: normalize(join(dirname(from), match.groups?.path ?? '')),
      })),
    ),
  )
).flat()

/** The imports between rooms. */
const imports = allImports.filter(
  ({ from, to }) => !to.startsWith('..') && roomOf(from) !== roomOf(to),
)

test('the program imports only texts from outside of src', () => {
  expect(allImports.filter(({ to }) => /^\.\.\/(?!locales\/)/.test(to))).toEqual([])
})

test('no two rooms import each other', () => {
  const pairs = new Set(imports.map(({ from, to }) => `${roomOf(from)} > ${roomOf(to)}`))
  const mutual = imports
    .filter(({ from, to }) => roomOf(from) !== '' && roomOf(to) !== '')
    .filter(({ from, to }) => pairs.has(`${roomOf(to)} > ${roomOf(from)}`))
  expect(imports.length).toBeGreaterThan(500)
  expect(mutual).toEqual([])
})

test('every door of a folder in a room is used', () => {
  const opened = new Set(imports.map(({ to }) => to))
  expect(doors.length).toBeGreaterThan(40)
  expect(doors.filter((door) => !opened.has(door))).toEqual([])
})

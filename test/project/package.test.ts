import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { languages } from '../../src/pages/texts.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('the package contains compiled files, migrations and the command, and no development files', () => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [{ files }] = JSON.parse(output) as [{ files: { path: string; mode: number }[] }]
  const outside = files.filter(({ path }) => !path.startsWith('dist/'))
  expect(outside.map(({ path }) => path).sort()).toEqual([
    '.env.example',
    'LICENSE',
    'NOTICE',
    'README.md',
    'bin/brevis',
    'bin/node',
    'locales/de.json',
    'locales/en.json',
    ...languages.map((language) => `locales/visitors/${language}.json`).sort(),
    'migrations/0001-schema.sql',
    'package.json',
  ])
  const programs = outside.filter(({ path }) => path.startsWith('bin/'))
  expect(programs.every(({ mode }) => (mode & 0o111) !== 0)).toBe(true)
  expect(files.filter(({ path }) => /\.test\.|\.ts$/.test(path))).toEqual([])
})

test('only the source folder without its tests is compiled', () => {
  const { include, exclude, compilerOptions } = JSON.parse(
    readFileSync(new URL('../../tsconfig.build.json', import.meta.url), 'utf8'),
  )
  expect([include, compilerOptions.rootDir]).toEqual([['src'], 'src'])
  expect(exclude).toContain('src/**/*.test.ts')
})

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const { start, brevis, build, tables, bench, soak } = scripts as Record<string, string>

type Outcome = { code: number | string | null | undefined; stdout: string; stderr: string }

function run(command: string, ...args: string[]): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  // As npm runs it.
  execFile('sh', ['-c', `${command} "$@"`, 'sh', ...args], { cwd: root }, (error, stdout, stderr) =>
    resolve({ code: error ? error.code : 0, stdout, stderr }),
  )
  return promise
}

test.for([
  start,
  brevis,
  build,
  tables,
  bench,
  soak,
  ...['scripts/check-kubernetes.ts', 'scripts/compare-country-data.ts', 'scripts/flags.ts'].map(
    inNode,
  ),
  ...['scripts/settings-reference.ts', 'scripts/world-map.ts', 'bench/update-documents.ts'].map(
    inNode,
  ),
  'scripts/try-bare-machine.sh',
  'scripts/try-image.sh',
])('%s prints its usage, and rejects unknown options', async (command = '') => {
  const help = await run(command, '--help')
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toMatch(/^Usage: |^ {2}sudo |^Settings, with their defaults:/m)
  const unknown = await run(command, '--unknown-option')
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toMatch(/unknown (?:option|argument) '?--unknown-option/i)
  expect(unknown.stderr).not.toMatch(/^ {4}at /m)
})

function inNode(file: string): string {
  return `bin/node ${file}`
}

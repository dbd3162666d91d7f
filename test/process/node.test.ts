import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { folderTest } from '../support/test.ts'

const SCRIPTS = fileURLToPath(new URL('../../bin/', import.meta.url))

const test = folderTest()
  /** A checkout whose bundled Node prints `packaged` and its arguments. */
  .extend('checkout', { scope: 'file' }, async ({ folder }) => {
    const checkout = await createCheckout(folder, 'checkout')
    await createFakeNode(join(checkout, 'node_modules', '.bin'), 'v24.1.0', 'packaged')
    return checkout
  })

/** Creates a folder with this program's start scripts. */
async function createCheckout(folder: string, name: string): Promise<string> {
  const created = join(folder, name)
  await mkdir(join(created, 'bin'), { recursive: true })
  await mkdir(join(created, 'src'))
  await writeFile(join(created, 'src', 'cli.ts'), '')
  for (const script of ['node', 'brevis']) {
    await copyFile(join(SCRIPTS, script), join(created, 'bin', script))
  }
  return created
}

/** Creates a program `node` that prints its version, or its name and arguments. */
async function createFakeNode(folder: string, version: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const script = `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo ${name} "$@"\n`
  await writeFile(join(folder, 'node'), script)
  await chmod(join(folder, 'node'), 0o755)
  return folder
}

/** Creates a folder for PATH whose Node prints `own` and its arguments. */
async function createMachineFolder(folder: string, version: string): Promise<string> {
  return createFakeNode(join(folder, `machine-${version}`), version, 'own')
}

type Result = { code: number; stdout: string; stderr: string }

function run(file: string, args: readonly string[], path: readonly string[]): Promise<Result> {
  const PATH = [...path, '/usr/bin', '/bin'].join(':')
  return new Promise((resolve) => {
    execFile(file, args, { env: { PATH } }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
  })
}

test.for(['v24.0.0', 'v26.10.0', 'v100.0.0-nightly'])(
  "uses the machine's own Node %s, even though npm puts the bundled Node first on PATH",
  async (version, { checkout, folder }) => {
    const path = [
      join(checkout, 'node_modules', '.bin'),
      await createMachineFolder(folder, version),
    ]
    const { stdout } = await run(join(checkout, 'bin', 'node'), ['src/main.ts', 'a b'], path)
    expect(stdout).toBe('own src/main.ts a b\n')
  },
)

test.for(['v20.19.0', 'v23.11.1', 'nonsense'])(
  "uses the bundled Node if the machine's own is %s",
  async (version, { checkout, folder }) => {
    const { stdout } = await run(
      join(checkout, 'bin', 'node'),
      ['x'],
      [await createMachineFolder(folder, version)],
    )
    expect(stdout).toBe('packaged x\n')
  },
)

test('prints one line with instructions if no Node is recent enough', async ({ folder }) => {
  const checkoutWithoutNode = await createCheckout(folder, 'bare')
  const result = await run(
    join(checkoutWithoutNode, 'bin', 'node'),
    ['x'],
    [await createMachineFolder(folder, 'v20.19.0')],
  )
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toMatch(/^brevis: Node\.js 24 [^\n]* v20\.19\.0\. Install [^\n]*\n$/)
})

test("`brevis` runs through npm's symbolic link", async ({ folder, checkout }) => {
  const link = join(folder, 'link')
  await symlink(join(checkout, 'bin', 'brevis'), link)
  const { stdout } = await run(
    link,
    ['account', 'list'],
    [await createMachineFolder(folder, 'v20.19.0')],
  )
  const [node, heapOption, file = '', ...args] = stdout.trim().split(' ')
  expect([node, heapOption, ...args]).toEqual([
    'packaged',
    '--max-semi-space-size=8',
    'account',
    'list',
  ])
  expect(join(file)).toBe(join(dirname(join(checkout, 'bin')), 'src', 'cli.ts'))
})

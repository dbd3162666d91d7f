import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { SETTINGS } from '../../src/settings.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { settings, startTest } from '../support/start-test.ts'

const test = startTest()

const execute = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const unit = await readFile(new URL('../../deploy/brevis.service', import.meta.url), 'utf8')

const TIMEOUT_MS = 90_000
/** The maximum exposure on systemd's scale from 0 to 10. Typical services have 9.6. */
const MAX_EXPOSURE = 2

const hasSystemd = await execute('systemd-analyze', ['--version']).then(
  () => true,
  () => {
    process.stderr.write('deploy/brevis.service is not verified: no systemd-analyze runs here\n')
    return false
  },
)

/** Returns the values of a setting of the unit, in order. */
function readUnitValues(name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
}

/** Writes the unit to a temporary folder, with this checkout as the program's location. */
async function writeUnit(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'brevis-unit-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'brevis.service')
  await writeFile(file, unit.replaceAll('/opt/brevis', ROOT.replace(/\/$/, '')))
  return file
}

test('the unit runs the same command as npm start, with existing settings', () => {
  const [command = ''] = readUnitValues('ExecStart')
  const [program = ''] = /exec (bin\/.*)$/.exec(manifest.scripts.start)?.slice(1) ?? []
  expect(command).toBe(`/opt/brevis/${program}`)
  const names = readUnitValues('Environment').flatMap((line) =>
    line.split(' ').map((pair) => pair.split('=', 1)[0]),
  )
  const known = [...Object.keys(SETTINGS), 'NODE_ENV', 'NODE_COMPILE_CACHE']
  expect(known).toEqual(expect.arrayContaining(names))
  expect(names).toContain('DATA_DIR')
})

/**
 * Stands in for systemd-run, which needs a running systemd: resolves the program in the current
 * folder, and runs it in that of `--working-directory`.
 */
const SYSTEMD_RUN = `#!/bin/bash
while [[ $1 == --* ]]; do
  case $1 in
    --working-directory=*) folder=\${1#*=} ;;
    --setenv=*) export "\${1#*=}" ;;
  esac
  shift
done
program=$(realpath -e "$1") || exit 203
cd "$folder" && exec "$program" "\${@:2}"
`

test('the shell function of the guide works in any folder', async ({ folder }) => {
  const guide = await readFile(join(ROOT, 'docs/systemd.md'), 'utf8')
  const [definition = ''] = /^brevis\(\) \{$.*?^\}$/ms.exec(guide) ?? []
  const options = { mode: 0o755 }
  await writeFile(join(folder, 'sudo'), '#!/bin/sh\nexec "$@"\n', options)
  await writeFile(join(folder, 'systemd-run'), SYSTEMD_RUN, options)
  const brevis = definition.replaceAll('/opt/brevis', ROOT.replace(/\/$/, ''))
  const script = `export PATH="$PWD:$PATH"\n${brevis}\nbrevis --help`
  const { stdout } = await execute('bash', ['-c', script], { cwd: folder })
  expect(stdout).toContain('Usage: brevis')
})

test.skipIf(!hasSystemd)('systemd-analyze verify accepts the unit', async () => {
  const { stdout, stderr } = await execute('systemd-analyze', ['verify', await writeUnit()])
  expect([stdout, stderr]).toEqual(['', ''])
})

test.skipIf(!hasSystemd)('systemd-analyze security reports a low exposure', async () => {
  const { stdout } = await execute('systemd-analyze', [
    'security',
    '--offline=true',
    '--no-pager',
    await writeUnit(),
  ])
  const exposure = Number(/Overall exposure level for \S+ ([\d.]+)/.exec(stdout)?.[1])
  expect(exposure).toBeGreaterThan(0)
  expect(exposure).toBeLessThanOrEqual(MAX_EXPOSURE)
})

test('the command of the unit stops within 10 seconds and can restart after a kill', {
  timeout: TIMEOUT_MS,
}, async ({ start, dataDir }) => {
  const [program = '', ...args] = (readUnitValues('ExecStart')[0] ?? '')
    .replace('/opt/brevis/', ROOT)
    .split(' ')
  const env = await settings(dataDir, { DATABASE_URL: await emptyDatabase() })
  const startUntilReady = async () => {
    const service = await start({ command: [program, ...args], env })
    await service.waitUntilReady()
    return service
  }
  const killed = await startUntilReady()
  killed.signal('SIGKILL')
  // No exit code, which systemd treats as a failure that restarts the unit.
  expect(await killed.waitForExit()).toBe(null)
  expect(readUnitValues('Restart')).toEqual(['on-failure'])
  await killed.end()
  const restarted = await startUntilReady()
  expect((await fetch(`${restarted.origin}/health/ready`)).status).toBe(200)
  restarted.signal('SIGTERM')
  expect(await restarted.waitForExit()).toBe(0)
  expect(Number(readUnitValues('TimeoutStopSec')[0])).toBeGreaterThan(15)
})

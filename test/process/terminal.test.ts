import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, inject, test, vi } from 'vitest'
import { childEnvironment } from '../../src/config.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { freePort } from '../support/free-port.ts'
import { launch, type Service } from '../support/service.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const LONG = 90_000

let folder: string
let service: Service | undefined

afterEach(async () => {
  await service?.end()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

async function start(command: readonly [string, ...string[]]): Promise<Service> {
  folder = await mkdtemp(join(tmpdir(), 'brevis-terminal-'))
  const { PATH, HOME } = childEnvironment({})
  const env = {
    PATH,
    HOME,
    ...inject('compileCache'),
    DATABASE_URL: await emptyDatabase(),
    DATA_DIR: folder,
    PORT: String(await freePort()),
    LOG_LEVEL: 'debug',
    TERM: 'xterm',
  }
  service = await launch({ command, env })
  await service.ready()
  const { stdout } = service
  // The block of the first start is the last that the first process writes, a request of the worker's.
  await vi.waitUntil(() => stdout().includes('There is no account yet') && isRequest(stdout()))
  return service
}

function isRequest(text: string): boolean {
  return text.includes('request completed')
}

// util-linux's `script` runs a command on a terminal of its own; that of macOS takes other arguments.
// It needs terminals to give, which a bare chroot does not have.
test.runIf(process.platform === 'linux' && existsSync('/dev/pts/ptmx'))(
  'on a terminal every process writes for people, with colours and the local time',
  { timeout: LONG },
  async () => {
    const started = await start(['script', '-qec', `"${process.execPath}" "${MAIN}"`, '/dev/null'])
    const text = started.stdout()
    expect(text).toMatch(/\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\]/)
    expect(text).toContain('\u001b[32mINFO')
    expect(text).not.toContain('{"level"')
    started.signalAll('SIGTERM')
    await started.exited()
  },
)

test('piped, every line is JSON but for the block that the first start shows', {
  timeout: LONG,
}, async () => {
  const started = await start([process.execPath, MAIN])
  const [before = '', block = '', ...after] = started.stdout().split(/^─+$/m)
  expect(block).toContain('npx brevis account create')
  const lines = [before, ...after].join('').split('\n').filter(Boolean)
  expect(lines.length).toBeGreaterThan(1)
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty('level')
  started.signalAll('SIGTERM')
  await started.exited()
})

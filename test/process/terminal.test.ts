import { existsSync } from 'node:fs'
import { expect, vi } from 'vitest'
import { emptyDatabase } from '../support/empty-database.ts'
import { command, settings, startTest } from '../support/start-test.ts'

/** A `test` with `startFirstTime`, which starts the service with a new external database. */
const test = startTest().extend(
  'startFirstTime',
  ({ start, dataDir }) =>
    async (program: Command) => {
      const overrides = { DATABASE_URL: await emptyDatabase(), LOG_LEVEL: 'debug', TERM: 'xterm' }
      const service = await start({ command: program, env: await settings(dataDir, overrides) })
      await service.waitUntilReady()
      const { stdout } = service
      // The text of the first start is the last output of the primary process. The log line of a
      // request is the last output of the worker.
      await vi.waitUntil(() => stdout().includes('No accounts yet') && isRequest(stdout()), {
        timeout: 60_000,
      })
      return service
    },
)

type Command = readonly [string, ...string[]]

function isRequest(text: string): boolean {
  return text.includes('request completed')
}

// util-linux's `script` runs a command in a new terminal. On macOS it has other arguments.
// Minimal containers may have no terminals.
test.runIf(process.platform === 'linux' && existsSync('/dev/pts/ptmx'))(
  'log lines on a terminal are colored text with local times',
  async ({ startFirstTime }) => {
    const line = command.map((part) => `"${part}"`).join(' ')
    const service = await startFirstTime(['script', '-qec', line, '/dev/null'])
    const text = service.stdout()
    expect(text).toMatch(/\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\]/)
    expect(text).toContain('\u001b[32mINFO')
    expect(text).not.toContain('{"level"')
    service.signalAll('SIGTERM')
    await service.waitForExit()
  },
)

test('log lines in a pipe are JSON, except for the text of the first start', async ({
  startFirstTime,
}) => {
  const service = await startFirstTime(command)
  const [before = '', block = '', ...after] = service.stdout().split(/^─+$/m)
  expect(block).toContain('npx brevis account create')
  const lines = [before, ...after].join('').split('\n').filter(Boolean)
  expect(lines.length).toBeGreaterThan(1)
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty('level')
  service.signalAll('SIGTERM')
  await service.waitForExit()
})

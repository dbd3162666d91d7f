import { mkdtemp, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, vi } from 'vitest'
import { emptyDatabase } from '../support/empty-database.ts'
import { freePort } from '../support/free-port.ts'
import { command, expectTimelyExit, settings, startTest } from '../support/start-test.ts'

const test = startTest()

describe('with an external database,', () => {
  test('two concurrent starts both succeed', async ({ dataDir, start }) => {
    const DATABASE_URL = await emptyDatabase()
    const startOnDatabase = async (name: string) => {
      const overrides = { DATABASE_URL, DATA_DIR: join(dataDir, name) }
      return start({ command, env: await settings(dataDir, overrides) })
    }
    const [one, two] = await Promise.all([startOnDatabase('one'), startOnDatabase('two')])
    await Promise.all([one.waitUntilReady(), two.waitUntilReady()])
    // The command is printed after the service reports that it is ready.
    await vi.waitUntil(() => one.stdout().includes('npx brevis account create'), {
      timeout: 60_000,
    })
    expect(one.stdout()).not.toContain('brv_')
    for (const service of [one, two]) {
      service.signal('SIGTERM')
      await expectTimelyExit(service)
    }
  })

  test('settings are read from .env in the working directory', async ({ dataDir, start }) => {
    const cwd = await mkdtemp(join(dataDir, 'cwd-'))
    const PORT = await freePort()
    const lines = [`PORT=${PORT}`, `DATABASE_URL=${await emptyDatabase()}`, 'HOST=nowhere.invalid']
    await writeFile(join(cwd, '.env'), `# a comment\n${lines.join('\n')}\n`)
    const service = await start({ cwd, command, env: { HOST: '127.0.0.1' } })
    await vi.waitUntil(() => service.stdout().includes('Brevis is ready'), { timeout: 60_000 })
    const reply = await fetch(`http://127.0.0.1:${PORT}/health/ready`)
    expect(reply.status).toBe(200)
    service.signal('SIGTERM')
    await expectTimelyExit(service)
    expect((await stat(join(cwd, 'data', 'journal'))).isDirectory()).toBe(true)
  })
})

describe('startup rejects', () => {
  test.for<Record<string, string>>([
    { PORT: 'abc', WORKERS: '0', LOG_LEVEL: 'loud' },
    { TRUST_PROXY: '10.0.0.0/99', BASE_URL: 'brev.example' },
  ])('invalid settings by name: %j', async (invalidSettings, { dataDir, start }) => {
    const service = await start({ command, env: await settings(dataDir, invalidSettings) })
    expect(await service.waitForExit()).toBe(1)
    const lines = Object.entries(invalidSettings).map(
      ([name, value]) => `${name} [^\\n]*'${value}'[^\\n]*\\n`,
    )
    expect(service.stderr()).toMatch(new RegExp(`^brevis: ${lines.join('')}$`))
  })

  test('a taken port', async ({ dataDir, start }) => {
    const env = await settings(dataDir, { DATABASE_URL: await emptyDatabase() })
    const first = await start({ command, env })
    await first.waitUntilReady()
    const second = await start({ command, env: { ...env, DATA_DIR: join(dataDir, 'second') } })
    expect(await second.waitForExit()).toBe(1)
    expect(second.stderr()).toMatch(new RegExp(`^brevis: [^\\n]*127.0.0.1:${env.PORT}\\n$`))
    expect(await second.listProcesses()).toEqual([])
    first.signal('SIGTERM')
    await expectTimelyExit(first)
  })
})

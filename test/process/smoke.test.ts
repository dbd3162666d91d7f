import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, inject, vi } from 'vitest'
import { childEnvironment } from '../../src/config.ts'
import { runProcess } from '../support/command.ts'
import { postmasterPid } from '../support/embedded-postgres.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { freePort } from '../support/free-port.ts'
import { launch, type Service } from '../support/service.ts'
import { folderTest } from '../support/test.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
/** What `npm start` comes down to. */
const command = [process.execPath, MAIN] as const
/** A start makes a database cluster, and other tests run beside it. */
const LONG = 150_000
const ENDS_WITHIN = 10_000

const test = folderTest()
  /** The folder of data; it goes when nothing runs on it any more. */
  .extend('dataDir', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    // Root runs PostgreSQL as another user.
    await chmod(folder, 0o755)
    onCleanup(async () => {
      const pid = await postmasterPid(folder).catch(() => undefined)
      if (pid !== undefined) process.kill(pid, 'SIGQUIT')
      await vi.waitUntil(async () => !(await databaseRuns(folder)), { timeout: 20_000 })
    })
    return folder
  })

const services: Service[] = []

afterEach(async () => {
  for (const service of services.splice(0)) await service.end()
})

async function start({ env, ...more }: Parameters<typeof launch>[0]): Promise<Service> {
  const { PATH, HOME } = childEnvironment({})
  const service = await launch({ ...more, env: { PATH, HOME, ...inject('compileCache'), ...env } })
  services.push(service)
  return service
}

async function settings(
  folder: string,
  more: Record<string, string> = {},
): Promise<Record<string, string>> {
  return {
    DATA_DIR: folder,
    PORT: String(await freePort()),
    RATE_LIMIT_PER_MINUTE: '10000',
    ...more,
  }
}

async function databaseRuns(folder: string): Promise<boolean> {
  return stat(join(folder, 'postgres', 'postmaster.pid')).then(
    () => true,
    () => false,
  )
}

function within<T>(work: Promise<T>, milliseconds: number): Promise<T | 'too late'> {
  const late = new Promise<'too late'>((resolve) => {
    setTimeout(resolve, milliseconds, 'too late').unref()
  })
  return Promise.race([work, late])
}

/** Sends the signal and expects a clean end that leaves no process behind. */
async function stopsCleanly(folder: string, service: Service, send: () => unknown): Promise<void> {
  send()
  expect(await within(service.exited(), ENDS_WITHIN)).toBe(0)
  expect(await service.processes()).toEqual([])
  expect(await databaseRuns(folder)).toBe(false)
}

/** Warnings and worse: level 40 and up. */
function complaints(service: Service): string[] {
  const lines = service.stdout().split('\n')
  return lines.filter((line) => /^\{"level":[4-9]0,/.test(line))
}

describe('a start on an empty folder, and again', () => {
  let short: URL
  let key: string

  test('npm start makes no account when it cannot listen', { timeout: LONG }, async ({
    dataDir,
  }) => {
    const env = await settings(dataDir)
    const taken = createServer()
    taken.listen(Number(env.PORT), '127.0.0.1')
    await once(taken, 'listening')
    const service = await start({ env })
    expect(await service.exited()).toBe(1)
    taken.close()
    expect(service.stdout()).not.toContain('brv_')
    expect(service.stderr()).toContain(`127.0.0.1:${env.PORT}`)
    expect(await databaseRuns(dataDir)).toBe(false)
  })

  test('npm start makes a database, an account and a key, with a curl line that works', {
    timeout: LONG,
  }, async ({ dataDir }) => {
    const service = await start({ env: await settings(dataDir) })
    await service.ready()
    await vi.waitUntil(() => service.stdout().includes('curl -s'), { timeout: 5000 })
    expect(complaints(service)).toEqual([])
    expect(service.stderr()).toBe('')

    const shown = service.stdout()
    expect(shown).toContain(`Open      ${service.origin}/console  (API: ${service.origin}/docs)\n`)
    expect(shown).toContain(`Data      ${dataDir}\n`)
    expect(shown).toContain('Account   owner@example.com\n')
    expect(shown).toMatch(/^Password {2}[\w-]{16}$/m)
    expect(shown).toMatch(/^API key {3}brv_\w+$/m)

    const [curl = ''] = /^curl .*$/m.exec(service.stdout()) ?? []
    const { stdout } = await promisify(execFile)('bash', ['-c', curl])
    const made = JSON.parse(stdout)
    expect(made).toEqual({ error: 0, id: expect.any(Number), shorturl: expect.any(String) })
    short = new URL(made.shorturl)
    expect(short.origin).toBe(service.origin)

    const reply = await fetch(short, { redirect: 'manual' })
    expect(reply.status).toBe(302)
    expect(reply.headers.get('location')).toBe('https://example.com/')

    key = /Bearer (brv_\w+)/.exec(curl)?.[1] ?? ''
    await vi.waitUntil(async () => (await clicksOf(service, made.id)) === 1, { timeout: 20_000 })
    await stopsCleanly(dataDir, service, () => service.signal('SIGTERM'))
  })

  async function clicksOf(service: Service, id: number): Promise<number> {
    const headers = { authorization: `Bearer ${key}` }
    const reply = await fetch(`${service.origin}/api/url/${id}`, { headers })
    const { data } = (await reply.json()) as { data: { clicks: number } }
    return data.clicks
  }

  async function follows(service: Service): Promise<number> {
    const reply = await fetch(new URL(short.pathname, service.origin), { redirect: 'manual' })
    return reply.status
  }

  test('npm start keeps what there was and prints no key again; commands work beside it', {
    timeout: LONG,
  }, async ({ dataDir }) => {
    const env = await settings(dataDir)
    const service = await start({ env })
    await service.ready()
    expect(await follows(service)).toBe(302)
    expect(service.stdout()).not.toContain('brv_')

    const status = async () => {
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`${service.origin}/api/account`, { headers })).status
    }
    expect(await status()).toBe(200)
    const account = ['--email', 'owner@example.com', '--json']
    const suspended = await runProcess(['account', 'suspend', ...account], { env })
    expect(suspended).toMatchObject({ code: 0, stderr: '' })
    expect(await status()).toBe(403)
    await runProcess(['account', 'resume', ...account], { env })
    expect(await status()).toBe(200)

    await stopsCleanly(dataDir, service, () => service.signalAll('SIGINT'))
  })

  test('replaces a worker and the importer that are killed', { timeout: LONG }, async ({
    dataDir,
  }) => {
    const service = await start({ command, env: await settings(dataDir, { WORKERS: '2' }) })
    await service.ready()
    const pids = async (name: string) => {
      const all = await service.processes()
      return all.filter(({ file }) => file.endsWith(name)).map(({ pid }) => pid)
    }
    // One worker answers earlier; the end of another that never did would be a failed start.
    await vi.waitUntil(() => service.stdout().includes('Brevis is ready'), { timeout: 20_000 })
    const before = [...(await pids('worker.ts')), ...(await pids('importer.ts'))]
    expect(before).toHaveLength(3)
    for (const pid of before) process.kill(pid, 'SIGKILL')
    const isNew = (pid: number) => !before.includes(pid)
    await vi.waitUntil(
      async () =>
        (await pids('worker.ts')).filter(isNew).length === 2 &&
        (await pids('importer.ts')).filter(isNew).length === 1,
      { timeout: 20_000 },
    )
    await service.ready()
    expect(await follows(service)).toBe(302)
    await stopsCleanly(dataDir, service, () => service.signalAll('SIGTERM'))
  })

  test('starts again after everything but the database was killed', { timeout: LONG }, async ({
    dataDir,
  }) => {
    const killed = await start({ command, env: await settings(dataDir) })
    await killed.ready()
    expect(await follows(killed)).toBe(302)
    killed.signalAll('SIGKILL')
    await vi.waitUntil(async () => (await killed.processes()).length === 0, { timeout: 5000 })
    expect(await databaseRuns(dataDir)).toBe(true)
    const left = await postmasterPid(dataDir)

    const service = await start({ command, env: await settings(dataDir) })
    await service.ready()
    expect(await follows(service)).toBe(302)
    expect(await postmasterPid(dataDir)).toBe(left)
    await stopsCleanly(dataDir, service, () => service.signal('SIGTERM'))
  })

  test('takes over when the supervisor alone was killed', { timeout: LONG }, async ({
    dataDir,
  }) => {
    const env = await settings(dataDir)
    const orphaned = await start({ command, env })
    await orphaned.ready()
    const all = await orphaned.processes()
    const supervisor = all.find(({ file }) => file.endsWith('main.ts'))
    process.kill(supervisor?.pid ?? 0, 'SIGKILL')
    await vi.waitUntil(async () => (await orphaned.processes()).length === 0, { timeout: 5000 })

    const service = await start({ command, env })
    await service.ready()
    expect(await follows(service)).toBe(302)
    await stopsCleanly(dataDir, service, () => service.signal('SIGTERM'))
  })

  test('npm start stops also while it starts', { timeout: LONG }, async ({ dataDir }) => {
    const service = await start({ env: await settings(dataDir) })
    await vi.waitUntil(async () => databaseRuns(dataDir), { timeout: 60_000, interval: 20 })
    await stopsCleanly(dataDir, service, () => service.signal('SIGTERM'))
  })

  test('a command starts the database for the moment', { timeout: LONG }, async ({ dataDir }) => {
    const { code, stdout, stderr } = await runProcess(['account', 'list', '--json'], {
      env: { DATA_DIR: dataDir },
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout).accounts).toMatchObject([{ email: 'owner@example.com' }])
    expect(await databaseRuns(dataDir)).toBe(false)
  })
})

describe('with a database of the operator', () => {
  test('two that start on it at the same moment both come up', { timeout: LONG }, async ({
    dataDir,
  }) => {
    const DATABASE_URL = await emptyDatabase()
    const [one, two] = await Promise.all(
      ['one', 'two'].map(async (name) =>
        start({
          command,
          env: await settings(dataDir, { DATABASE_URL, DATA_DIR: join(dataDir, name) }),
        }),
      ),
    )
    await Promise.all([one?.ready(), two?.ready()])
    expect(one?.stdout()).toContain('npx brevis account create')
    expect(one?.stdout()).not.toContain('brv_')
    for (const service of [one, two]) {
      service?.signal('SIGTERM')
      expect(await within(service?.exited() ?? Promise.reject(), ENDS_WITHIN)).toBe(0)
    }
  })

  test('settings may stand in .env of the folder it runs in', { timeout: LONG }, async ({
    dataDir,
  }) => {
    const cwd = await mkdtemp(join(dataDir, 'cwd-'))
    const PORT = await freePort()
    const lines = [`PORT=${PORT}`, `DATABASE_URL=${await emptyDatabase()}`, 'HOST=nowhere.invalid']
    await writeFile(join(cwd, '.env'), `# a comment\n${lines.join('\n')}\n`)
    const service = await start({ cwd, command, env: { HOST: '127.0.0.1' } })
    await vi.waitUntil(() => service.stdout().includes('Brevis is ready'), { timeout: 60_000 })
    const reply = await fetch(`http://127.0.0.1:${PORT}/health/ready`)
    expect(reply.status).toBe(200)
    service.signal('SIGTERM')
    expect(await within(service.exited(), ENDS_WITHIN)).toBe(0)
    expect((await stat(join(cwd, 'data', 'journal'))).isDirectory()).toBe(true)
  })
})

describe('what stops a start', () => {
  test.for<Record<string, string>>([
    { PORT: 'abc', WORKERS: '0', LOG_LEVEL: 'loud' },
    { TRUST_PROXY: '10.0.0.0/99', BASE_URL: 'brev.example' },
  ])('%j, each of which is named', { timeout: LONG }, async (wrong, { dataDir }) => {
    const service = await start({ command, env: await settings(dataDir, wrong) })
    expect(await service.exited()).toBe(1)
    const lines = Object.entries(wrong).map(
      ([name, value]) => `${name} [^\\n]*'${value}'[^\\n]*\\n`,
    )
    expect(service.stderr()).toMatch(new RegExp(`^brevis: ${lines.join('')}$`))
  })

  test('a port that is taken', { timeout: LONG }, async ({ dataDir }) => {
    const env = await settings(dataDir, { DATABASE_URL: await emptyDatabase() })
    const first = await start({ command, env })
    await first.ready()
    const second = await start({ command, env: { ...env, DATA_DIR: join(dataDir, 'second') } })
    expect(await second.exited()).toBe(1)
    expect(second.stderr()).toMatch(new RegExp(`^brevis: [^\\n]*127.0.0.1:${env.PORT}\\n$`))
    expect(await second.processes()).toEqual([])
    first.signal('SIGTERM')
    expect(await within(first.exited(), ENDS_WITHIN)).toBe(0)
  })
})

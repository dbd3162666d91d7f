import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, vi } from 'vitest'
import { runProcess } from '../support/command.ts'
import { readPostmasterPid } from '../support/embedded-postgres.ts'
import type { Service } from '../support/service.ts'
import {
  command,
  expectCleanStop,
  isDatabaseRunning,
  settings,
  startTest,
} from '../support/start-test.ts'

const test = startTest()

/** Returns warnings and errors: level 40 and above. */
function warningLines(service: Service): string[] {
  const lines = service.stdout().split('\n')
  return lines.filter((line) => /^\{"level":[4-9]0,/.test(line))
}

describe('in a data folder that is empty at first,', () => {
  let short: URL
  let key: string

  test('npm start exits and creates no account if it cannot listen', async ({ dataDir, start }) => {
    const env = await settings(dataDir)
    const portHolder = createServer()
    portHolder.listen(Number(env.PORT), '127.0.0.1')
    await once(portHolder, 'listening')
    const service = await start({ env })
    expect(await service.waitForExit()).toBe(1)
    portHolder.close()
    expect(service.stdout()).not.toContain('brv_')
    expect(service.stderr()).toContain(`127.0.0.1:${env.PORT}`)
    expect(await isDatabaseRunning(dataDir)).toBe(false)
  })

  test('npm start creates a database, an account and a key, with a working curl command', async ({
    dataDir,
    start,
  }) => {
    const service = await start({ env: await settings(dataDir) })
    await service.waitUntilReady()
    await vi.waitUntil(() => service.stdout().includes('curl -s'), { timeout: 60_000 })
    expect(warningLines(service)).toEqual([])
    expect(service.stderr()).toBe('')

    const output = service.stdout()
    expect(output).toContain(`Open      ${service.origin}/console  (API: ${service.origin}/docs)\n`)
    expect(output).toContain(`Data      ${dataDir}\n`)
    expect(output).toContain('Account   owner@example.com\n')
    expect(output).toMatch(/^Password {2}[\w-]{16}$/m)
    expect(output).toMatch(/^API key {3}brv_\w+$/m)
    expect(output).toContain('newer table, set GEOIP_DB: docs/country-data.md\n')

    const [curl = ''] = /^curl .*$/m.exec(service.stdout()) ?? []
    const { stdout } = await promisify(execFile)('bash', ['-c', curl])
    const created = JSON.parse(stdout)
    expect(created).toEqual({ error: 0, id: expect.any(Number), shorturl: expect.any(String) })
    short = new URL(created.shorturl)
    expect(short.origin).toBe(service.origin)

    const reply = await fetch(short, { redirect: 'manual' })
    expect(reply.status).toBe(302)
    expect(reply.headers.get('location')).toBe('https://example.com/')

    key = /Bearer (brv_\w+)/.exec(curl)?.[1] ?? ''
    await vi.waitUntil(async () => (await readClicks(service, created.id)) === 1, {
      timeout: 60_000,
    })
    await expectCleanStop(dataDir, service, () => service.signal('SIGTERM'))
  })

  async function readClicks(service: Service, id: number): Promise<number> {
    const headers = { authorization: `Bearer ${key}` }
    const reply = await fetch(`${service.origin}/api/url/${id}`, { headers })
    const { data } = (await reply.json()) as { data: { clicks: number } }
    return data.clicks
  }

  async function visitShortUrl(service: Service): Promise<number> {
    const reply = await fetch(new URL(short.pathname, service.origin), { redirect: 'manual' })
    return reply.status
  }

  test('npm start keeps existing data and does not print the key again, and commands work meanwhile', async ({
    dataDir,
    start,
  }) => {
    const env = await settings(dataDir)
    const service = await start({ env })
    await service.waitUntilReady()
    expect(await visitShortUrl(service)).toBe(302)
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

    await expectCleanStop(dataDir, service, () => service.signalAll('SIGINT'))
  })

  test('the service restarts a killed worker and importer', async ({ dataDir, start }) => {
    const service = await start({ command, env: await settings(dataDir, { WORKERS: '2' }) })
    await service.waitUntilReady()
    const findPids = async (name: string) => {
      const all = await service.listProcesses()
      return all.filter(({ file }) => file.endsWith(name)).map(({ pid }) => pid)
    }
    // One worker may respond earlier than the others. Stopping during startup would count as a failed start.
    await vi.waitUntil(() => service.stdout().includes('Brevis is ready'), { timeout: 60_000 })
    const before = [...(await findPids('worker.ts')), ...(await findPids('importer.ts'))]
    expect(before).toHaveLength(3)
    for (const pid of before) process.kill(pid, 'SIGKILL')
    const isNew = (pid: number) => !before.includes(pid)
    await vi.waitUntil(
      async () =>
        (await findPids('worker.ts')).filter(isNew).length === 2 &&
        (await findPids('importer.ts')).filter(isNew).length === 1,
      { timeout: 60_000 },
    )
    await service.waitUntilReady()
    expect(await visitShortUrl(service)).toBe(302)
    await expectCleanStop(dataDir, service, () => service.signalAll('SIGTERM'))
  })

  test('npm start works after everything but the database was killed, and after only the supervisor was killed', async ({
    dataDir,
    start,
  }) => {
    const killed = await start({ command, env: await settings(dataDir) })
    await killed.waitUntilReady()
    expect(await visitShortUrl(killed)).toBe(302)
    killed.signalAll('SIGKILL')
    await vi.waitUntil(async () => (await killed.listProcesses()).length === 0, { timeout: 60_000 })
    expect(await isDatabaseRunning(dataDir)).toBe(true)
    const postmaster = await readPostmasterPid(dataDir)

    const env = await settings(dataDir)
    const orphaned = await start({ command, env })
    await orphaned.waitUntilReady()
    expect(await visitShortUrl(orphaned)).toBe(302)
    expect(await readPostmasterPid(dataDir)).toBe(postmaster)
    const all = await orphaned.listProcesses()
    const supervisor = all.find(({ file }) => file.endsWith('main.ts'))
    process.kill(supervisor?.pid ?? 0, 'SIGKILL')
    await vi.waitUntil(async () => (await orphaned.listProcesses()).length === 0, {
      timeout: 60_000,
    })

    const service = await start({ command, env })
    await service.waitUntilReady()
    expect(await visitShortUrl(service)).toBe(302)
    await expectCleanStop(dataDir, service, () => service.signal('SIGTERM'))
  })

  test('npm start can be stopped during startup', async ({ dataDir, start }) => {
    const service = await start({ env: await settings(dataDir) })
    await vi.waitUntil(async () => isDatabaseRunning(dataDir), { timeout: 60_000, interval: 20 })
    await expectCleanStop(dataDir, service, () => service.signal('SIGTERM'))
  })

  test('a command starts the database temporarily', async ({ dataDir }) => {
    const { code, stdout, stderr } = await runProcess(['account', 'list', '--json'], {
      env: { DATA_DIR: dataDir },
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout).accounts).toMatchObject([{ email: 'owner@example.com' }])
    expect(await isDatabaseRunning(dataDir)).toBe(false)
  })
})

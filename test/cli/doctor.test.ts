import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished } from 'vitest'
import { createWriterName, formatSegmentFile } from '../../src/clicks/journal/segment-name.ts'
import type { Finding } from '../../src/doctor/finding.ts'
import { runCommand, runProcess } from '../support/command.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { untilStoreComplete } from '../support/link-store.ts'
import { openMailServer } from '../support/mail-server.ts'
import { run } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'

const test = deploymentTest()
  .extend('folder', { scope: 'file' }, async () => {
    const folder = await mkdtemp(join(scratchFolder(), 'brevis-doctor-'))
    await mkdir(join(folder, 'data'), { mode: 0o700 })
    return folder
  })
  /** Returns the settings of an installation that has never run. */
  .extend('settings', { scope: 'file' }, ({ database, folder }) => (more = {}) => ({
    DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'data'),
    PORT: '1',
    BASE_URL: 'http://127.0.0.1:1',
    ...more,
  }))

/** Runs the command. `states` has the state of each check by its name. */
async function diagnose(env: Record<string, string>, runWith = runCommand) {
  const { code, stdout, stderr } = await runWith(['doctor', '--json'], { env })
  expect(stdout).toMatch(/^\{"findings":\[.*\]\}\n$/)
  const { findings }: { findings: Finding[] } = JSON.parse(stdout)
  const errors = findings.filter(({ state }) => state === 'error').length
  expect(code).toBe(errors > 0 ? 1 : 0)
  if (errors > 0) expect(stderr).toMatch(/^brevis: \d+ checks? failed\n$/)
  for (const { state, remedy } of findings) expect(remedy === null).toBe(state === 'ok')
  return {
    find: (name: string) => findings.find(({ check }) => check === name),
    states: Object.fromEntries(findings.map(({ check, state }) => [check, state])),
  }
}

describe('npx brevis doctor', () => {
  test('finds nothing wrong with a running installation', async ({ database, deployment }) => {
    const instance = await deployment.createInstance()
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: instance.dataDir,
      PORT: String(instance.port),
      BASE_URL: instance.origin,
    }
    await (await instance.launch({ BASE_URL: instance.origin })).waitUntilReady()
    await untilStoreComplete(instance)
    await expect
      .poll(async () => (await diagnose(env)).states['click journal'], { timeout: 60_000 })
      .toBe('ok')
    const { states, find } = await diagnose(env)
    expect(states).toEqual({
      settings: 'ok',
      'data folder': 'ok',
      'journal files': 'ok',
      database: 'ok',
      'database requirements': 'ok',
      writable: 'ok',
      migrations: 'ok',
      clock: 'ok',
      installation: 'ok',
      'click journal': 'ok',
      'link store': 'ok',
      service: 'ok',
      'base URL': 'ok',
      'proxy headers': 'ok',
      'TLS certificate': 'ok',
      mail: 'ok',
      // Depends on today's date.
      'country data': expect.stringMatching(/^(ok|warning)$/),
    })
    expect(find('database')?.detail).not.toContain(new URL(database.url).password)
    const lines = await runCommand(['doctor'], { env })
    expect(lines.code).toBe(0)
    expect(lines.stdout).toMatch(/\nok {7}data folder: \/[^\n]+ mode 700, [\d.]+ GiB free\n/)
  })

  test('reports a machine on which the service does not run', async ({ settings }) => {
    const { find, states } = await diagnose(settings())
    expect(states).toMatchObject({ database: 'ok', 'link store': 'warning', service: 'warning' })
    expect(find('base URL')).toMatchObject({
      state: 'error',
      detail: expect.stringContaining('http://127.0.0.1:1 cannot be reached'),
    })
  })

  test('reports an unreachable, an unsuitable and an empty database', async ({ settings }) => {
    const unreachable = 'postgres://brevis:secret@127.0.0.1:1/brevis'
    const { find } = await diagnose(settings({ DATABASE_URL: unreachable }))
    expect(find('database')).toMatchObject({
      state: 'error',
      detail: expect.stringContaining('postgres://brevis@127.0.0.1:1/brevis (DATABASE_URL): '),
    })
    const latin = await emptyDatabase(`encoding 'LATIN1' locale 'C' locale_provider libc`)
    const unsuitable = await diagnose(settings({ DATABASE_URL: latin }))
    expect(unsuitable.find('database requirements')).toMatchObject({
      state: 'error',
      detail: expect.stringContaining('Brevis requires UTF-8'),
    })
    // What was not examined is not reported as right.
    expect(unsuitable.states).not.toHaveProperty('migrations')
    expect(unsuitable.states).not.toHaveProperty('installation')
    const empty = await diagnose(settings({ DATABASE_URL: await emptyDatabase() }))
    expect(empty.find('migrations')).toMatchObject({
      state: 'error',
      detail: expect.stringContaining('pending: 0001-schema'),
    })
  })

  test('reports a read-only database', async ({ database, settings }) => {
    const name = new URL(database.url).pathname.slice(1)
    await run(database.url, [`alter database ${name} set default_transaction_read_only = on`])
    onTestFinished(() =>
      run(database.url, [
        'set default_transaction_read_only = off',
        `alter database ${name} reset default_transaction_read_only`,
      ]),
    )
    expect((await diagnose(settings())).find('writable')).toMatchObject({
      state: 'error',
      detail: 'the database is read-only',
    })
  })

  test('reports a missing folder, and files of another installation', async ({
    folder,
    settings,
  }) => {
    const missing = await diagnose(settings({ DATA_DIR: join(folder, 'missing') }))
    expect(missing.states['data folder']).toBe('error')
    await writeFile(join(folder, 'file'), '')
    const file = await diagnose(settings({ DATA_DIR: join(folder, 'file') }))
    expect(file.find('data folder')?.detail).toMatch(/file is a file, not a folder\. Move it/)
    const journal = join(folder, 'foreign', 'journal')
    await mkdir(journal, { recursive: true, mode: 0o755 })
    await writeFile(join(journal, 'installation'), '0123456789ab elsewhere\n')
    const { find, states } = await diagnose(settings({ DATA_DIR: join(folder, 'foreign') }))
    expect(states['data folder']).toBe('warning')
    expect(find('installation')).toMatchObject({
      state: 'error',
      detail: expect.stringContaining('the click journal 0123456789ab'),
    })
  })

  test('reports invalid settings', async ({ settings }) => {
    const env = settings({ PORT: 'http', WORKERS: 'many' })
    const { find, states } = await diagnose(env)
    expect(find('settings')).toMatchObject({
      state: 'error',
      detail: expect.stringMatching(/^PORT must [^;]+; WORKERS must [^;]+$/),
    })
    expect(Object.keys(states)).toEqual(['settings'])
    const lines = await runCommand(['doctor'], { env })
    expect([lines.code, lines.stderr]).toEqual([1, 'brevis: 1 check failed\n'])
    expect(lines.stdout).toMatch(
      /^error {4}settings: PORT must .+\n {9}Correct the settings\..+\n$/,
    )
  })

  test('reports a journal that cannot be read', async ({ folder, settings }) => {
    const journal = join(folder, 'unreadable', 'journal')
    await mkdir(journal, { recursive: true })
    await writeFile(join(journal, 'damaged'), '')
    const env = settings({ DATA_DIR: join(folder, 'unreadable') })
    const problem = `${journal}/damaged cannot be read: ${journal}/damaged is a file, not a folder.`
    expect((await diagnose(env)).find('journal files')).toMatchObject({
      state: 'error',
      detail: expect.stringContaining(problem),
    })
    const { code, stderr } = await runCommand(['journal'], { env })
    expect(code).toBe(1)
    expect(stderr).toBe(`brevis: ${problem} Move it, or choose another DATA_DIR\n`)
  })

  test('reports misspelled settings, damaged journal files and a journal that cannot be written', async ({
    folder,
    settings,
  }) => {
    const damaged = join(folder, 'damaged', 'journal', 'damaged')
    await mkdir(damaged, { recursive: true })
    await writeFile(join(damaged, formatSegmentFile(createWriterName(), 1)), 'damage')
    await writeFile(join(folder, 'damaged', 'store'), '')
    const env = settings({ DATA_DIR: join(folder, 'damaged'), BASEURL: 'http://brev.test' })
    const { find } = await diagnose(env, runProcess)
    expect(find('settings')).toMatchObject({
      state: 'warning',
      detail: 'BASEURL is not a setting: did you mean BASE_URL?',
    })
    expect(find('journal files')).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/^1 in .*journal is damaged and set aside$/),
    })
    expect(find('data folder')).toMatchObject({
      state: 'error',
      detail: expect.stringMatching(/store cannot be written: /),
    })
  })

  test('reports a proxy without TRUST_PROXY and its untrusted certificate', async ({
    folder,
    settings,
  }) => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const files = ['-keyout', key, '-out', cert]
    const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30']
    execFileSync('openssl', ['req', ...options, ...subject, ...files], { stdio: 'pipe' })
    const pair = { key: await readFile(key), cert: await readFile(cert) }
    const server = createServer(pair, (_request, reply) => reply.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(async () => void server.close())
    const baseUrl = `https://localhost:${(server.address() as AddressInfo).port}`
    const { find } = await diagnose(settings({ BASE_URL: baseUrl }))
    expect(find('TLS certificate')).toMatchObject({
      state: 'error',
      detail: expect.stringContaining('SELF_SIGNED'),
    })
    expect(find('proxy headers')).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('TRUST_PROXY is empty'),
    })
  })

  test('signs in to the mail server', async ({ settings }) => {
    const server = await openMailServer()
    onTestFinished(server.close)
    const mail = { MAIL_FROM: 'Brevis <brevis@example.com>', SMTP_URL: server.url }
    expect((await diagnose(settings(mail))).states.mail).toBe('ok')
    expect(server.received).toEqual([])
    const away = { ...mail, SMTP_URL: 'smtp://me:secret@127.0.0.1:1' }
    expect((await diagnose(settings(away))).find('mail')).toMatchObject({
      state: 'error',
      detail: "The mail server can't be reached (ESOCKET).",
    })
  })
})

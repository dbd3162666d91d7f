import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmbedded } from '../../src/embedded-postgres/embedded-postgres.ts'
import { chooseSizes } from '../../src/memory-sizes.ts'
import {
  createClusterFolder,
  createDataFolder,
  query,
  start,
  startProcess,
} from '../support/embedded-postgres.ts'

describe('startEmbedded', () => {
  test('on the first start, creates a UTF-8 database with a password, for this machine only', async () => {
    const dataDir = await createDataFolder()
    const lines: string[] = []
    const { url, started } = await start(dataDir, { log: (line) => lines.push(line) })

    expect(started).toBe(true)
    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect(lines).toEqual([
      expect.stringContaining('creating the embedded PostgreSQL'),
      'starting the embedded PostgreSQL',
    ])
    const [database] = await query(
      url,
      `SELECT datname, pg_encoding_to_char(encoding) AS encoding, datlocprovider, datlocale
       FROM pg_database WHERE datname = current_database()`,
    )
    expect(database).toEqual({
      datname: 'brevis',
      encoding: 'UTF8',
      datlocprovider: 'b',
      datlocale: 'C.UTF-8',
    })
    expect(await query(url, "SELECT upper('é') AS upper")).toEqual([{ upper: 'É' }])
    expect(await readSettings(url)).toEqual({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      shared_buffers: `${chooseSizes().sharedBuffersMib}MB`,
      max_wal_size: '4GB',
      max_connections: '200',
      password_encryption: 'scram-sha-256',
      fsync: 'off',
    })

    const urlWithWrongPassword = new URL(url)
    urlWithWrongPassword.password = 'wrong'
    await expect(query(urlWithWrongPassword.href, 'SELECT 1')).rejects.toMatchObject({
      code: '28P01',
    })
    const { mode } = await stat(join(dataDir, 'postgres', 'brevis.json'))
    expect(mode & 0o777).toBe(0o600)
  })

  test('on later starts, keeps data, password and port', async () => {
    const dataDir = await createClusterFolder()
    const first = await start(dataDir)
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n')
    await first.stop()
    await expect(query(first.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })

    const second = await start(dataDir)
    expect(second).toMatchObject({ url: first.url, started: true })
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
  })

  test('on later starts, uses another port if the old one is taken', async () => {
    const dataDir = await createClusterFolder()
    const first = await start(dataDir)
    await first.stop()
    const other = createServer().listen(Number(new URL(first.url).port), '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())

    const second = await start(dataDir)
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port)
    expect(await query(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
  })

  test('rotates a large log', async () => {
    const dataDir = await createClusterFolder()
    const log = join(dataDir, 'postgres.log')
    await writeFile(log, Buffer.alloc(11 * 1024 * 1024, 'x'))
    await start(dataDir)

    expect((await stat(`${log}.1`)).size).toBe(11 * 1024 * 1024)
    expect(await readFile(log, 'utf8')).toContain('ready to accept connections')
  })
})

describe('processes that share a data folder', () => {
  test('use the running server, and leave it running when they stop', async () => {
    const dataDir = await createClusterFolder()
    const { url } = await start(dataDir)
    const other = await startProcess(dataDir)

    expect(other).toMatchObject({ url, started: false })
    await other.endProcess()
    expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
  })

  test('stop the server when the last of them stops', async () => {
    const dataDir = await createClusterFolder()
    const first = await start(dataDir)
    const second = await start(dataDir)

    await first.stop()
    expect(await query(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    await second.stop()
    await expect(query(second.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('do not stop a server with other clients', async () => {
    const { url, stop } = await start(await createClusterFolder())
    const client = new Client(url)
    await client.connect()
    await stop()

    expect((await client.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }])
    await client.end()
  })

  test('stop only a server that they started, with onlyIfStarted', async () => {
    const dataDir = await createClusterFolder()
    const starter = await startProcess(dataDir)
    starter.kill()
    const found = await start(dataDir)
    await found.stop({ onlyIfStarted: true })
    expect(await query(found.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    await (await start(dataDir)).stop()

    const started = await start(dataDir)
    await started.stop({ onlyIfStarted: true })
    await expect(query(started.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('can stop twice', async () => {
    const { stop } = await start(await createClusterFolder())
    await Promise.all([stop(), stop()])
    await stop()
  })

  test('create one cluster if they start concurrently in an empty folder', async () => {
    const dataDir = await createDataFolder()
    const [one, two] = await Promise.all([startProcess(dataDir), startProcess(dataDir)])

    expect(one.url).toBe(two.url)
    expect([one.started, two.started].sort()).toEqual([false, true])
    expect(await query(one.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    await Promise.all([one.endProcess(), two.endProcess()])
    await expect(query(one.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('startEmbedded rejects', () => {
  test('data of another major version', async () => {
    const dataDir = await createDataFolder()
    await mkdir(join(dataDir, 'postgres'))
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n')
    await expect(startEmbedded(dataDir)).rejects.toThrow(/written by PostgreSQL 17.*DATABASE_URL/)
  })

  test('a folder with other content', async () => {
    const dataDir = await createDataFolder()
    await mkdir(join(dataDir, 'postgres'))
    await writeFile(join(dataDir, 'postgres', 'letter.txt'), 'Dear Sir')
    await expect(startEmbedded(dataDir)).rejects.toThrow('does not contain a PostgreSQL cluster')
    expect(await readdir(join(dataDir, 'postgres'))).toEqual(['letter.txt'])
  })

  test('a cluster whose password is lost', async () => {
    const dataDir = await createClusterFolder()
    const { stop } = await start(dataDir)
    await stop()
    await writeFile(join(dataDir, 'postgres', 'brevis.json'), '{"port":1')
    await expect(startEmbedded(dataDir)).rejects.toThrow('does not contain the password')
  })

  test("a server that fails to start, quoting PostgreSQL's error", async () => {
    const dataDir = await createClusterFolder()
    await expect(start(dataDir, { settings: { shared_buffers: 'much' } })).rejects.toThrow(
      /did not start:\n[\s\S]*invalid value for parameter "shared_buffers": "much"/,
    )
    expect(await start(dataDir)).toMatchObject({ started: true })
  })
})

async function readSettings(url: string): Promise<Record<string, unknown>> {
  const rows = await query(
    url,
    `SELECT name, current_setting(name) AS value FROM pg_settings
     WHERE name IN ('listen_addresses', 'unix_socket_directories', 'shared_buffers',
       'max_wal_size', 'max_connections', 'password_encryption', 'fsync')`,
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

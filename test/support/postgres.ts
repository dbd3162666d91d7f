import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { createChildEnvironment, readConfig } from '../../src/config.ts'
import { withClient } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startEmbedded } from '../../src/embedded-postgres/embedded-postgres.ts'
import { scratchFolder } from './scratch.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests may create databases. */
    serverUrl: string
    /** A migrated database on that server, cloned for each test file. */
    template: string
    /** The options of `create database` for cloning it. */
    cloning: string
    /** The worker nodes of a cluster with `TEST_CLUSTER=1`, otherwise none. */
    workers: string[]
  }
}

type Server = { url: string; cloning?: string; stop(): Promise<void> }

/** Before all tests: finds or starts a PostgreSQL server and creates the template. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await findServer()
  const { TEST_CLUSTER: cluster } = createChildEnvironment({})
  const workers = cluster === '1' ? await findWorkers(server.url) : []
  const template = `brevis_template_${process.pid}`
  await run(server.url, [`create database ${template}`])
  await migrate(databaseUrlOf(server.url, template))
  project.provide('serverUrl', server.url)
  project.provide('template', template)
  project.provide('cloning', server.cloning ?? '')
  project.provide('workers', workers)
  return async () => {
    for (const url of [server.url, ...workers]) {
      await run(url, await listDropStatements(url, template)).catch(() => {})
    }
    await server.stop()
  }
}

/**
 * Returns `DATABASE_URL` if set, else a container if Docker is available, else the embedded server.
 */
async function findServer(): Promise<Server> {
  const { databaseUrl } = readConfig()
  if (databaseUrl) return { url: databaseUrl, stop: async () => {} }
  if (await isDockerAvailable()) {
    const { PostgreSqlContainer } = await import('@testcontainers/postgresql')
    const container = await new PostgreSqlContainer('postgres:18-alpine').start()
    return { url: container.getConnectionUri(), stop: async () => void (await container.stop()) }
  }
  const folder = await mkdtemp(join(scratchFolder(), 'brevis-test-'))
  // If root runs the tests, PostgreSQL runs as another user, who must be able to read the folder.
  await chmod(folder, 0o755)
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    // The folder may be in memory.
    max_wal_size: '512MB',
  }
  const server = await startEmbedded(folder, { settings })
  await allowPlainPasswords(server.url, folder)
  const stop = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  // Copying files takes a third of the time of copying through the WAL, if the server does not wait
  // for the disk (fsync).
  return { url: server.url, cloning: 'strategy file_copy', stop }
}

/**
 * Thousands of local connections are opened, so passwords are sent in clear text, which takes the
 * client 1.4 ms of processor time instead of 6.7. The server verifies them against a hash with a
 * single iteration.
 */
async function allowPlainPasswords(url: string, folder: string): Promise<void> {
  const access = join(folder, 'postgres', 'pg_hba.conf')
  const lines = await readFile(access, 'utf8')
  await writeFile(access, lines.replaceAll(/scram-sha-256$/gm, 'password'))
  const { username, password } = new URL(url)
  await run(url, [
    'set scram_iterations = 1',
    `alter role ${username} password '${password}'`,
    'select pg_reload_conf()',
  ])
}

/** Returns the worker nodes of the server's cluster. */
async function findWorkers(serverUrl: string): Promise<string[]> {
  try {
    return await withClient({ url: serverUrl, name: 'test' }, async (client) => {
      const { rows } = await client.query<{ name: string; port: number }>(
        `select nodename as name, nodeport as port from pg_dist_node
         where noderole = 'primary' and groupid <> 0 and isactive order by 1, 2`,
      )
      if (rows.length === 0) throw new Error('the cluster has no worker nodes')
      return rows.map(({ name, port }) => {
        const url = new URL(serverUrl)
        url.hostname = name
        url.port = String(port)
        return url.href
      })
    })
  } catch (cause) {
    throw new Error('TEST_CLUSTER=1 needs DATABASE_URL to name a database of a Citus cluster', {
      cause,
    })
  }
}

async function isDockerAvailable(): Promise<boolean> {
  try {
    await promisify(execFile)('docker', ['info'], { timeout: 5000 })
    return true
  } catch {
    return false
  }
}

/** Returns statements that drop the template and clones that tests did not drop. */
async function listDropStatements(url: string, template: string): Promise<string[]> {
  return withClient({ url, name: 'test' }, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where datname like $1',
      [`${template}%`],
    )
    return rows.map(({ datname }) => `drop database ${datname} with (force)`)
  })
}

/** Returns the URL of a database on a server. */
export function databaseUrlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Runs statements on a new connection. */
export async function run(url: string, statements: readonly string[]): Promise<void> {
  await withClient({ url, name: 'test' }, async (client) => {
    for (const statement of statements) await client.query(statement)
  })
}

import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openSqlite } from '../../src/links/store/sqlite.ts'
import { readMeta, type StoreMeta } from '../../src/links/store/store-file.ts'
import type { Deployment } from '../support/deployment.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { expectSameStore, untilStoreComplete } from '../support/link-store.ts'
import { signal, until } from '../support/processes.ts'

const timeout = 240_000
const MANY = 30_000

const test = deploymentTest().extend('instance', async ({ deployment }) => {
  const instance = await deployment.createInstance()
  await instance.start()
  await untilStoreComplete(instance)
  return instance
})

test('a store that follows many links at once continues where its importer was killed', {
  timeout,
}, async ({ deployment, database, instance }) => {
  const before = await readStore(instance)
  await insertLinks(deployment, 'killed')
  const partial = await untilWithinPass(instance)
  expect(partial.links).toBeGreaterThan(before.links)
  expect(partial.links).toBeLessThan(before.links + MANY)
  signal(await instance.waitForProcess('importer.ts'), 'SIGKILL')
  const { links, position, path } = await readStore(instance)
  expect(await readMetric(instance, 'brevis_link_store_links')).toBeGreaterThanOrEqual(links)
  await until('the store has advanced', async () => (await readStore(instance)).links > links)
  const continued = await readStore(instance)
  expect(continued.path).toBe(path)
  expect(continued.position.split(' ')[1] ?? continued.position).toBe(position.split(' ')[1])
  await expectSameStore(instance, database.url)
  expect((await readStore(instance)).links).toBe(before.links + MANY)
  expect(await readMetric(instance, 'brevis_link_store_links')).toBe(before.links + MANY)
})

test('a store that is being built continues where its importer was killed', {
  timeout,
}, async ({ deployment, database, instance }) => {
  await insertLinks(deployment, 'built')
  await expectSameStore(instance, database.url)
  const before = await readStore(instance)
  await rm(join(instance.dataDir, 'store'), { recursive: true })
  await until(
    'the store is being built',
    async () => {
      const store = await readStore(instance).catch(() => before)
      return store.path !== before.path && store.links > 0
    },
    { intervalMs: 5 },
  )
  signal(await instance.waitForProcess('importer.ts'), 'SIGKILL')
  const partial = await readStore(instance)
  expect(partial.copied).not.toBe('')
  expect(partial.links).toBeLessThan(before.links)
  await until('the build continues', async () => (await readStore(instance)).links > partial.links)
  expect((await readStore(instance)).path).toBe(partial.path)
  await expectSameStore(instance, database.url)
  expect(await readStore(instance)).toMatchObject({ path: partial.path, links: before.links })
})

test('a store that is deleted while it follows many links is replaced before it has all', {
  timeout,
}, async ({ deployment, database, instance }) => {
  await insertLinks(deployment, 'deleted')
  const { path } = await untilWithinPass(instance)
  const deleted = openSqlite(path, { readOnly: true })
  // Opens the log, which is deleted with the store.
  readMeta(deleted)
  await rm(join(instance.dataDir, 'store'), { recursive: true })
  await until('the store is replaced', async () => {
    const found = await findStoreFile(instance)
    return found !== undefined && found !== path
  })
  expect(readMeta(deleted).position).toContain(' ')
  deleted.close()
  await expectSameStore(instance, database.url)
})

test('a store that was damaged during a crash is found and replaced', { timeout }, async ({
  deployment,
  database,
  instance,
}) => {
  const path = (await findStoreFile(instance)) ?? ''
  await instance.kill()
  await damageTable(path, 'link')
  await instance.start()
  await until('the store is replaced', async () => (await findStoreFile(instance)) !== path)
  await expectSameStore(instance, database.url)
  for (const alias of deployment.aliases) {
    expect(await send(`${instance.origin}/${alias}`)).toMatchObject({ status: 302 })
  }
})

async function insertLinks({ owner, database }: Deployment, prefix: string): Promise<void> {
  await database.pool.query(
    `insert into links (account_id, alias, url)
     select $1::bigint, $2 || '-' || n, 'https://example.com/' || n from generate_series(1, $3) n`,
    [owner.account.id, prefix, MANY],
  )
}

/** Waits until a store has some of many changes, and returns its state. */
async function untilWithinPass(instance: Instance) {
  let state: Awaited<ReturnType<typeof readStore>> | undefined
  await until(
    'the store is catching up',
    async () => {
      state = await readStore(instance)
      return state.position.includes(' ')
    },
    { intervalMs: 5 },
  )
  return state as NonNullable<typeof state>
}

async function readStore(instance: Instance): Promise<StoreMeta & { path: string }> {
  const path = (await findStoreFile(instance)) ?? ''
  const db = openSqlite(path, { readOnly: true, timeoutMs: 1000 })
  try {
    return { ...readMeta(db), path }
  } finally {
    db.close()
  }
}

async function findStoreFile({ dataDir }: Instance): Promise<string | undefined> {
  const folder = join(dataDir, 'store')
  const files = await readdir(folder).catch(() => [])
  const name = files.find((file) => /^links-\w+\.db$/.test(file))
  return name && join(folder, name)
}

async function readMetric({ origin }: Instance, name: string): Promise<number> {
  const { body } = await send(`${origin}/metrics`)
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body)?.[1])
}

/** Overwrites the first page of a table, after moving all pages from the log to the file. */
async function damageTable(path: string, table: string): Promise<void> {
  const db = openSqlite(path)
  db.exec('pragma wal_checkpoint(truncate)')
  const { page } = db
    .prepare('select rootpage as page from sqlite_schema where name = ?')
    .get(table) as { page: number }
  const { page_size: size } = db.prepare('pragma page_size').get() as { page_size: number }
  db.close()
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(size, 0xff), 0, size, (page - 1) * size)
  await file.close()
}

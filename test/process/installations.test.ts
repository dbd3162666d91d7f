import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject } from 'vitest'
import { backUp } from '../../src/backup/back-up.ts'
import { restore } from '../../src/backup/restore.ts'
import { withClient } from '../../src/db/client.ts'
import { getInstallationId } from '../../src/db/installation-id.ts'
import { createDeployment, type Deployment } from '../support/deployment.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { countClicks, expectClicks } from '../support/every-visit.ts'
import { send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { run } from '../support/postgres.ts'
import { signal, until } from '../support/processes.ts'

const test = deploymentTest()
  /** Another installation, whose links have the same ids. */
  .extend('other', { scope: 'file' }, async ({ openDatabase }, { onCleanup }) => {
    const { url, close } = await openDatabase()
    const other = await createDeployment(url, { isMigrated: true })
    onCleanup(async () => {
      await other.close()
      await close()
    })
    return other
  })

describe('clicks that wait in a journal', () => {
  test('are neither imported nor deleted by another installation, and then counted by their own', async ({
    deployment,
    other,
  }) => {
    const instance = await deployment.createInstance()
    const before = await countClicks(deployment)
    const clicks = await leaveClicks(deployment, instance)
    const files = listSegments(instance)
    // Earlier versions did not name the installation in the journal, but in the link store.
    rmSync(join(instance.dataDir, 'journal', 'installation'))
    await instance.launch({ DATABASE_URL: urlOf(other) })
    await untilRefused(instance)
    for (const path of ['health/redirects', deployment.aliases[0], 'api/urls', '']) {
      const { status, headers } = await send(`${instance.origin}/${path}`)
      expect([status, headers['x-request-id']]).toEqual([503, expect.stringMatching(/^[\w-]{12}$/)])
    }
    const { body } = await send(`${instance.origin}/health/ready`)
    const [ownId, otherId] = [deployment, other].map(idOf)
    expect(JSON.parse(body).reason).toMatch(
      new RegExp(
        `belong to installation ${ownId}\\b.* is installation ${otherId}\\. .*DATABASE_URL`,
      ),
    )
    expect(instance.log.filter(({ msg }) => msg.includes(`${otherId}`))).toHaveLength(1)
    expect(await instance.stop()).toBe(0)
    expect(listSegments(instance)).toEqual(files)
    expect(await countClicks(other)).toBe(0)
    await instance.start()
    await expectClicks(deployment, before + clicks)
    expect(existsSync(join(instance.dataDir, 'journal', 'installation'))).toBe(true)
    expect(await instance.stop()).toBe(0)
  })

  test('are counted by a database into which a backup was restored', async ({ deployment }) => {
    const instance = await deployment.createInstance()
    const file = join(instance.dataDir, '..', 'backup.tar.zst')
    const before = await countClicks(deployment)
    await backUp({ databaseUrl: urlOf(deployment), file, now: new Date() })
    const clicks = await leaveClicks(deployment, instance)
    const databaseUrl = await emptyDatabase()
    await restore({ databaseUrl, file })
    await instance.launch({ DATABASE_URL: databaseUrl })
    await instance.ready()
    await until('the clicks are counted', async () => {
      return (await readClicks(databaseUrl)) === before + clicks
    })
    expect(await instance.stop()).toBe(0)
  })
})

test('a database that replaces another while the service runs receives no clicks and no changes', async ({
  deployment,
  other,
}) => {
  const instance = await deployment.createInstance()
  await instance.start()
  const before = await countClicks(deployment)
  await visitAll(deployment, instance)
  await expectClicks(deployment, before + deployment.aliases.length)
  const key = await copyKey(deployment, other)
  const stopAdding = addLinks(instance, key)
  const links = await countLinks(other)
  await swapDatabases(deployment, other)
  await untilRefused(instance)
  await untilImporterWaits(deployment)
  await stopAdding()
  await swapDatabases(deployment, other)
  expect(await countLinks(other)).toBe(links)
  await instance.ready()
  await visitAll(deployment, instance)
  await expectClicks(deployment, before + 2 * deployment.aliases.length)
  expect(await countClicks(other)).toBe(0)
  expect(await instance.stop()).toBe(0)
})

test('files of another installation that replace those of a running service are neither imported nor changed', async ({
  deployment,
  other,
}) => {
  const foreign = await other.createInstance()
  const otherBefore = await countClicks(other)
  const waiting = await leaveClicks(other, foreign)
  const instance = await deployment.createInstance()
  await instance.start()
  const before = await countClicks(deployment)
  await visitAll(deployment, instance)
  await expectClicks(deployment, before + deployment.aliases.length)
  const [own, away, theirs] = [instance.dataDir, `${instance.dataDir}-away`, foreign.dataDir]
  const files = listSegments(foreign)
  renameSync(own, away)
  renameSync(theirs, own)
  await until('the service is not ready', async () => {
    const { status, body } = await send(`${instance.origin}/health/ready`)
    return status === 503 && body.includes(`installation ${idOf(other)}`)
  })
  await until('the import fails', () =>
    instance.log.some(({ msg }) => msg.startsWith('clicks cannot be imported')),
  )
  await untilFileMissed(instance)
  expect((await send(`${instance.origin}/${deployment.aliases[0]}`)).status).toBe(302)
  expect(listSegments(instance)).toEqual(files)
  renameSync(own, theirs)
  renameSync(away, own)
  await instance.ready()
  await visitAll(deployment, instance)
  await expectClicks(deployment, before + 2 * deployment.aliases.length)
  expect(await instance.stop()).toBe(0)
  await foreign.start()
  await expectClicks(other, otherBefore + waiting)
  expect(await foreign.stop()).toBe(0)
})

test('a data folder that is deleted while the service runs is created again, and later clicks are counted once', async ({
  deployment,
}) => {
  const instance = await deployment.createInstance()
  await instance.start()
  const before = await countClicks(deployment)
  const { length } = deployment.aliases
  await visitAll(deployment, instance)
  await expectClicks(deployment, before + length)
  rmSync(instance.dataDir, { recursive: true })
  await untilFileMissed(instance)
  await visitAll(deployment, instance)
  await expectClicks(deployment, before + 2 * length)
  const importer = await instance.waitForProcess('importer.ts')
  signal(importer, 'SIGKILL')
  await until('the importer runs again', async () => {
    const [running = importer] = await instance.listPids('importer.ts')
    return running !== importer
  })
  await visitAll(deployment, instance)
  await expectClicks(deployment, before + 3 * length)
  await instance.ready()
  expect(await instance.stop()).toBe(0)
  expect(await countClicks(deployment)).toBe(before + 3 * length)
})

/** Visits every link with the importer stopped, and kills the instance. Returns the clicks. */
async function leaveClicks(deployment: Deployment, instance: Instance): Promise<number> {
  await instance.start()
  await until('the link store is complete', async () => {
    const { body } = await send(`${instance.origin}/metrics`)
    return body.includes('brevis_link_store_building 0')
  })
  signal(await instance.waitForProcess('importer.ts'), 'SIGSTOP')
  await visitAll(deployment, instance)
  await instance.kill()
  return deployment.aliases.length
}

async function visitAll({ aliases }: Deployment, { origin }: Instance): Promise<void> {
  for (const alias of aliases) expect((await send(`${origin}/${alias}`)).status).toBe(302)
}

async function untilFileMissed(instance: Instance): Promise<void> {
  await until('the worker misses its file', () =>
    instance.log.some(({ reason }) => `${reason}`.includes('a file was deleted or moved')),
  )
}

async function untilRefused({ origin }: Instance): Promise<void> {
  await until('the service refuses to serve', async () => {
    const reply = await send(`${origin}/health/ready`).catch(() => undefined)
    return reply?.status === 503 && reply.body.includes('installation')
  })
  expect((await send(`${origin}/health/live`)).status).toBe(200)
}

/** Waits until a restarted importer has found out to which installation a database belongs. */
async function untilImporterWaits(deployment: Deployment): Promise<void> {
  await until('the importer has found another installation', async () => {
    const { rows } = await deployment.database.pool.query(
      `select from pg_stat_activity where datname = $1 and application_name like '%importer%'
       and state = 'idle' and query like '%from "instance"%' and query like '%"visitor_key"%'`,
      [new URL(urlOf(deployment)).pathname.slice(1)],
    )
    return rows.length > 0
  })
}

function listSegments({ dataDir }: Instance): string[] {
  return readdirSync(join(dataDir, 'journal')).filter((name) => name.endsWith('.clicks'))
}

function idOf({ services }: Deployment): string {
  return getInstallationId(services.instance.token)
}

function urlOf({ services }: Deployment): string {
  return services.config.databaseUrl
}

/** Lets an API key of one installation also open the account of the same id of another. */
async function copyKey({ database, owner }: Deployment, other: Deployment): Promise<string> {
  const { rows } = await database.pool.query<{ prefix: string; hash: Buffer }>(
    'select prefix, hash from api_keys where account_id = $1',
    [owner.account.id],
  )
  await other.database.pool.query(
    'insert into api_keys (account_id, prefix, hash) values ($1, $2, $3) on conflict do nothing',
    [owner.account.id, rows[0]?.prefix, rows[0]?.hash],
  )
  return owner.key
}

/** Keeps adding links with several clients until the returned function is called. */
function addLinks({ origin }: Instance, key: string): () => Promise<void> {
  const headers = { authorization: `Bearer ${key}` }
  let isStopped = false
  const add = async () => {
    while (!isStopped) {
      const json = { url: 'https://example.com/' }
      await send(`${origin}/api/url/add`, { method: 'POST', headers, json }).catch(() => {})
    }
  }
  const clients = Array.from({ length: 4 }, add)
  return async () => {
    isStopped = true
    await Promise.all(clients)
  }
}

async function countLinks({ database }: Deployment): Promise<number> {
  const { rows } = await database.pool.query<{ links: number }>(
    'select count(*)::int as links from links',
  )
  return rows[0]?.links ?? 0
}

/** Gives each of two databases the name of the other, as if another one was restored under it. */
async function swapDatabases(...pair: [Deployment, Deployment]): Promise<void> {
  const [one = '', two = ''] = pair.map((deployment) =>
    new URL(urlOf(deployment)).pathname.slice(1),
  )
  const allow = (isAllowed: boolean) =>
    [one, two].map((name) => `alter database ${name} with allow_connections ${isAllowed}`)
  await run(inject('serverUrl'), [
    ...allow(false),
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname in ('${one}', '${two}')`,
    `alter database ${one} rename to ${one}_away`,
    `alter database ${two} rename to ${one}`,
    `alter database ${one}_away rename to ${two}`,
    ...allow(true),
  ])
}

async function readClicks(url: string): Promise<number> {
  return withClient({ url, name: 'test' }, async (client) => {
    const { rows } = await client.query<{ clicks: number }>(
      'select coalesce(sum(clicks), 0)::float8 as clicks from click_totals',
    )
    return rows[0]?.clicks ?? 0
  })
}

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect } from 'vitest'
import { findPostmaster } from '../../src/embedded-postgres/postmaster.ts'
import { tableHead } from '../support/accounting.ts'
import { faultRounds } from '../support/deployment.ts'
import { privateDeploymentTest } from '../support/deployment-test.ts'
import type { PrivatePostgres } from '../support/private-postgres.ts'
import { signal, until } from '../support/processes.ts'

const table: string[] = []
const timeout = 240_000 + faultRounds * 20_000

/** A `test` with the instances `one` and `two`, which share a data folder and its embedded database. */
const test = privateDeploymentTest()
  .extend('pair', { scope: 'file' }, async ({ deployment, postgres }) => {
    const createInstance = () => deployment.createInstance({ dataDir: postgres.folder, url: '' })
    const one = await createInstance()
    const two = await createInstance()
    await Promise.all([one.start(), two.start()])
    return { one, two }
  })
  .extend('one', { scope: 'file' }, ({ pair }) => pair.one)
  .extend('two', { scope: 'file' }, ({ pair }) => pair.two)

afterAll(() => console.log([tableHead, ...table].join('\n')))

describe('the embedded database is restarted without losing clicks', () => {
  test('while two instances share it', { timeout }, async ({ postgres, deployment, one, two }) => {
    const load = deployment.load((identity) =>
      deployment.target(identity % 2 ? one : two)(identity),
    )
    await load.waitForMore(200)
    await killMainProcess(postgres)
    await load.waitForMore(200)
    expect(await one.stop()).toBe(0)
    await killMainProcess(postgres)
    await two.ready()
    await load.stop()
    await deployment.waitUntilImported(load)
    table.push(await deployment.expectExactCounts(load, 'shared embedded database killed', 2))
  })

  test('while its main process is killed under load', { timeout }, async ({
    postgres,
    deployment,
    two,
  }) => {
    const load = deployment.load(deployment.target(two))
    for (let round = 0; round < faultRounds; round += 1) {
      await load.waitForMore(200)
      await sleep(Math.random() * 700)
      await killMainProcess(postgres)
    }
    await load.waitForMore(200)
    await load.stop()
    await deployment.waitUntilImported(load)
    expect(await two.stop()).toBe(0)
    table.push(await deployment.expectExactCounts(load, 'embedded database killed', faultRounds))
  })
})

test('an instance that stops right after its database was killed exits in time, and so does the database', {
  timeout,
}, async ({ postgres, deployment, one }) => {
  await one.start()
  const load = deployment.load(deployment.target(one))
  await load.waitForMore(100)
  await load.stop()
  signal(await postgres.readPid(), 'SIGKILL')
  // The shutdown is limited to ten seconds, after which the exit code would be 1.
  expect(await one.stop()).toBe(0)
  const postmaster = await findPostmaster(join(postgres.folder, 'postgres'))
  expect(postmaster).toBeUndefined()
  // Clicks not yet imported are left for the next start.
  await one.start()
  await deployment.waitUntilImported(load)
  await deployment.expectExactCounts(load, 'stopped without database', 1)
  expect(await one.stop()).toBe(0)
})

/** Kills the main process of PostgreSQL and waits until another has replaced it. */
async function killMainProcess(postgres: PrivatePostgres): Promise<void> {
  const pid = await postgres.readPid()
  signal(pid, 'SIGKILL')
  const isReplaced = async () => {
    const postmaster = await findPostmaster(join(postgres.folder, 'postgres'))
    return postmaster?.ready === true && postmaster.pid !== pid
  }
  await until('another server runs', isReplaced, { timeoutMs: 60_000 })
}

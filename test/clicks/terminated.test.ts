import { expect, onTestFinished } from 'vitest'
import { deploymentTest } from '../support/deployment-test.ts'
import { connect } from '../support/filled-database.ts'
import { isWaitingForLock } from '../support/lock-waits.ts'
import { signal, until } from '../support/processes.ts'

/** A `test` with a running `instance`. The last test stops it. */
const test = deploymentTest().extend('instance', { scope: 'file' }, async ({ deployment }) => {
  const instance = await deployment.createInstance()
  await instance.start()
  return instance
})

test.for([
  ['the importer', true],
  ['the service', false],
] as const)(
  'no click is counted twice if %s is stopped during an import',
  async ([, isImporterOnly], { database, deployment, instance }) => {
    const load = deployment.load(deployment.target(instance))
    await load.waitForMore(100)
    const lockingClient = await connect(database.url)
    onTestFinished(() => lockingClient.end())
    await lockingClient.query('begin')
    await lockingClient.query('lock table click_totals in access exclusive mode')
    await load.waitForMore(300)
    await until('an import is blocked', () => isWaitingForLock(lockingClient, 'brevis importer'))
    const importer = await instance.waitForProcess('importer.ts')
    if (isImporterOnly) {
      signal(importer, 'SIGTERM')
      await until('another importer runs', async () => {
        const pids = await instance.listPids('importer.ts')
        return pids.length > 0 && !pids.includes(importer)
      })
      await load.stop()
    } else {
      await load.stop()
      // Code 0 means that it shut down by itself, within ten seconds.
      expect(await instance.stop()).toBe(0)
    }
    await lockingClient.query('rollback')
    if (!isImporterOnly) await instance.start()
    await deployment.waitUntilImported(load)
    await deployment.expectExactCounts(load, 'importer terminated', 1)
    if (!isImporterOnly) expect(await instance.stop()).toBe(0)
  },
)

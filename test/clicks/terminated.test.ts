import { expect, onTestFinished, vi } from 'vitest'
import { connect } from '../support/filled-database.ts'
import { isWaitingForLock } from '../support/lock-waits.ts'
import { signal, until } from '../support/processes.ts'
import { worldTest } from '../support/world-test.ts'

vi.setConfig({ testTimeout: 120_000 })

/** The first test's service is stopped in the second. */
const test = worldTest().extend('product', { scope: 'file' }, async ({ world }) => {
  const product = await world.product()
  await product.start()
  return product
})

test.for([
  ['the importer', true],
  ['the service', false],
] as const)(
  'counts no click twice if %s is stopped during an import',
  async ([, isImporterOnly], { database, world, product }) => {
    const load = world.load(world.target(product))
    await load.waitForMore(100)
    const lockingClient = await connect(database.url)
    onTestFinished(() => lockingClient.end())
    await lockingClient.query('begin')
    await lockingClient.query('lock table click_totals in access exclusive mode')
    await load.waitForMore(300)
    await until('an import is blocked', () => isWaitingForLock(lockingClient, 'brevis importer'))
    const importer = await product.waitForProcess('importer.ts')
    if (isImporterOnly) {
      signal(importer, 'SIGTERM')
      await until('another importer runs', async () => {
        const pids = await product.processes('importer.ts')
        return pids.length > 0 && !pids.includes(importer)
      })
      await load.stop()
    } else {
      await load.stop()
      // Code 0 means that it shut down by itself, within ten seconds.
      expect(await product.stop()).toBe(0)
    }
    await lockingClient.query('rollback')
    if (!isImporterOnly) await product.start()
    await world.waitUntilImported(load)
    await world.settle(load, 'importer terminated', 1)
    if (!isImporterOnly) expect(await product.stop()).toBe(0)
  },
)

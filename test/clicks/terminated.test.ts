import { expect, onTestFinished, test, vi } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { connect } from '../support/filled-database.ts'
import { someoneWaits } from '../support/lock-waits.ts'
import { signal, until } from '../support/processes.ts'
import { createWorld } from '../support/world.ts'

vi.setConfig({ testTimeout: 120_000 })

test.each([
  ['the importer alone', true],
  ['the service', false],
])('%s that is told to stop in the middle of an import counts nothing twice', async (_, alone) => {
  const database = await testDatabase()
  onTestFinished(database.close)
  const world = await createWorld(database.url, { existing: true })
  onTestFinished(world.close)
  const product = await world.product()
  await product.start()
  const load = world.load(world.target(product))
  await load.more(100)
  const locker = await connect(database.url)
  onTestFinished(() => locker.end())
  await locker.query('begin')
  await locker.query('lock table click_totals in access exclusive mode')
  await load.more(300)
  await until('an import has begun and cannot end', () => someoneWaits(locker, 'brevis importer'))
  const importer = await product.processOf('importer.ts')
  if (alone) {
    signal(importer, 'SIGTERM')
    await until('another importer runs', async () => {
      const pids = await product.processes('importer.ts')
      return pids.length > 0 && !pids.includes(importer)
    })
    await load.stop()
  } else {
    await load.stop()
    // With a code of 0 it ended by itself, which it must do within ten seconds.
    expect(await product.stop()).toBe(0)
  }
  await locker.query('rollback')
  if (!alone) await product.start()
  await world.imported(load)
  await world.settle(load, 'importer terminated', 1)
  expect(await product.stop()).toBe(0)
})

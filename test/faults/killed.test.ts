import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { tableHead } from '../support/accounting.ts'
import { testDatabase } from '../support/database.ts'
import { signal, until } from '../support/processes.ts'
import type { Product } from '../support/product.ts'
import { createWorld, rounds } from '../support/world.ts'

const table: string[] = []
const timeout = 60_000 + rounds * 20_000

afterAll(() => console.log([tableHead, ...table].join('\n')))

describe('every acknowledged click is recorded exactly once under load', () => {
  test('while the whole server is killed and started again', { timeout }, async () => {
    await underLoad('server killed', async (product) => {
      await product.kill()
      await product.start()
    })
  })

  test('while the worker is killed', { timeout }, async () => {
    await underLoad('worker killed', async (product) => {
      const pid = await product.processOf('worker.ts')
      signal(pid, 'SIGKILL')
      await until('another worker runs', async () => {
        const pids = await product.processes('worker.ts')
        return pids.length > 0 && !pids.includes(pid)
      })
      await product.ready()
    })
  })

  test('while the importer is killed', { timeout }, async () => {
    await underLoad('importer killed', async (product) => {
      const pid = await product.processOf('importer.ts')
      signal(pid, 'SIGKILL')
      await until('another importer runs', async () => {
        const pids = await product.processes('importer.ts')
        return pids.length > 0 && !pids.includes(pid)
      })
    })
  })
})

/** Has `strike` happen again and again at random moments of a load, and then counts. */
async function underLoad(fault: string, strike: (product: Product) => Promise<void>) {
  const database = await testDatabase()
  const world = await createWorld(database.url, { existing: true })
  onTestFinished(async () => {
    await world.close()
    await database.close()
  })
  const product = await world.product()
  await product.start()
  const load = world.load(world.target(product))
  for (let round = 0; round < rounds; round += 1) {
    await load.more(200)
    await sleep(Math.random() * 700)
    await strike(product)
  }
  await load.more(200)
  await load.stop()
  await world.imported(load)
  expect(await product.stop()).toBe(0)
  table.push(await world.settle(load, fault, rounds))
}

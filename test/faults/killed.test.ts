import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect } from 'vitest'
import { tableHead } from '../support/accounting.ts'
import { signal, until } from '../support/processes.ts'
import { faultRounds } from '../support/world.ts'
import { worldTest } from '../support/world-test.ts'

const table: string[] = []
const timeout = 60_000 + faultRounds * 20_000

/** One service for all tests. It must survive every fault in turn. */
const test = worldTest()
  .extend('product', { scope: 'file' }, async ({ world }) => {
    const product = await world.product()
    await product.start()
    return product
  })
  /** Calls `injectFault` repeatedly at random moments under load, then compares the counts. */
  .extend(
    'underLoad',
    { scope: 'file' },
    ({ product, world }) =>
      async (
        fault: string,
        injectFault: () => Promise<void>,
        atEnd: () => Promise<void> = async () => {},
      ): Promise<void> => {
        await product.ready()
        const load = world.load(world.target(product))
        for (let round = 0; round < faultRounds; round += 1) {
          await load.waitForMore(200)
          await sleep(Math.random() * 700)
          await injectFault()
        }
        await load.waitForMore(200)
        await load.stop()
        await world.waitUntilImported(load)
        await atEnd()
        table.push(await world.settle(load, fault, faultRounds))
      },
  )

afterAll(() => console.log([tableHead, ...table].join('\n')))

describe('every acknowledged click is recorded exactly once under load', () => {
  test('while the whole server is killed and restarted', { timeout }, async ({
    product,
    underLoad,
  }) => {
    await underLoad('server killed', async () => {
      await product.kill()
      await product.start()
    })
  })

  test('while the worker is killed', { timeout }, async ({ product, underLoad }) => {
    await underLoad('worker killed', async () => {
      const pid = await product.waitForProcess('worker.ts')
      signal(pid, 'SIGKILL')
      await until('another worker runs', async () => {
        const pids = await product.processes('worker.ts')
        return pids.length > 0 && !pids.includes(pid)
      })
      await product.ready()
    })
  })

  test('while the importer is killed, and the service then stops cleanly', {
    timeout,
  }, async ({ product, underLoad }) => {
    const injectFault = async () => {
      const pid = await product.waitForProcess('importer.ts')
      signal(pid, 'SIGKILL')
      await until('another importer runs', async () => {
        const pids = await product.processes('importer.ts')
        return pids.length > 0 && !pids.includes(pid)
      })
    }
    await underLoad('importer killed', injectFault, async () =>
      expect(await product.stop()).toBe(0),
    )
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect } from 'vitest'
import { tableHead } from '../support/accounting.ts'
import { faultRounds } from '../support/deployment.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { signal, until } from '../support/processes.ts'

const table: string[] = []
const timeout = 240_000 + faultRounds * 20_000

/** A `test` with one running instance, which must survive the faults of all tests in turn. */
const test = deploymentTest()
  .extend('instance', { scope: 'file' }, async ({ deployment }) => {
    const instance = await deployment.createInstance()
    await instance.start()
    return instance
  })
  /** Calls `injectFault` repeatedly at random moments under load, then compares the counts. */
  .extend(
    'underLoad',
    { scope: 'file' },
    ({ instance, deployment }) =>
      async (
        fault: string,
        injectFault: () => Promise<void>,
        atEnd: () => Promise<void> = async () => {},
      ): Promise<void> => {
        await instance.ready()
        const load = deployment.load(deployment.target(instance))
        for (let round = 0; round < faultRounds; round += 1) {
          await load.waitForMore(200)
          await sleep(Math.random() * 700)
          await injectFault()
        }
        await load.waitForMore(200)
        await load.stop()
        await deployment.waitUntilImported(load)
        await atEnd()
        table.push(await deployment.expectExactCounts(load, fault, faultRounds))
      },
  )

afterAll(() => console.log([tableHead, ...table].join('\n')))

describe('every acknowledged click is recorded exactly once under load', () => {
  test('while the whole server is killed and restarted', { timeout }, async ({
    instance,
    underLoad,
  }) => {
    await underLoad('server killed', async () => {
      await instance.kill()
      await instance.start()
    })
  })

  test('while the worker is killed', { timeout }, async ({ instance, underLoad }) => {
    await underLoad('worker killed', async () => {
      const pid = await instance.waitForProcess('worker.ts')
      signal(pid, 'SIGKILL')
      await until('another worker runs', async () => {
        const pids = await instance.listPids('worker.ts')
        return pids.length > 0 && !pids.includes(pid)
      })
      await instance.ready()
    })
  })

  test('while the importer is killed, and the service then stops cleanly', {
    timeout,
  }, async ({ instance, underLoad }) => {
    const injectFault = async () => {
      const pid = await instance.waitForProcess('importer.ts')
      signal(pid, 'SIGKILL')
      await until('another importer runs', async () => {
        const pids = await instance.listPids('importer.ts')
        return pids.length > 0 && !pids.includes(pid)
      })
    }
    await underLoad('importer killed', injectFault, async () =>
      expect(await instance.stop()).toBe(0),
    )
  })
})

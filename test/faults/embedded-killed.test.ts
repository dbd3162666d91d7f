import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { findPostmaster } from '../../src/embedded-postgres/postmaster.ts'
import { tableHead } from '../support/accounting.ts'
import { type PrivatePostgres, startPrivatePostgres } from '../support/private-postgres.ts'
import { signal, until } from '../support/processes.ts'
import { createWorld, rounds } from '../support/world.ts'

const table: string[] = []
const timeout = 60_000 + rounds * 20_000

afterAll(() => console.log([tableHead, ...table].join('\n')))

describe('the embedded database is started again, and no click is lost', () => {
  test('while its first process is killed under load', { timeout }, async () => {
    const { postgres, world } = await setUp()
    const product = await world.product({ dataDir: postgres.folder, url: '' })
    await product.start()
    const load = world.load(world.target(product))
    for (let round = 0; round < rounds; round += 1) {
      await load.more(200)
      await sleep(Math.random() * 700)
      await killFirstProcess(postgres)
    }
    await load.more(200)
    await load.stop()
    await world.imported(load)
    expect(await product.stop()).toBe(0)
    table.push(await world.settle(load, 'embedded database killed', rounds))
  })

  test('while two services share it', { timeout }, async () => {
    const { postgres, world } = await setUp()
    const [one, two] = [
      await world.product({ dataDir: postgres.folder, url: '' }),
      await world.product({ dataDir: postgres.folder, url: '' }),
    ]
    await Promise.all([one.start(), two.start()])
    const load = world.load((identity) => world.target(identity % 2 ? one : two)(identity))
    await load.more(200)
    await killFirstProcess(postgres)
    await load.more(200)
    expect(await one.stop()).toBe(0)
    await killFirstProcess(postgres)
    await two.ready()
    await load.stop()
    await world.imported(load)
    expect(await two.stop()).toBe(0)
    table.push(await world.settle(load, 'shared embedded database killed', 2))
  })
})

test('a service that is told to stop when its database has just gone ends in time, and so does the database', {
  timeout,
}, async () => {
  const { postgres, world } = await setUp()
  const product = await world.product({ dataDir: postgres.folder, url: '' })
  await product.start()
  const load = world.load(world.target(product))
  await load.more(100)
  await load.stop()
  signal(await postgres.postmaster(), 'SIGKILL')
  // It gives itself ten seconds, and its code is 1 when they are over.
  expect(await product.stop()).toBe(0)
  const left = await findPostmaster(join(postgres.folder, 'postgres'))
  expect(left).toBeUndefined()
  // What was not imported any more is left for the next start.
  await product.start()
  await world.imported(load)
  await world.settle(load, 'stopped without database', 1)
  expect(await product.stop()).toBe(0)
})

/** An embedded database with links in it, in the folder of a service that is still to be started. */
async function setUp() {
  const postgres = await startPrivatePostgres()
  onTestFinished(postgres.close)
  const world = await createWorld(postgres.url)
  onTestFinished(world.close)
  return { postgres, world }
}

/** Waits until another one has taken its place. */
async function killFirstProcess(postgres: PrivatePostgres): Promise<void> {
  const pid = await postgres.postmaster()
  signal(pid, 'SIGKILL')
  const another = async () => {
    const now = await findPostmaster(join(postgres.folder, 'postgres'))
    return now?.ready === true && now.pid !== pid
  }
  await until('another server runs', another, { within: 60_000 })
}

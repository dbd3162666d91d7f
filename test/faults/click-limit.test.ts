import { describe, expect } from 'vitest'
import { send } from '../support/http.ts'
import { until } from '../support/processes.ts'
import type { Product } from '../support/product.ts'
import type { World } from '../support/world.ts'
import { worldTest } from '../support/world-test.ts'

const timeout = 120_000
const LIMIT = 10
const VISITS = 200

/** Two machines that share a database. */
const test = worldTest().extend('machines', { scope: 'file' }, async ({ world }) => {
  const machines = [await world.product(), await world.product()] as const
  await Promise.all(machines.map((machine) => machine.start()))
  return machines
})

/** Sends parallel visits to the machines in turn and returns the statuses. */
async function visitAll(machines: readonly Product[], alias: string): Promise<number[]> {
  const visits = Array.from({ length: VISITS }, async (_, index) => {
    const { origin } = machines[index % machines.length] as Product
    return (await send(`${origin}/${alias}`)).status
  })
  const results = await Promise.allSettled(visits)
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}

function countRedirects(statuses: readonly number[]): number {
  return statuses.filter((status) => status === 302).length
}

async function readClickTotal({ database }: World, linkId: number): Promise<number> {
  const query = 'select clicks from click_totals where link_id = $1'
  const { rows } = await database.pool.query<{ clicks: number }>(query, [linkId])
  return rows[0]?.clicks ?? 0
}

describe('a click limit', () => {
  test('allows exactly its number of redirects for 200 parallel visits to two machines', {
    timeout,
  }, async ({ world, machines }) => {
    const { alias, id } = await world.make.link(world.owner, { maxClicks: LIMIT })
    const statuses = await visitAll(machines, alias)
    expect(statuses).toHaveLength(VISITS)
    expect(countRedirects(statuses)).toBe(LIMIT)
    // A busy database rejects visits with 503.
    expect(statuses.filter((status) => ![302, 410, 503].includes(status))).toEqual([])
    expect(countRedirects(await visitAll(machines, alias))).toBe(0)
    await until('the clicks are counted', async () => (await readClickTotal(world, id)) === LIMIT)
  })

  test('is never exceeded when a machine is killed during the visits', { timeout }, async ({
    world,
    machines,
  }) => {
    const [first] = machines
    for (let round = 0; round < 3; round += 1) {
      const { alias, id } = await world.make.link(world.owner, { maxClicks: LIMIT })
      const visits = visitAll(machines, alias)
      const readUses = () => readUseCount(world, id)
      await until('some clicks are counted', async () => (await readUses()) > 1, { intervalMs: 1 })
      await first.kill()
      const redirectsDuring = countRedirects(await visits)
      await first.start()
      const redirectsAfter = countRedirects(await visitAll(machines, alias))
      expect(redirectsDuring + redirectsAfter).toBeLessThanOrEqual(LIMIT)
      expect(await readUses()).toBe(LIMIT)
      await until(
        'the clicks of all redirected visitors are counted',
        async () => (await readClickTotal(world, id)) >= redirectsDuring + redirectsAfter,
      )
      expect(await readClickTotal(world, id)).toBeLessThanOrEqual(LIMIT)
    }
  })
})

async function readUseCount({ database }: World, linkId: number): Promise<number> {
  const query = 'select clicks from link_uses where link_id = $1'
  const { rows } = await database.pool.query<{ clicks: number }>(query, [linkId])
  return rows[0]?.clicks ?? 0
}

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

/** Visits a link on the machines in turn, all at the same time, and returns the statuses. */
async function visitAll(machines: readonly Product[], alias: string): Promise<number[]> {
  const visits = Array.from({ length: VISITS }, async (_, index) => {
    const { origin } = machines[index % machines.length] as Product
    return (await send(`${origin}/${alias}`)).status
  })
  const results = await Promise.allSettled(visits)
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}

function redirects(statuses: readonly number[]): number {
  return statuses.filter((status) => status === 302).length
}

async function countedClicks({ database }: World, linkId: number): Promise<number> {
  const query = 'select clicks from click_totals where link_id = $1'
  const { rows } = await database.pool.query<{ clicks: number }>(query, [linkId])
  return rows[0]?.clicks ?? 0
}

describe('a click limit', () => {
  test('redirects exactly the allowed number of 200 parallel visits on two machines', {
    timeout,
  }, async ({ world, machines }) => {
    const { alias, id } = await world.make.link(world.owner, { maxClicks: LIMIT })
    const statuses = await visitAll(machines, alias)
    expect(statuses).toHaveLength(VISITS)
    expect(redirects(statuses)).toBe(LIMIT)
    // A busy database rejects visits with 503.
    expect(statuses.filter((status) => ![302, 410, 503].includes(status))).toEqual([])
    expect(redirects(await visitAll(machines, alias))).toBe(0)
    await until('the clicks are counted', async () => (await countedClicks(world, id)) === LIMIT)
  })

  test('is never exceeded when a machine is killed during the visits', { timeout }, async ({
    world,
    machines,
  }) => {
    const [first] = machines
    for (let round = 0; round < 3; round += 1) {
      const { alias, id } = await world.make.link(world.owner, { maxClicks: LIMIT })
      const visits = visitAll(machines, alias)
      const used = () => countUses(world, id)
      await until('some clicks are counted', async () => (await used()) > 1, { every: 1 })
      await first.kill()
      const during = redirects(await visits)
      await first.start()
      const after = redirects(await visitAll(machines, alias))
      expect(during + after).toBeLessThanOrEqual(LIMIT)
      expect(await used()).toBe(LIMIT)
      await until(
        'the clicks of all redirected visitors are counted',
        async () => (await countedClicks(world, id)) >= during + after,
      )
      expect(await countedClicks(world, id)).toBeLessThanOrEqual(LIMIT)
    }
  })
})

async function countUses({ database }: World, linkId: number): Promise<number> {
  const query = 'select clicks from link_uses where link_id = $1'
  const { rows } = await database.pool.query<{ clicks: number }>(query, [linkId])
  return rows[0]?.clicks ?? 0
}

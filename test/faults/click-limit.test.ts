import { describe, expect } from 'vitest'
import type { Deployment } from '../support/deployment.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { until } from '../support/processes.ts'

const timeout = 240_000
const LIMIT = 10
const VISITS = 200

/** A `test` with two running instances, which share a database like two machines. */
const test = deploymentTest().extend('machines', { scope: 'file' }, async ({ deployment }) => {
  const machines = [await deployment.createInstance(), await deployment.createInstance()] as const
  await Promise.all(machines.map((machine) => machine.start()))
  return machines
})

/** Sends parallel visits to the machines in turn and returns the statuses. */
async function visitAll(machines: readonly Instance[], alias: string): Promise<number[]> {
  const visits = Array.from({ length: VISITS }, async (_, index) => {
    const { origin } = machines[index % machines.length] as Instance
    return (await send(`${origin}/${alias}`)).status
  })
  const results = await Promise.allSettled(visits)
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}

function countRedirects(statuses: readonly number[]): number {
  return statuses.filter((status) => status === 302).length
}

async function readClickTotal({ database }: Deployment, linkId: number): Promise<number> {
  const query = 'select clicks from click_totals where link_id = $1'
  const { rows } = await database.pool.query<{ clicks: number }>(query, [linkId])
  return rows[0]?.clicks ?? 0
}

describe('a click limit', () => {
  test('allows exactly its number of redirects for 200 parallel visits to two machines', {
    timeout,
  }, async ({ deployment, machines }) => {
    const { alias, id } = await deployment.make.link(deployment.owner, { maxClicks: LIMIT })
    const statuses = await visitAll(machines, alias)
    expect(statuses).toHaveLength(VISITS)
    expect(countRedirects(statuses)).toBe(LIMIT)
    // A busy database rejects visits with 503.
    expect(statuses.filter((status) => ![302, 410, 503].includes(status))).toEqual([])
    expect(countRedirects(await visitAll(machines, alias))).toBe(0)
    await until(
      'the clicks are counted',
      async () => (await readClickTotal(deployment, id)) === LIMIT,
    )
  })

  test('is not exceeded if a machine is killed during the visits', { timeout }, async ({
    deployment,
    machines,
  }) => {
    const [first] = machines
    for (let round = 0; round < 3; round += 1) {
      const { alias, id } = await deployment.make.link(deployment.owner, { maxClicks: LIMIT })
      const visits = visitAll(machines, alias)
      const readUses = () => readUseCount(deployment, id)
      await until('some clicks are counted', async () => (await readUses()) > 1, { intervalMs: 1 })
      await first.kill()
      const redirectsDuring = countRedirects(await visits)
      await first.start()
      const redirectsAfter = countRedirects(await visitAll(machines, alias))
      expect(redirectsDuring + redirectsAfter).toBeLessThanOrEqual(LIMIT)
      expect(await readUses()).toBe(LIMIT)
      await until(
        'the clicks of all redirected visitors are counted',
        async () => (await readClickTotal(deployment, id)) >= redirectsDuring + redirectsAfter,
      )
      expect(await readClickTotal(deployment, id)).toBeLessThanOrEqual(LIMIT)
    }
  })
})

/** Returns the number of redirects of a link that were granted under its click limit. */
async function readUseCount({ database }: Deployment, linkId: number): Promise<number> {
  const query = 'select clicks from link_uses where link_id = $1'
  const { rows } = await database.pool.query<{ clicks: number }>(query, [linkId])
  return rows[0]?.clicks ?? 0
}

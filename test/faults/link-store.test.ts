import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { countClicks, expectClicks, expectVisits, makeEveryVisit } from '../support/every-visit.ts'
import { send } from '../support/http.ts'
import { untilStoreComplete } from '../support/link-store.ts'
import { until } from '../support/processes.ts'
import type { Product } from '../support/product.ts'
import { privateWorldTest } from '../support/world-test.ts'

const timeout = 240_000

const test = privateWorldTest().extend('visits', { scope: 'file' }, ({ world }) =>
  makeEveryVisit(world),
)

describe('every link redirects and every click is counted once while PostgreSQL is stopped, even after a restart', () => {
  test('with an external database', { timeout }, async ({ world, postgres, visits }) => {
    const limited = await world.make.link(world.owner, { maxClicks: 3 })
    const product = await world.product()
    await product.start()
    await untilStoreComplete(product)
    await expectVisits(product, visits)
    await postgres.stop()
    await expectVisits(product, visits)
    await expectUnknownAliasUnavailable(product)
    await expectUnavailable(product, limited.alias)
    await product.kill()
    await product.launch()
    await until('the service responds', () => isLive(product))
    await expectVisits(product, visits)
    await expectUnknownAliasUnavailable(product)
    await postgres.start()
    await product.ready()
    await expectClicks(world, 3 * visits.filter(({ isClick: counts }) => counts).length)
    expect(product.noise).toEqual([])
    expect(await product.stop()).toBe(0)
  })

  test('with an embedded database that cannot start', { timeout }, async ({
    world,
    postgres,
    visits,
  }) => {
    const before = await countClicks(world)
    const product = await world.product({ dataDir: postgres.folder, url: '' })
    await product.start()
    await untilStoreComplete(product)
    expect(await product.stop()).toBe(0)
    await postgres.stop()
    const control = join(postgres.folder, 'postgres', 'global', 'pg_control')
    await rename(control, `${control}.away`)
    await product.launch()
    await until('the service responds', () => isLive(product))
    await expectVisits(product, visits)
    await expectUnknownAliasUnavailable(product)
    await rename(`${control}.away`, control)
    await product.ready()
    await expectClicks(world, before + visits.filter(({ isClick: counts }) => counts).length)
    expect(await product.stop()).toBe(0)
  })
})

function expectUnknownAliasUnavailable(product: Product): Promise<void> {
  return expectUnavailable(product, 'unknown-alias')
}

async function expectUnavailable(product: Product, alias: string): Promise<void> {
  const reply = await send(`${product.origin}/${alias}`)
  expect(reply.status).toBe(503)
  expect(reply.headers['retry-after']).toMatch(/^\d+$/)
}

async function isLive({ origin }: Product): Promise<boolean> {
  const reply = await send(`${origin}/health/live`).catch(() => undefined)
  return reply?.status === 200
}

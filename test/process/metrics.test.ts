import { Agent } from 'node:http'
import { expect, onTestFinished, vi } from 'vitest'
import { send } from '../support/http.ts'
import { signal, until } from '../support/processes.ts'
import type { Product } from '../support/product.ts'
import { worldTest } from '../support/world-test.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const WORKERS = 2

const test = worldTest()
  .extend('product', { scope: 'file' }, async ({ world }) => {
    const product = await world.product({ env: { WORKERS: String(WORKERS), TRUST_PROXY: '' } })
    await product.start()
    return product
  })
  .extend('path', { scope: 'file' }, async ({ world }) => {
    const owner = await world.make.owner()
    return `/${(await world.make.link(owner)).alias}`
  })
  /** Visits the link, each time with a new connection. */
  .extend(
    'visit',
    { scope: 'file' },
    ({ product, path }) =>
      async (count: number): Promise<void> => {
        for (let n = 0; n < count; n += 1) {
          const { status } = await send(`${product.origin}${path}`)
          expect(status).toBe(302)
        }
      },
  )

test('every worker returns totals over all workers', async ({ product, visit }) => {
  const before = await readRedirects(product)
  let visits = 0
  // Waits until each worker has loaded the link. Repeats, because a busy worker may not receive any
  // of the ten connections.
  await vi.waitUntil(
    async () => {
      await visit(10)
      visits += 10
      return (await readMetric(product, 'brevis_link_cache_entries')) === WORKERS
    },
    { timeout: 30_000 },
  )
  for (let attempt = 0; attempt < 2 * WORKERS; attempt += 1)
    expect(await readRedirects(product)).toBe(before + visits)
})

test('metrics report the number of workers and whether the importer and the database are up', async ({
  product,
}) => {
  await vi.waitUntil(async () => (await readMetric(product, 'brevis_importer_up')) === 1, {
    timeout: 10_000,
  })
  expect(await readMetric(product, 'brevis_workers')).toBe(WORKERS)
  expect(await readMetric(product, 'brevis_workers_expected')).toBe(WORKERS)
  expect(await readMetric(product, 'brevis_database_up')).toBe(1)
})

test('an unresponsive worker does not delay a scrape, which uses its last values', async ({
  visit,
  product,
}) => {
  await visit(10)
  const before = await readRedirects(product)
  const [stopped = 0] = await product.processes('worker.ts')
  signal(stopped, 'SIGSTOP')
  onTestFinished(() => void signal(stopped, 'SIGCONT'))
  // A worker receives a connection only after accepting the previous one, so the stopped worker
  // receives at most one.
  const scrapes = Array.from({ length: WORKERS + 1 }, () => readRedirects(product))
  expect(await Promise.any(scrapes)).toBe(before)
})

test('counters never decrease when workers die and are replaced', async ({ visit, product }) => {
  await visit(10)
  let expected = await readRedirects(product)
  for (const worker of await product.processes('worker.ts')) {
    signal(worker, 'SIGKILL')
    await until('another worker runs', async () => {
      const running = await product.processes('worker.ts')
      return running.length === WORKERS && !running.includes(worker)
    })
    await product.ready()
    expect(await readRedirects(product)).toBe(expected)
    await visit(10)
    expected += 10
    await vi.waitUntil(async () => (await readRedirects(product)) === expected, { timeout: 10_000 })
  }
})

const readRedirects = (product: Product) =>
  readMetric(product, 'brevis_visits_total{outcome="redirect"}')

async function readMetric(product: Product, name: string): Promise<number> {
  const { status, body } = await send(`${product.origin}/metrics`, { agent: new Agent() })
  expect(status).toBe(200)
  const line = body.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.slice(name.length))
}

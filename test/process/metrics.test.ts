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
  /** Each visit uses a new connection; workers get them in turn. */
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

test('every worker returns the sums over all workers', async ({ product, visit }) => {
  const before = await redirects(product)
  await visit(20)
  for (let look = 0; look < 2 * WORKERS; look += 1)
    expect(await redirects(product)).toBe(before + 20)
  // Each worker has loaded the link.
  expect(await metric(product, 'brevis_link_cache_entries')).toBe(WORKERS)
})

test('metrics include the number of workers and imported clicks', async ({ product }) => {
  await vi.waitUntil(async () => (await metric(product, 'brevis_importer_up')) === 1, {
    timeout: 10_000,
  })
  expect(await metric(product, 'brevis_workers')).toBe(WORKERS)
  expect(await metric(product, 'brevis_workers_expected')).toBe(WORKERS)
  expect(await metric(product, 'brevis_database_up')).toBe(1)
})

test('an unresponsive worker does not delay a scrape, and its last values count', async ({
  visit,
  product,
}) => {
  // Workers get new connections in turn, so each of them has one of these.
  const agents = Array.from(
    { length: WORKERS },
    () => new Agent({ keepAlive: true, maxSockets: 1 }),
  )
  onTestFinished(() => {
    for (const agent of agents) agent.destroy()
  })
  await visit(10)
  const before = await Promise.all(agents.map((agent) => redirects(product, agent)))
  const [stopped = 0] = await product.processes('worker.ts')
  signal(stopped, 'SIGSTOP')
  onTestFinished(() => void signal(stopped, 'SIGCONT'))
  expect(await Promise.any(agents.map((agent) => redirects(product, agent)))).toBe(before[0])
})

test('counters never decrease when workers die, and continue in new workers', async ({
  visit,
  product,
}) => {
  await visit(10)
  let seen = await redirects(product)
  for (const worker of await product.processes('worker.ts')) {
    signal(worker, 'SIGKILL')
    await until('another worker is there', async () => {
      const running = await product.processes('worker.ts')
      return running.length === WORKERS && !running.includes(worker)
    })
    await product.ready()
    expect(await redirects(product)).toBe(seen)
    await visit(10)
    seen += 10
    await vi.waitUntil(async () => (await redirects(product)) === seen, { timeout: 10_000 })
  }
})

const redirects = (product: Product, agent?: Agent) =>
  metric(product, 'brevis_visits_total{outcome="redirect"}', agent)

async function metric(product: Product, name: string, agent = new Agent()): Promise<number> {
  const { status, body } = await send(`${product.origin}/metrics`, { agent })
  expect(status).toBe(200)
  const line = body.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.slice(name.length))
}

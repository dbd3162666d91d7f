import { Agent } from 'node:http'
import { expect, onTestFinished, vi } from 'vitest'
import { deploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { signal, until } from '../support/processes.ts'

const WORKERS = 2

const test = deploymentTest()
  .extend('instance', { scope: 'file' }, async ({ deployment }) => {
    const instance = await deployment.createInstance({
      env: { WORKERS: String(WORKERS), TRUST_PROXY: '' },
    })
    await instance.start()
    return instance
  })
  .extend('path', { scope: 'file' }, async ({ deployment }) => {
    const owner = await deployment.make.owner()
    return `/${(await deployment.make.link(owner)).alias}`
  })
  /** Visits the link, each time with a new connection. */
  .extend(
    'visit',
    { scope: 'file' },
    ({ instance, path }) =>
      async (count: number): Promise<void> => {
        for (let n = 0; n < count; n += 1) {
          const { status } = await send(`${instance.origin}${path}`)
          expect(status).toBe(302)
        }
      },
  )

test('metrics are totals over all workers, whichever worker returns them', async ({
  instance,
  visit,
}) => {
  const before = await readRedirects(instance)
  let visits = 0
  // Waits until each worker has loaded the link. Repeats, because a busy worker may not receive any
  // of the ten connections.
  await vi.waitUntil(
    async () => {
      await visit(10)
      visits += 10
      return (await readMetric(instance, 'brevis_link_cache_entries')) === WORKERS
    },
    { timeout: 60_000 },
  )
  for (let attempt = 0; attempt < 2 * WORKERS; attempt += 1)
    expect(await readRedirects(instance)).toBe(before + visits)
})

test('metrics report the number of workers and whether the importer and the database are up', async ({
  instance,
}) => {
  await vi.waitUntil(async () => (await readMetric(instance, 'brevis_importer_up')) === 1, {
    timeout: 60_000,
  })
  expect(await readMetric(instance, 'brevis_workers')).toBe(WORKERS)
  expect(await readMetric(instance, 'brevis_workers_expected')).toBe(WORKERS)
  expect(await readMetric(instance, 'brevis_database_up')).toBe(1)
})

test('metrics include the last values of an unresponsive worker without waiting for it', async ({
  visit,
  instance,
}) => {
  await visit(10)
  const before = await readRedirects(instance)
  const [stopped = 0] = await instance.listPids('worker.ts')
  signal(stopped, 'SIGSTOP')
  onTestFinished(() => void signal(stopped, 'SIGCONT'))
  // A worker receives a connection only after accepting the previous one, so the stopped worker
  // receives at most one.
  const scrapes = Array.from({ length: WORKERS + 1 }, () => readRedirects(instance))
  expect(await Promise.any(scrapes)).toBe(before)
})

test('counters in the metrics never decrease when workers die and are replaced', async ({
  visit,
  instance,
}) => {
  await visit(10)
  let expected = await readRedirects(instance)
  for (const worker of await instance.listPids('worker.ts')) {
    signal(worker, 'SIGKILL')
    await until('another worker runs', async () => {
      const running = await instance.listPids('worker.ts')
      return running.length === WORKERS && !running.includes(worker)
    })
    await instance.ready()
    expect(await readRedirects(instance)).toBe(expected)
    await visit(10)
    expected += 10
    await vi.waitUntil(async () => (await readRedirects(instance)) === expected, {
      timeout: 60_000,
    })
  }
})

const readRedirects = (instance: Instance) =>
  readMetric(instance, 'brevis_visits_total{outcome="redirect"}')

async function readMetric(instance: Instance, name: string): Promise<number> {
  const { status, body } = await send(`${instance.origin}/metrics`, { agent: new Agent() })
  expect(status).toBe(200)
  const line = body.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.slice(name.length))
}

import { expect, onTestFinished, vi } from 'vitest'
import { send } from '../support/http.ts'
import { signal, until } from '../support/processes.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { worldTest } from '../support/world-test.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const RESTART_MESSAGE = 'a worker ended before it could serve, and is started again'

const test = worldTest()

test.for([1, 2])(
  'restarts a worker that dies before it listens (%d workers)',
  async (count, { database, world }) => {
    // Workers do not listen without a database, so they are always killed beforehand.
    const proxy = await startProxy(database.url)
    onTestFinished(proxy.close)
    proxy.disconnectClient('brevis web')
    const product = await world.product({ url: proxy.url, env: { WORKERS: String(count) } })
    onTestFinished(product.kill)
    await product.launch()
    const killed = await product.waitForProcess('worker.ts')
    signal(killed, 'SIGKILL')
    proxy.restore()
    await product.ready()
    await until('all workers run', async () => {
      const pids = await product.processes('worker.ts')
      return pids.length === count && !pids.includes(killed)
    })
    expect(product.log).toContainEqual(
      expect.objectContaining({ msg: RESTART_MESSAGE, pid: killed }),
    )
    expect(await product.stop()).toBe(0)
    expect(product.noise).toEqual([])
  },
)

test('waits for its port to be released', async ({ world }) => {
  const first = await world.product()
  const second = await world.product()
  onTestFinished(first.kill)
  onTestFinished(second.kill)
  await first.start()
  await second.launch({ PORT: String(first.port) })
  await until('the second service finds the port in use', () =>
    second.log.some(({ msg }) => msg === RESTART_MESSAGE),
  )
  expect(second.log.find(({ msg }) => msg === RESTART_MESSAGE)?.reason).toContain('EADDRINUSE')
  await first.kill()
  const isServing = () =>
    send(`${first.origin}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    )
  await until('the second service responds', isServing)
})

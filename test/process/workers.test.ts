import { expect, onTestFinished } from 'vitest'
import { deploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import { signal, until } from '../support/processes.ts'
import { startProxy } from '../support/tcp-proxy.ts'

const RESTART_MESSAGE = 'a worker ended before it could serve, and is started again'

const test = deploymentTest()

test.for([1, 2])(
  'an instance with %d workers restarts one that dies before it listens',
  async (count, { database, deployment }) => {
    // Workers do not listen without a database, so they are always killed beforehand.
    const proxy = await startProxy(database.url)
    onTestFinished(proxy.close)
    proxy.disconnectClient('brevis web')
    const instance = await deployment.createInstance({
      url: proxy.url,
      env: { WORKERS: String(count) },
    })
    onTestFinished(instance.kill)
    await instance.launch()
    const killed = await instance.waitForProcess('worker.ts')
    signal(killed, 'SIGKILL')
    proxy.restore()
    await instance.ready()
    await until('all workers run', async () => {
      const pids = await instance.listPids('worker.ts')
      return pids.length === count && !pids.includes(killed)
    })
    expect(instance.log).toContainEqual(
      expect.objectContaining({ msg: RESTART_MESSAGE, worker: killed }),
    )
    expect(await instance.stop()).toBe(0)
    expect(instance.stderrTexts).toEqual([])
  },
)

test('an instance waits for its port to be released', async ({ deployment }) => {
  const first = await deployment.createInstance()
  const second = await deployment.createInstance()
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

test('an importer that keeps dying is logged once a minute', async ({ deployment }) => {
  const instance = await deployment.createInstance()
  onTestFinished(instance.kill)
  await instance.start()
  for (let deaths = 0; deaths < 3; deaths += 1) {
    const killed = await instance.waitForProcess('importer.ts')
    signal(killed, 'SIGKILL')
    await until('the importer runs again', async () => {
      const [running = killed] = await instance.listPids('importer.ts')
      return running !== killed
    })
  }
  expect(instance.log.filter(({ msg }) => msg.startsWith('the importer died'))).toHaveLength(1)
})

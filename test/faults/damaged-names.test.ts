import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { runProcess } from '../support/command.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { countClicks, expectClicks } from '../support/every-visit.ts'
import { send } from '../support/http.ts'
import { signal, until } from '../support/processes.ts'

const timeout = 120_000
const test = deploymentTest()

test('a damaged name of the installation is reported once with its remedy, which needs no restart', {
  timeout,
}, async ({ deployment }) => {
  const instance = await deployment.createInstance()
  await instance.start()
  const name = join(instance.dataDir, 'journal', 'installation')
  const before = await countClicks(deployment)
  await truncate(name)
  signal(await instance.waitForProcess('worker.ts'), 'SIGKILL')
  const problem = `${name} does not name an installation. Delete it`
  await until('readiness fails', async () => {
    const reply = await send(`${instance.origin}/health/ready`).catch(() => undefined)
    return reply?.status === 503 && JSON.parse(reply.body).reason.startsWith(problem)
  })
  expect((await send(`${instance.origin}/health/live`)).status).toBe(200)
  expect(instance.log.filter(({ msg }) => msg.startsWith(problem))).toHaveLength(1)
  await rm(name)
  await instance.ready()
  expect((await send(`${instance.origin}/${deployment.aliases[0]}`)).status).toBe(302)
  await expectClicks(deployment, before + 1)
  expect(await instance.stop()).toBe(0)
})

test('brevis doctor names a damaged id of the click journal and its remedy', {
  timeout,
}, async ({ database, deployment }) => {
  const instance = await deployment.createInstance()
  await instance.start()
  const id = join(instance.dataDir, 'journal', 'id')
  await until('the journal has an id', async () => {
    await truncate(id).catch(() => {})
    const env = { DATABASE_URL: database.url, DATA_DIR: instance.dataDir }
    const { stdout } = await runProcess(['doctor', '--json'], { env })
    return stdout.includes(`${id} does not contain the journal's id. Stop the service and delete`)
  })
  expect(await instance.stop()).toBe(0)
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startCaddy } from '../support/caddy.ts'
import { privateDeploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { until } from '../support/processes.ts'
import { isInstalled } from '../support/published.ts'

const HOST = 'brev.test'

const fileTest = privateDeploymentTest()
  .extend('instance', { scope: 'file' }, async ({ deployment }) => {
    const env = { BASE_URL: `https://${HOST}`, LOG_LEVEL: 'debug' }
    const instance = await deployment.createInstance({ env })
    await instance.start()
    await until('the link store is complete', () =>
      isLogged(instance, 'the link store is complete'),
    )
    return instance
  })
  .extend('caddy', { scope: 'file' }, async ({ instance }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'brevis-caddy-'))
    const caddy = await startCaddy({ port: instance.port, folder })
    onCleanup(async () => {
      await caddy.stop()
      await rm(folder, { recursive: true, force: true })
    })
    return caddy
  })

const test = fileTest.skipIf(!isInstalled('caddy'))

test('with PostgreSQL stopped, every visit through Caddy redirects, also after a restart', async ({
  deployment,
  instance,
  caddy,
  postgres,
}) => {
  const { headers } = deployment.owner
  const visitAll = () =>
    Promise.all(deployment.aliases.map((alias) => caddy.request(HOST, `/${alias}`)))
  const expectVisits = async () => {
    for (const { status } of await visitAll()) expect(status).toBe(302)
    const call = await caddy.request(HOST, '/api/urls', { headers })
    expect(call.status).toBe(503)
    expect(call.headers['retry-after']).toMatch(/^\d+$/)
    expect(JSON.parse(call.body)).toMatchObject({ error: 1 })
  }
  expect((await caddy.request(HOST, '/api/urls', { headers })).status).toBe(200)
  await postgres.stop()
  await untilChecked(instance)
  expect(await checkHealth(instance)).toEqual({ live: 200, redirects: 200, ready: 503 })
  await expectVisits()
  await instance.stop()
  await instance.launch()
  await until('visits are served', async () => (await checkHealth(instance)).redirects === 200)
  await untilChecked(instance)
  await expectVisits()
  await postgres.start()
  await instance.ready()
  await until('the API is served', async () => {
    return (await caddy.request(HOST, '/api/urls', { headers })).status === 200
  })
})

/** Waits until Caddy has checked both lists of machines after the call. */
async function untilChecked(instance: Instance): Promise<void> {
  const count = (path: string) => instance.log.filter(({ route }) => route === path).length
  const paths = ['/health/redirects', '/health/ready']
  const before = paths.map(count)
  await until('Caddy has checked twice', () =>
    paths.every((path, index) => count(path) >= (before[index] ?? 0) + 2),
  )
}

async function checkHealth({ origin }: Instance): Promise<Record<string, number | undefined>> {
  const checks = ['live', 'redirects', 'ready'].map(async (name) => {
    const reply = await send(`${origin}/health/${name}`).catch(() => undefined)
    return [name, reply?.status]
  })
  return Object.fromEntries(await Promise.all(checks))
}

function isLogged({ log }: Instance, message: string): boolean {
  return log.some(({ msg }) => msg === message)
}

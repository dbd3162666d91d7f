import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { faultRounds } from '../support/deployment.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import { untilStoreComplete } from '../support/link-store.ts'
import { signal, until } from '../support/processes.ts'

vi.setConfig({ testTimeout: 240_000 + faultRounds * 30_000 })

const CLIENTS = 16

const test = deploymentTest()

test.for(['1', '2'])(
  'a stop fails health checks, ends keep-alive connections and resets no request (WORKERS=%s)',
  async (WORKERS, { deployment }) => {
    const instance = await deployment.createInstance({ env: { DRAIN_SECONDS: '1', WORKERS } })
    const errors: string[] = []
    for (let round = 0; round < faultRounds; round += 1) {
      await instance.start()
      const phases = new Map<string, number>()
      let isStopped = false
      let hasBegun = false
      const runClient = async (index: number) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        for (let count = index; !isStopped; count += 1) {
          const alias = deployment.aliases[count % deployment.aliases.length]
          const phase = hasBegun ? 'draining' : 'serving'
          await send(`${instance.origin}/${alias}`, { agent, method: 'HEAD' }).then(
            ({ status, headers }) => {
              const outcome = `${phase} ${status} ${headers.connection}`
              phases.set(outcome, (phases.get(outcome) ?? 0) + 1)
            },
            (error: NodeJS.ErrnoException) => {
              isStopped = true
              // Whoever connects after the end of the drain is refused, which is safe to retry.
              if (error.code !== 'ECONNREFUSED') errors.push(String(error.code ?? error.message))
            },
          )
        }
        agent.destroy()
      }
      const clients = Array.from({ length: CLIENTS }, (_, index) => runClient(index))
      await until('visits are served', () => (phases.get('serving 302 keep-alive') ?? 0) > 100)
      const stopping = instance.stop()
      for (const check of ['redirects', 'ready']) {
        await until(`/health/${check} fails`, async () => {
          const reply = await send(`${instance.origin}/health/${check}`)
          return reply.status === 503 && reply.body.includes('shutting down')
        })
      }
      hasBegun = true
      expect(await stopping).toBe(0)
      await Promise.all(clients)
      expect(phases.get('draining 302 close')).toBeGreaterThan(0)
      expect([...phases.keys()].filter((outcome) => !/ 302 /.test(outcome))).toEqual([])
    }
    expect(errors).toEqual([])
  },
)

test('processes that do not answer are replaced, and damaged locks and misspelled settings are handled', async ({
  deployment,
}) => {
  const instance = await deployment.createInstance({
    env: { WATCHDOG_SECONDS: '3', BASEURL: 'http://brev.test' },
  })
  mkdirSync(join(instance.dataDir, 'store'), { recursive: true })
  writeFileSync(join(instance.dataDir, 'store', 'follower.lock'), 'x'.repeat(8192))
  await instance.start()
  await untilStoreComplete(instance)
  const isLogged = (text: string) => instance.log.some(({ msg }) => msg.includes(text))
  expect(isLogged('BASEURL is not a setting: did you mean BASE_URL?')).toBe(true)
  for (const file of ['worker.ts', 'importer.ts'] as const) {
    const hung = await instance.waitForProcess(file)
    signal(hung, 'SIGSTOP')
    await until(`another process runs ${file}`, async () => {
      const pids = await instance.listPids(file)
      return pids.length === 1 && !pids.includes(hung)
    })
    await instance.ready()
  }
  expect(isLogged('a worker does not answer')).toBe(true)
  expect(isLogged('the importer does not answer')).toBe(true)
  expect((await send(`${instance.origin}/${deployment.aliases[0]}`)).status).toBe(302)
  expect(await instance.stop()).toBe(0)
})

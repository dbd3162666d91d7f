import { Agent } from 'node:http'
import { expect, vi } from 'vitest'
import { faultRounds } from '../support/deployment.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import { until } from '../support/processes.ts'

vi.setConfig({ testTimeout: 60_000 + faultRounds * 30_000, hookTimeout: 90_000 })

const CLIENTS = 16

const test = deploymentTest()

test('a stop fails health checks, ends keep-alive connections and resets no request', async ({
  deployment,
}) => {
  const instance = await deployment.createInstance({ env: { DRAIN_SECONDS: '1' } })
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
})

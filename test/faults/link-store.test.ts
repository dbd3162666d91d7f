import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { privateDeploymentTest } from '../support/deployment-test.ts'
import { countClicks, expectClicks, expectVisits, makeEveryVisit } from '../support/every-visit.ts'
import { send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { untilStoreComplete } from '../support/link-store.ts'
import { until } from '../support/processes.ts'

const timeout = 240_000

const test = privateDeploymentTest().extend('visits', { scope: 'file' }, ({ deployment }) =>
  makeEveryVisit(deployment),
)

describe('every cached link redirects while PostgreSQL is stopped, even after a restart, and every click is counted once', () => {
  test('with an external database', { timeout }, async ({ deployment, postgres, visits }) => {
    const limited = await deployment.make.link(deployment.owner, { maxClicks: 3 })
    const instance = await deployment.createInstance()
    await instance.start()
    await untilStoreComplete(instance)
    await expectVisits(instance, visits)
    await postgres.stop()
    await expectVisits(instance, visits)
    await expectUnknownAliasUnavailable(instance)
    await expectUnavailable(instance, limited.alias)
    await instance.kill()
    await instance.launch()
    await until('the service responds', () => isLive(instance))
    await expectVisits(instance, visits)
    await expectUnknownAliasUnavailable(instance)
    await postgres.start()
    await instance.ready()
    await expectClicks(deployment, 3 * visits.filter(({ isClick }) => isClick).length)
    expect(instance.stderrTexts).toEqual([])
    expect(await instance.stop()).toBe(0)
  })

  test('with an embedded database that cannot start', { timeout }, async ({
    deployment,
    postgres,
    visits,
  }) => {
    const before = await countClicks(deployment)
    const instance = await deployment.createInstance({ dataDir: postgres.folder, url: '' })
    await instance.start()
    await untilStoreComplete(instance)
    expect(await instance.stop()).toBe(0)
    await postgres.stop()
    const control = join(postgres.folder, 'postgres', 'global', 'pg_control')
    await rename(control, `${control}.away`)
    await instance.launch()
    await until('the service responds', () => isLive(instance))
    await expectVisits(instance, visits)
    await expectUnknownAliasUnavailable(instance)
    await rename(`${control}.away`, control)
    await instance.ready()
    await expectClicks(deployment, before + visits.filter(({ isClick }) => isClick).length)
    expect(await instance.stop()).toBe(0)
  })
})

function expectUnknownAliasUnavailable(instance: Instance): Promise<void> {
  return expectUnavailable(instance, 'unknown-alias')
}

async function expectUnavailable(instance: Instance, alias: string): Promise<void> {
  const reply = await send(`${instance.origin}/${alias}`)
  expect(reply.status).toBe(503)
  expect(reply.headers['retry-after']).toMatch(/^\d+$/)
}

async function isLive({ origin }: Instance): Promise<boolean> {
  const reply = await send(`${origin}/health/live`).catch(() => undefined)
  return reply?.status === 200
}

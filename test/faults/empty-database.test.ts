import { expect, inject } from 'vitest'
import { withClient } from '../../src/db/client.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { countClicks, expectClicks } from '../support/every-visit.ts'
import { send } from '../support/http.ts'
import { untilStoreComplete } from '../support/link-store.ts'
import { databaseUrlOf, run } from '../support/postgres.ts'
import { signal, until } from '../support/processes.ts'

const test = deploymentTest()

test('while an empty database has replaced the right one, visits go on, and their clicks wait', {
  timeout: 120_000,
}, async ({ database, deployment }) => {
  const instance = await deployment.createInstance()
  await instance.start()
  await untilStoreComplete(instance)
  const before = await countClicks(deployment)
  const name = new URL(database.url).pathname.slice(1)
  const away = `${name}_away`
  const rename = async (from: string, to: string) => {
    await run(inject('serverUrl'), [
      `alter database ${from} with allow_connections false`,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${from}'`,
      `alter database ${from} rename to ${to}`,
      `alter database ${to} with allow_connections true`,
    ])
  }
  const visit = async () => {
    const { status } = await send(`${instance.origin}/${deployment.aliases[0]}`)
    expect(status).toBe(302)
  }
  const untilReady = (reason: RegExp) =>
    until(`the service is not ready: ${reason}`, async () => {
      const reply = await send(`${instance.origin}/health/ready`).catch(() => undefined)
      return reply?.status === 503 && reason.test(reply.body)
    })
  await rename(name, away)
  await run(inject('serverUrl'), [`create database ${name}`])
  await untilReady(/instead of \w{12}: it has no tables of Brevis/)
  await visit()
  const importer = await instance.waitForProcess('importer.ts')
  const worker = await instance.waitForProcess('worker.ts')
  // A process that starts now waits, too.
  for (const pid of [worker, importer]) signal(pid, 'SIGKILL')
  await untilReady(/migration 0001-schema is missing/)
  await visit()
  const tables = await withClient(
    { url: databaseUrlOf(inject('serverUrl'), name), name: 'test' },
    (client) => client.query("select from pg_class where relnamespace = 'public'::regnamespace"),
  )
  expect(tables.rowCount).toBe(0)
  await rename(name, `${name}_empty`)
  await rename(away, name)
  await run(inject('serverUrl'), [`drop database ${name}_empty`])
  await instance.ready()
  await visit()
  await expectClicks(deployment, before + 3)
  expect(instance.log.filter(({ msg }) => /before it could serve/.test(msg))).toEqual([])
  expect(await instance.stop()).toBe(0)
})

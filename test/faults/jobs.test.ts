import { expect, onTestFinished } from 'vitest'
import { addJob } from '../../src/jobs/job-queue.queries.ts'
import { createJobRunner } from '../../src/jobs/job-runner.ts'
import { until } from '../support/processes.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { databaseTest } from '../support/test.ts'

const test = databaseTest()

test('jobs run again after a database did not respond, and one line says so', {
  timeout: 60_000,
}, async ({ database }) => {
  const proxy = await startProxy(database.url)
  onTestFinished(proxy.close)
  const lines: string[] = []
  let runs = 0
  const runner = createJobRunner({
    databaseUrl: proxy.url,
    tasks: {
      count: async () => {
        runs += 1
      },
    },
    everyMinute: [],
    log: ({ reason }, text) => lines.push(`${text}: ${reason}`),
    retryMs: 20,
    pingMs: 1000,
  })
  runner.run()
  onTestFinished(runner.stop)
  const addCount = () =>
    addJob(database.db, { task: 'count', payload: {}, key: 'count', maxAttempts: 3 })
  await addCount()
  await until('a job runs', () => runs === 1)
  proxy.dropReplies()
  await until('the silence is logged', () => lines.length > 0)
  proxy.restore()
  await addCount()
  await until('another job runs', () => runs === 2)
  expect(lines).toEqual(['jobs are not run, trying again: the database did not respond'])
})

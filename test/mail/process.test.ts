import { expect, onTestFinished } from 'vitest'
import { requestPasswordReset } from '../../src/identity/forgotten-passwords.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { openMailServer } from '../support/mail-server.ts'
import { signal, until } from '../support/processes.ts'

const test = deploymentTest()

test('an email is sent even if the importer is killed while sending', async ({ deployment }) => {
  let connections = 0
  const server = await openMailServer({
    // The first connection gets no greeting.
    onConnect: (_session, greet) => {
      connections += 1
      if (connections > 1) greet()
    },
  })
  onTestFinished(server.close)
  const instance = await deployment.createInstance({
    env: { SMTP_URL: server.url, MAIL_FROM: 'brevis@brev.test', LOG_LEVEL: 'error' },
  })
  onTestFinished(instance.kill)
  await instance.start()
  const { email } = deployment.owner.account
  await requestPasswordReset(deployment.services, deployment.services.db, {
    email,
    address: '203.0.113.7',
  })
  await until('the mail is being sent', () => connections === 1)
  const killed = await instance.waitForProcess('importer.ts')
  signal(killed, 'SIGKILL')
  const [mail] = await server.waitForMails(1)
  expect(mail?.to).toMatchObject({ text: deployment.owner.account.email })
  await until('the queue is empty', async () => {
    const { rows } = await deployment.database.pool.query('select from brevis_jobs.jobs')
    return rows.length === 0
  })
  expect(await instance.stop()).toBe(0)
  expect(instance.stderrTexts).toEqual([])
})

test('without mail settings, the importer does not query the job queue and the form for a forgotten password returns 404', async ({
  deployment,
}) => {
  const instance = await deployment.createInstance()
  onTestFinished(instance.kill)
  await instance.start()
  await until('the importer works', async () => {
    const { rows } = await deployment.database.pool.query(
      `select from pg_stat_activity where application_name = 'brevis importer'
       and datname = current_database()`,
    )
    return rows.length > 0
  })
  const { rows } = await deployment.database.pool.query(
    `select from pg_stat_activity
     where datname = current_database() and query ~ 'jobs:insert|brevis_jobs'
       and pid <> pg_backend_pid() and application_name = 'brevis importer'`,
  )
  expect(rows).toEqual([])
  const reply = await fetch(`${instance.origin}/console/forgot-password`)
  expect(reply.status).toBe(404)
  expect(await instance.stop()).toBe(0)
})

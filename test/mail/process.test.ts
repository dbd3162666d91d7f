import { expect, onTestFinished, vi } from 'vitest'
import { requestPasswordReset } from '../../src/people/forgotten-passwords.ts'
import { openMailServer } from '../support/mail-server.ts'
import { signal, until } from '../support/processes.ts'
import { worldTest } from '../support/world-test.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const test = worldTest()

test('an email is sent even if the importer is killed while sending', async ({ world }) => {
  let connections = 0
  const server = await openMailServer({
    // The first connection gets no greeting.
    onConnect: (_session, greet) => {
      connections += 1
      if (connections > 1) greet()
    },
  })
  onTestFinished(server.close)
  const product = await world.product({
    env: { SMTP_URL: server.url, MAIL_FROM: 'brevis@brev.test', LOG_LEVEL: 'error' },
  })
  onTestFinished(product.kill)
  await product.start()
  const { email } = world.owner.account
  await requestPasswordReset(world.services, world.services.db, { email, address: '203.0.113.7' })
  await until('the mail is being sent', () => connections === 1)
  const killed = await product.waitForProcess('importer.ts')
  signal(killed, 'SIGKILL')
  const [mail] = await server.waitForMails(1)
  expect(mail?.to).toMatchObject({ text: world.owner.account.email })
  await until('the queue is empty', async () => {
    const { rows } = await world.database.pool.query('select from brevis_jobs.jobs')
    return rows.length === 0
  })
  expect(await product.stop()).toBe(0)
  expect(product.noise).toEqual([])
})

test('without mail settings, the importer runs no job queries and /console/forgot-password returns 404', async ({
  world,
}) => {
  const product = await world.product()
  onTestFinished(product.kill)
  await product.start()
  await until('the importer works', async () => {
    const { rows } = await world.database.pool.query(
      `select from pg_stat_activity where application_name = 'brevis importer'
       and datname = current_database()`,
    )
    return rows.length > 0
  })
  const { rows } = await world.database.pool.query(
    `select from pg_stat_activity
     where datname = current_database() and query ~ 'jobs:insert|brevis_jobs'
       and pid <> pg_backend_pid() and application_name = 'brevis importer'`,
  )
  expect(rows).toEqual([])
  const reply = await fetch(`${product.origin}/console/forgot-password`)
  expect(reply.status).toBe(404)
  expect(await product.stop()).toBe(0)
})

import { expect, onTestFinished, vi } from 'vitest'
import { createJobs } from '../../src/importer/jobs.ts'
import { invite, withdrawInvitation } from '../../src/people/invitation.service.ts'
import { linkIn, openMailServer } from '../support/mail-server.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'b@brev.test' } })

test('an invitation is mailed to the invited address alone, and not once it is withdrawn', async ({
  app,
  make,
}) => {
  const { services } = app
  const { db } = services
  const { account } = await make.owner()
  const withdrawn = await invite(services, db, account.id, { email: 'no@x.test', role: 'viewer' })
  expect(withdrawn).toEqual({ email: 'no@x.test' })
  const [{ id } = { id: 0 }] = await db.selectFrom('invitations').select('id').execute()
  await withdrawInvitation(db, account.id, id)
  await invite(services, db, account.id, { email: 'guest@x.test', role: 'editor' })
  const server = await openMailServer()
  onTestFinished(server.close)
  const mail = { smtpUrl: server.url, from: 'b@brev.test', perHour: 100 }
  const ctx = { ...services, config: { ...services.config, mail } }
  const jobs = createJobs(ctx, db, { retryMs: 20 })
  jobs?.run()
  onTestFinished(async () => jobs?.stop())
  const [sent] = await server.mails(1)
  expect(sent).toMatchObject({
    to: { text: 'guest@x.test' },
    subject: `You're invited to ${account.username} on brev.test`,
  })
  await vi.waitUntil(
    async () =>
      (await services.database.pool.query('select from brevis_jobs.jobs')).rows.length === 0,
    { timeout: 20_000 },
  )
  expect(server.received).toHaveLength(1)
  const page = await app.request({ url: new URL(linkIn(sent as never)).pathname })
  expect([page.statusCode, page.body.includes(`Join ${account.username}`)]).toEqual([200, true])
})

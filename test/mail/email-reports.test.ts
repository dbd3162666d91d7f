import { describe, expect, onTestFinished, vi } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { setSuspended } from '../../src/identity/account.service.ts'
import { removeMember } from '../../src/identity/member.service.ts'
import type { TestApp } from '../support/app.ts'
import { openMailServer } from '../support/mail-server.ts'
import { signInMember } from '../support/members.ts'
import {
  findUnsubscribeUrl,
  reportTest,
  runJobs,
  visit,
  WAIT_OPTIONS,
  waitUntilIdle,
} from '../support/report-test.ts'

const test = reportTest()

test('sends totals, changes and lists of a week in the member’s time zone', async ({
  app,
  make,
  reportSettings: { owner, person, setFrequency },
}) => {
  const zone = { language: 'en', timeZone: 'Europe/Berlin' }
  expect((await person.send('/console/settings', zone)).statusCode).toBe(303)
  const link = await make.link(owner, { alias: 'spring', metaTitle: 'Spring & <sale>' })
  app.clock.set('2026-11-14T12:00:00Z')
  await visit(app, link.alias, 4)
  // In Berlin, this is Sunday, and the click after it is on Monday.
  app.clock.set('2026-11-22T22:59:00Z')
  await visit(app, link.alias, 6, 'https://news.example/')
  app.clock.set('2026-11-22T23:01:00Z')
  await visit(app, link.alias, 1)
  app.clock.set('2026-11-18T12:00:00Z')
  expect((await setFrequency('weekly')).headers.location).toBe('/console/settings')
  expect((await person.open('/console/settings')).body).toContain('value="weekly" selected')
  app.clock.set('2026-11-23T06:00:00Z')
  const { server } = await runJobs(app)
  const [mail] = await server.waitForMails(1)
  const { username, email } = owner.account
  expect(mail).toMatchObject({
    to: { text: email },
    subject: `Weekly report for ${username}: Nov 16 – 22, 2026`,
  })
  expect(mail?.text).toContain(`Clicks: 6 (↑ 50% vs. 4 the week before)
New visitors: 6 (↑ 50% vs. 4 the week before)`)
  expect(mail?.text).toContain('Top links\n- Spring & <sale> (brev.test/spring): 6\n')
  expect(mail?.text).toContain('Top referrers\n- news.example: 6\n')
  expect(mail?.html).toContain('<html lang="en">')
  expect(mail?.html).toContain('dir="auto">Spring &amp; &lt;sale&gt;<br>')
  expect(mail?.html).toContain('>brev.test/spring</span></td>')
  expect(findUnsubscribeUrl(mail)).toMatch(/^http:\/\/brev\.test\/console\/unsubscribe\/[\w-]{43}$/)
  expect(String(mail?.headerLines.find(({ key }) => key === 'list-unsubscribe-post')?.line)).toBe(
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  )
  await waitUntilIdle(app)
  expect(server.received).toHaveLength(1)
})

test('sends a report of a month without clicks', async ({
  app,
  reportSettings: { setFrequency },
}) => {
  await setFrequency('monthly')
  app.clock.set('2026-12-01T07:00:00Z')
  const { server } = await runJobs(app)
  const [mail] = await server.waitForMails(1)
  expect(mail?.subject).toContain('Nov 1 – 30, 2026')
  expect(mail?.text).toContain('Clicks: 0 (unchanged vs. 0 the month before)')
  expect(mail?.text).toContain('No clicks in this period.')
})

test('sends a report once per period, even with several importers', async ({
  app,
  reportSettings: { setFrequency },
}) => {
  await setFrequency('weekly')
  const { server, stop } = await runJobs(app)
  app.clock.set('2026-11-23T07:00:00Z')
  const others = await Promise.all([1, 2, 3].map(() => runJobs(app, server)))
  await stop()
  await server.waitForMails(1)
  await waitUntilIdle(app)
  expect(server.received).toHaveLength(1)
  app.clock.set('2026-11-30T07:00:00Z')
  await runJobs(app, server)
  await Promise.all(others.map((other) => other.stop()))
  expect(await server.waitForMails(2)).toHaveLength(2)
})

test('retries a report after a temporary rejection by the mail server', async ({
  app,
  reportSettings: { setFrequency },
}) => {
  await setFrequency('weekly')
  app.clock.set('2026-11-23T07:00:00Z')
  let attempts = 0
  const server = await openMailServer({
    onRcptTo(_address, _session, done) {
      attempts += 1
      done(attempts === 1 ? Object.assign(new Error('Busy'), { responseCode: 451 }) : undefined)
    },
  })
  onTestFinished(server.close)
  await runJobs(app, server)
  await vi.waitUntil(() => attempts === 1, WAIT_OPTIONS)
  await vi.waitUntil(async () => {
    await app.services.database.pool.query(
      'update brevis_jobs._private_jobs set run_at = now() where locked_at is null',
    )
    return server.received.length > 0
  }, WAIT_OPTIONS)
  await waitUntilIdle(app)
  expect([attempts, server.received.length]).toEqual([2, 1])
})

describe('unsubscribing', () => {
  test.for([
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
  ])(
    'works with a POST of %s and without a session',
    async ([type = '', payload], { app, reportSettings }) => {
      const { person, setFrequency } = reportSettings
      await setFrequency('weekly')
      app.clock.set('2026-11-23T07:00:00Z')
      const { server } = await runJobs(app)
      const [mail] = await server.waitForMails(1)
      const { pathname } = new URL(findUnsubscribeUrl(mail))
      const page = await app.request({ url: pathname })
      expect([page.statusCode, page.body.includes('Unsubscribe</button>')]).toEqual([200, true])
      const headers = { 'content-type': type }
      const reply = await app.request({ method: 'POST', url: pathname, payload, headers })
      expect([reply.statusCode, reply.headers['set-cookie']]).toEqual([200, undefined])
      expect((await person.open('/console/settings')).body).toContain('value="off" selected')
      expect(
        (await app.request({ method: 'POST', url: pathname, payload, headers })).statusCode,
      ).toBe(200)
    },
  )

  test('with the link of an old mail does not end a new subscription', async ({
    app,
    reportSettings: { person, setFrequency },
  }) => {
    await setFrequency('weekly')
    const token = await readToken(app)
    await setFrequency('off')
    await setFrequency('monthly')
    expect(await readToken(app)).not.toBe(token)
    await app.request({ method: 'POST', url: `/console/unsubscribe/${token}` })
    await app.request({ method: 'POST', url: '/console/unsubscribe/guess' })
    expect((await person.open('/console/settings')).body).toContain('value="monthly" selected')
  })
})

describe('sends no report', () => {
  test('to a removed member', async ({ app, reportSettings: { db, owner, setFrequency } }) => {
    const member = await signInMember(app, owner, 'viewer')
    await setFrequency('weekly')
    expect((await setFrequency('weekly', member)).statusCode).toBe(303)
    app.clock.set('2026-11-23T07:00:00Z')
    await removeMember({ db, accountId: owner.account.id }, member.user.id)
    const { server } = await runJobs(app)
    await server.waitForMails(1)
    await waitUntilIdle(app)
    expect(server.received.map(({ to }) => [to].flat()[0]?.text)).toEqual([owner.account.email])
  })

  test('of an account that is suspended while the report is queued', async ({
    app,
    reportSettings: { db, owner, setFrequency },
  }) => {
    const member = await signInMember(app, owner, 'viewer')
    await setFrequency('weekly', member)
    app.clock.set('2026-11-23T07:00:00Z')
    const unavailable = await openMailServer({
      onConnect: (_session, done) => done(Object.assign(new Error('no'), { responseCode: 421 })),
    })
    onTestFinished(unavailable.close)
    const { stop } = await runJobs(app, unavailable)
    const failedJobs = `select from brevis_jobs.jobs where attempts > 0 and last_error is not null`
    await vi.waitUntil(
      async () => (await app.services.database.pool.query(failedJobs)).rows.length > 0,
      WAIT_OPTIONS,
    )
    await stop()
    await inTransaction(db, (tx) => setSuspended(app.services, tx, owner.account.id, true))
    await app.services.database.pool.query('update brevis_jobs._private_jobs set run_at = now()')
    const { server } = await runJobs(app)
    await waitUntilIdle(app)
    expect(server.received).toEqual([])
  })
})

test('names the installation in the subject', async ({
  app,
  reportSettings: { owner, person, setFrequency },
}) => {
  await person.send('/console/settings', { language: 'de', timeZone: 'Europe/Berlin' })
  await setFrequency('weekly')
  app.clock.set('2026-11-23T06:00:00Z')
  const { server } = await runJobs(app, undefined, { siteName: 'Kürzel & Söhne' })
  const [mail] = await server.waitForMails(1)
  const { username } = owner.account
  expect(mail?.subject).toBe(`Wochenbericht für ${username} auf Kürzel & Söhne: 16.–22.11.2026`)
})

test('an unknown frequency is rejected', async ({ reportSettings: { setFrequency } }) => {
  const reply = await setFrequency('hourly')
  expect(reply.statusCode).toBe(422)
  expect(reply.body).toContain('Must be one of off, weekly, monthly.')
})

async function readToken({ services }: TestApp): Promise<string | undefined> {
  const { rows } = await services.database.pool.query<{ token: string }>(
    'select token from report_subscriptions',
  )
  return rows[0]?.token
}

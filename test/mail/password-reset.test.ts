import { describe, expect, onTestFinished, vi } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { setSuspended } from '../../src/identity/account.service.ts'
import { createJobs } from '../../src/importer/jobs.ts'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { formOf, postForm, submitPageForm } from '../support/forms.ts'
import { firstUrlIn, type MailServer, openMailServer } from '../support/mail-server.ts'
import { createPasswordReset } from '../support/password-reset.ts'
import { signInTest } from '../support/sign-in-test.ts'

const WAIT_OPTIONS = { timeout: 60_000, interval: 20 }
const FORM = '/console/forgot-password'

const test = signInTest({
  env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Brevis <b@brev.test>' },
})

/** Runs jobs like the importer with this mail server until the test ends. */
function runJobs(app: TestApp, smtpUrl: string, { perHour = 1000 } = {}) {
  const { config, database } = app.services
  const warnings: string[] = []
  const mail = { smtpUrl, from: 'Brevis <b@brev.test>', perHour }
  const jobs = createJobs(
    {
      ...app.services,
      config: { ...config, mail },
      log: (_details, text) => warnings.push(text),
    },
    database.db,
    { retryMs: 20 },
  )
  if (!jobs) throw new Error('mail is not set up')
  jobs.run()
  onTestFinished(jobs.stop)
  return { ...jobs, warnings }
}

async function openTestMailServer(
  options: Parameters<typeof openMailServer>[0] = {},
): Promise<MailServer> {
  const server = await openMailServer(options)
  onTestFinished(server.close)
  return server
}

async function requestReset(app: TestApp, email: string, address = newAddress()) {
  const form = formOf(await app.request({ url: FORM }))
  return postForm(app, FORM, { csrf: form.csrf, email }, { cookie: form.cookie, address })
}

async function readJobs(app: TestApp) {
  const { rows } = await app.services.database.pool.query(
    `select attempts, max_attempts, last_error, locked_at is not null as locked
     from brevis_jobs.jobs order by id`,
  )
  return rows as { attempts: number; max_attempts: number; last_error: string; locked: boolean }[]
}

/** Makes jobs that are waiting for a retry due now. */
const skipRetryDelays = (app: TestApp) =>
  app.services.database.pool.query(
    'update brevis_jobs._private_jobs set run_at = now() where locked_at is null',
  )

/** Ends the windows of a minute, as if a minute had passed. */
const forgetMinute = (app: TestApp) =>
  app.services.database.pool.query(
    `delete from rate_windows where subject like 'day:forgot-password:60:%'`,
  )

const emptyQueue = (app: TestApp) =>
  app.services.database.pool.query('delete from brevis_jobs._private_jobs')

test('a mailed link sets a new password, and the database does not contain its token', async ({
  app,
  owner,
}) => {
  const server = await openTestMailServer()
  const jobs = runJobs(app, server.url)
  const signIn = await app.request({ url: '/console/sign-in' })
  expect(signIn.body).toContain('<a href="/console/forgot-password">Forgot password?</a>')
  const reply = await requestReset(app, ` ${owner.account.email.toUpperCase()} `)
  expect([reply.statusCode, reply.headers.location]).toEqual([303, `${FORM}/sent`])
  const [mail] = await server.waitForMails(1)
  expect(mail).toMatchObject({
    subject: 'Reset your password for brev.test',
    to: { text: owner.account.email },
    from: { text: '"Brevis" <b@brev.test>' },
    text: expect.stringContaining('within an hour'),
  })
  await vi.waitUntil(async () => (await readJobs(app)).length === 0, WAIT_OPTIONS)
  const path = new URL(firstUrlIn(mail as never)).pathname
  const form = formOf(await app.request({ url: path }))
  const used = await postForm(
    app,
    path,
    { csrf: form.csrf, newPassword: 'another good password' },
    { cookie: form.cookie, address: newAddress() },
  )
  expect([used.statusCode, used.headers.location]).toEqual([303, '/console'])
  expect(jobs.warnings).toEqual([])
})

test('returns the same reply for active, unknown and suspended accounts, but mails only active ones', async ({
  app,
  make,
  owner,
}) => {
  const server = await openTestMailServer()
  const suspended = await make.owner()
  await inTransaction(app.services.db, (tx) =>
    setSuspended(app.services, tx, suspended.account.id, true),
  )
  const statements: number[] = []
  const emails = [suspended.account.email, 'unknown@x.test', owner.account.email]
  const replies = []
  for (const email of emails) {
    const query = vi.spyOn(app.services.database.pool, 'connect')
    replies.push(await requestReset(app, email))
    statements.push(query.mock.calls.length)
    query.mockRestore()
  }
  const comparable = replies.map(({ statusCode, headers, body }) => {
    const { date, 'x-request-id': requestId, ...rest } = headers
    return { statusCode, body, headers: { ...rest, 'content-security-policy': '' } }
  })
  expect(comparable[1]).toEqual(comparable[0])
  expect(comparable[2]).toEqual(comparable[0])
  expect(new Set(statements).size).toBe(1)
  runJobs(app, server.url)
  await vi.waitUntil(async () => (await readJobs(app)).length === 0, WAIT_OPTIONS)
  expect(server.received.map(({ to }) => to)).toMatchObject([{ text: owner.account.email }])
})

describe('a mail stays queued and is sent later', () => {
  test('if the server is unavailable, as the health page and metrics show', async ({
    app,
    owner,
  }) => {
    const stoppedServer = await openMailServer()
    await stoppedServer.close()
    runJobs(app, stoppedServer.url)
    await requestReset(app, owner.account.email)
    await vi.waitUntil(async () => (await readJobs(app))[0]?.attempts === 1, WAIT_OPTIONS)
    await vi.waitUntil(async () => !(await readJobs(app))[0]?.locked, WAIT_OPTIONS)
    const [job] = await readJobs(app)
    expect(job?.last_error).toBe("The mail server can't be reached (ESOCKET).")
    const { body } = await app.request({ url: '/metrics', remoteAddress: '127.0.0.1' })
    expect(body).toContain('brevis_mail_waiting 1\n')
    expect(body).toContain('brevis_mail_failed 0\n')
    expect(body).toContain(
      'brevis_mail_error_info{error="The mail server can\'t be reached (ESOCKET)."} 1',
    )
    const restartedServer = await openMailServer({}, stoppedServer.port)
    onTestFinished(restartedServer.close)
    await skipRetryDelays(app)
    await restartedServer.waitForMails(1)
    await vi.waitUntil(async () => (await readJobs(app)).length === 0, WAIT_OPTIONS)
  })

  test('if the process that runs jobs dies while sending', async ({ app, owner }) => {
    let isConnected = false
    const silentServer = await openTestMailServer({
      onConnect: () => {
        isConnected = true
      },
    })
    const killedRunner = runJobs(app, silentServer.url)
    await requestReset(app, owner.account.email)
    await vi.waitUntil(() => isConnected, WAIT_OPTIONS)
    // Simulates a killed process: its connections end and its job stays locked.
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'brevis importer'`
    await app.services.database.pool.query(end)
    const stopped = killedRunner.stop()
    await silentServer.close()
    await stopped
    expect(await readJobs(app)).toMatchObject([{ attempts: 1 }])
    const server = await openTestMailServer()
    runJobs(app, server.url)
    await skipRetryDelays(app)
    await server.waitForMails(1)
    await vi.waitUntil(async () => (await readJobs(app)).length === 0, WAIT_OPTIONS)
  })

  test('if the installation has reached its hourly limit', async ({ app, make, owner }) => {
    await app.services.database.pool.query(`delete from rate_windows`)
    const server = await openTestMailServer()
    runJobs(app, server.url, { perHour: 1 })
    await requestReset(app, owner.account.email)
    await server.waitForMails(1)
    await requestReset(app, (await make.owner()).account.email)
    await vi.waitUntil(async () => (await readJobs(app))[0]?.last_error, WAIT_OPTIONS)
    expect((await readJobs(app))[0]?.last_error).toBe(
      'The limit of MAILS_PER_HOUR has been reached.',
    )
    expect(server.received).toHaveLength(1)
    await app.services.database.pool.query(`delete from rate_windows`)
    await skipRetryDelays(app)
    await server.waitForMails(2)
  })
})

test('a rejected mail is dropped and counted in the metrics', async ({ app, owner }) => {
  await emptyQueue(app)
  const server = await openTestMailServer({
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error('5.1.1 No such mailbox'), { responseCode: 550 })),
  })
  runJobs(app, server.url)
  await requestReset(app, owner.account.email)
  await vi.waitUntil(async () => {
    const [job] = await readJobs(app)
    return job && !job.locked && job.attempts === job.max_attempts
  }, WAIT_OPTIONS)
  const [job] = await readJobs(app)
  expect(job).toMatchObject({
    attempts: 1,
    last_error: 'The mail server rejected the mail (550 5.1.1).',
  })
  const { body } = await app.request({ url: '/metrics', remoteAddress: '127.0.0.1' })
  expect(body).toContain('brevis_mail_waiting 0\n')
  expect(body).toContain('brevis_mail_failed 1\n')
  expect(body).not.toContain(owner.account.email)
  await emptyQueue(app)
})

describe('requests of strangers', () => {
  test('mail three links an hour to a user, which all work until one of them is used', async ({
    app,
    owner,
  }) => {
    const { db } = app.services
    const { url: issued } = await createPasswordReset(app.services, db, owner.account.id)
    await Promise.all([1, 2, 3].map(() => requestReset(app, owner.account.email)))
    expect(await readJobs(app)).toHaveLength(1)
    const server = await openTestMailServer()
    const { warnings } = runJobs(app, server.url)
    for (let count = 1; count <= 3; count += 1) {
      if (count > 1) await requestReset(app, owner.account.email)
      await server.waitForMails(count)
      await vi.waitUntil(async () => (await readJobs(app)).length === 0, WAIT_OPTIONS)
    }
    await requestReset(app, owner.account.email)
    await vi.waitUntil(() => warnings.some((text) => text.includes('hourly limit')), WAIT_OPTIONS)
    await vi.waitUntil(async () => (await readJobs(app)).length === 0, WAIT_OPTIONS)
    expect(server.received).toHaveLength(3)
    const paths = [issued, ...server.received.map(firstUrlIn)].map((url) => new URL(url).pathname)
    const readStatuses = async () => {
      const pages = await Promise.all(paths.map((url) => app.request({ url })))
      return pages.map(({ statusCode }) => statusCode)
    }
    expect(await readStatuses()).toEqual([200, 200, 200, 200])
    const used = await submitPageForm(app, paths[1] ?? '', { newPassword: 'a better password' })
    expect(used.statusCode).toBe(303)
    expect(await readStatuses()).toEqual([410, 410, 410, 410])
  })

  test('leave half of MAILS_PER_HOUR to users who have not asked today', async ({ app, make }) => {
    await app.services.database.pool.query('delete from rate_windows')
    const server = await openTestMailServer()
    const { account } = await make.owner()
    runJobs(app, server.url, { perHour: 3 })
    for (let count = 1; count <= 2; count += 1) {
      await requestReset(app, account.email)
      await server.waitForMails(count)
      await vi.waitUntil(async () => (await readJobs(app)).length === 0, WAIT_OPTIONS)
    }
    await requestReset(app, account.email)
    await vi.waitUntil(async () => (await readJobs(app))[0]?.last_error, WAIT_OPTIONS)
    expect((await readJobs(app))[0]?.last_error).toBe(
      'The half of MAILS_PER_HOUR that is not reserved has been used up.',
    )
    const other = await make.owner()
    await requestReset(app, other.account.email)
    const received = await server.waitForMails(3)
    expect(received[2]?.to).toMatchObject({ text: other.account.email })
    await emptyQueue(app)
  })
})

test('only one of several processes runs jobs at a time', async ({ app, owner }) => {
  const server = await openTestMailServer()
  const runners = [1, 2, 3].map(() => runJobs(app, server.url))
  await requestReset(app, owner.account.email)
  await server.waitForMails(1)
  // The advisory lock of the job runner.
  const { rows } = await app.services.database.pool.query(
    `select count(*)::int as locks from pg_locks
     where locktype = 'advisory' and objid = 4267003 and granted
       and database = (select oid from pg_database where datname = current_database())`,
  )
  expect(rows).toEqual([{ locks: 1 }])
  await Promise.all(runners.map(({ stop }) => stop()))
})

describe('the form for a forgotten password', () => {
  test.for([
    ['', 422],
    ['not an email', 422],
    ['a@b.test\r\nBcc: c@d.test', 422],
    ['a@b.test, c@d.test', 422],
    [`${'x'.repeat(300)}@b.test`, 422],
    ['a\u0000@b.test', 422],
  ] as const)('rejects %j', async ([email, status], { app }) => {
    await emptyQueue(app)
    const reply = await requestReset(app, email)
    expect([reply.statusCode, reply.body.includes('id="email-error"')]).toEqual([status, true])
    expect(await readJobs(app)).toEqual([])
  })

  test.for([
    ['minute', 10],
    ['hour', 20],
  ] as const)(
    'accepts, in a %s, only %i requests from an IP address',
    async ([period, max], { app }) => {
      const address = newAddress()
      for (let count = 0; count < max; count += 1) {
        expect((await requestReset(app, `u${count}@x.test`, address)).statusCode).toBe(303)
        if (period === 'hour' && count % 10 === 9) await forgetMinute(app)
      }
      const reply = await requestReset(app, 'u@x.test', address)
      expect(reply.statusCode).toBe(429)
      expect(Number(reply.headers['retry-after']) > 60).toBe(period === 'hour')
      await emptyQueue(app)
    },
  )

  test('requires a CSRF token', async ({ app, owner }) => {
    const reply = await postForm(app, FORM, { email: owner.account.email })
    expect(reply.statusCode).toBe(403)
    expect(await readJobs(app)).toEqual([])
  })

  test('reports that the service is busy when ten thousand mails are queued', async ({
    app,
    owner,
  }) => {
    await app.services.database.pool.query(
      `insert into brevis_jobs._private_jobs (task_id, payload)
       select (select id from brevis_jobs._private_tasks limit 1), '{}'
       from generate_series(1, 10000)`,
    )
    expect((await requestReset(app, owner.account.email)).statusCode).toBe(503)
    await emptyQueue(app)
  })
})

import type { ParsedMail } from 'mailparser'
import { onTestFinished, vi } from 'vitest'
import { createJobs } from '../../src/importer/jobs.ts'
import type { TestApp } from './app.ts'
import { type Person, signIn } from './console.ts'
import { openMailServer } from './mail-server.ts'
import { appTest } from './test.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'b@brev.test' }
export const WAIT_OPTIONS = { timeout: 60_000, interval: 20 }

/** Returns a `test` for email reports, at noon of a Wednesday, with a new account per test. */
export function reportTest() {
  return appTest({ env: MAIL }).extend('reportSettings', async ({ app, make }) => {
    app.clock.set('2026-11-18T12:00:00Z')
    const { db, database } = app.services
    await database.pool.query('delete from report_subscriptions')
    await database.pool.query('delete from brevis_jobs._private_jobs')
    const owner = await make.owner()
    const person = await signIn(app, owner.account.email)
    const setFrequency = async (frequency: string, caller: Pick<Person, 'send'> = person) =>
      caller.send('/console/settings/reports', { frequency })
    return { db, owner, person, setFrequency }
  })
}

type Server = Awaited<ReturnType<typeof openMailServer>>

/** Runs the jobs of an importer until the test ends. */
export async function runJobs(app: TestApp, existingServer?: Server, settings: object = {}) {
  const server = existingServer ?? (await openMailServer())
  if (!existingServer) onTestFinished(server.close)
  const mail = { smtpUrl: server.url, from: 'b@brev.test', perHour: 1000 }
  const ctx = { ...app.services, config: { ...app.services.config, mail, ...settings } }
  const jobs = createJobs(ctx, app.services.db, { retryMs: 20 })
  if (!jobs) throw new Error('mail is not set up')
  jobs.run()
  onTestFinished(jobs.stop)
  return { server, stop: jobs.stop }
}

/** Waits until no report is due and no job is left. */
export async function waitUntilIdle({ services, clock }: TestApp): Promise<void> {
  const pending = `select from report_subscriptions where next_at <= $1
    union all select from brevis_jobs.jobs`
  await vi.waitUntil(
    async () => (await services.database.pool.query(pending, [clock()])).rows.length === 0,
    WAIT_OPTIONS,
  )
}

export async function visit(app: TestApp, alias: string, count: number, referer?: string) {
  for (let visitor = 1; visitor <= count; visitor += 1) {
    await app.request({
      url: `/${alias}`,
      remoteAddress: `198.51.100.${100 + visitor + (referer ? 50 : 0)}`,
      headers: { 'user-agent': FIREFOX, ...(referer && { referer }) },
    })
  }
  await app.importClicks()
}

export function findUnsubscribeUrl(mail: ParsedMail | undefined): string {
  const line = mail?.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line ?? ''
  return /<(.*)>/.exec(line.replace(/\r\n\s+/g, ''))?.[1] ?? ''
}

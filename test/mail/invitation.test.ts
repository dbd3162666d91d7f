import { expect, onTestFinished, vi } from 'vitest'
import { setPlan } from '../../src/identity/account.service.ts'
import { invite, withdrawInvitation } from '../../src/identity/invitation.service.ts'
import { updateUser } from '../../src/identity/user.service.ts'
import { createJobs } from '../../src/importer/jobs.ts'
import { addMember, createAccountFor } from '../../src/operator/user-actions.service.ts'
import { COMMAND_LINE } from '../../src/operator-log/operator-log.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { firstUrlIn, openMailServer } from '../support/mail-server.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'b@brev.test' } })

test('an invitation is mailed to the invited address, unless it was withdrawn', async ({
  app,
  make,
}) => {
  const { services } = app
  const { db } = services
  const { account } = await make.owner()
  const withdrawn = await invite(scopeOf({ ...services, db }, account.id), {
    email: 'no@x.test',
    role: 'viewer',
  })
  expect(withdrawn).toEqual({ email: 'no@x.test' })
  const [{ id } = { id: 0 }] = await db.selectFrom('invitations').select('id').execute()
  await withdrawInvitation({ db, accountId: account.id }, id)
  await invite(scopeOf({ ...services, db }, account.id), { email: 'guest@x.test', role: 'editor' })
  const server = await openMailServer()
  onTestFinished(server.close)
  const mail = { smtpUrl: server.url, from: 'b@brev.test', perHour: 100 }
  const ctx = { ...services, config: { ...services.config, mail } }
  const jobs = createJobs(ctx, db, { retryMs: 20 })
  jobs?.run()
  onTestFinished(async () => jobs?.stop())
  const [sent] = await server.waitForMails(1)
  expect(sent).toMatchObject({
    to: { text: 'guest@x.test' },
    subject: `You’re invited to ${account.username} on brev.test`,
  })
  await vi.waitUntil(
    async () =>
      (await services.database.pool.query('select from brevis_jobs.jobs')).rows.length === 0,
    { timeout: 60_000 },
  )
  expect(server.received).toHaveLength(1)
  const page = await app.request({ url: new URL(firstUrlIn(sent as never)).pathname })
  expect([page.statusCode, page.body.includes(`Join the account ${account.username}`)]).toEqual([
    200,
    true,
  ])
})

test('a new account invites three people a day by mail, and an older one more', async ({
  app,
  make,
}) => {
  const { services } = app
  const { db } = services
  const { account } = await make.owner()
  await make.owner()
  const inviteNext = (count: number) =>
    invite(scopeOf({ ...services, db }, account.id), {
      email: `guest${count}@x.test`,
      role: 'viewer',
    })
  const grant = (admin: boolean) =>
    db.updateTable('users').set({ admin }).where('email', '=', account.email).execute()
  await grant(false)
  for (const count of [1, 2, 3]) await inviteNext(count)
  await expect(inviteNext(4)).rejects.toMatchObject({ code: 'new_account_limited', status: 429 })
  await grant(true)
  expect(await inviteNext(4)).toEqual({ email: 'guest4@x.test' })
  await grant(false)
  await expect(inviteNext(5)).rejects.toMatchObject({ code: 'new_account_limited' })
  await setPlan(db, account.id, 'pro', null)
  expect(await inviteNext(5)).toEqual({ email: 'guest5@x.test' })
  await setPlan(db, account.id, 'free', null)
  await services.database.pool.query(
    `update accounts set registered_at = now() - interval '7 days'`,
  )
  expect(await inviteNext(6)).toEqual({ email: 'guest6@x.test' })
  const open = await db
    .selectFrom('invitations')
    .where('account_id', '=', account.id)
    .select('id')
    .execute()
  expect(open).toHaveLength(6)
  await services.database.pool.query('delete from brevis_jobs._private_jobs')
})

test('a user created by an admin receives a link, unless they have set a password', async ({
  app,
  make,
}) => {
  const { services } = app
  const { db } = services
  const actor = COMMAND_LINE
  const newUser = { email: 'new@x.test', username: 'newcomer', plan: 'free' } as const
  const created = await createAccountFor(services, db, actor, newUser)
  expect(created.welcome).toEqual({ url: undefined })
  const { account } = await make.owner()
  const memberWithPassword = { email: 'settled@x.test', role: 'viewer' } as const
  const { user } = await addMember(services, db, actor, account, memberWithPassword)
  await updateUser(services, db, user.id, { password: 'chosen already' })
  const server = await openMailServer()
  onTestFinished(server.close)
  const mail = { smtpUrl: server.url, from: 'b@brev.test', perHour: 100 }
  const jobs = createJobs({ ...services, config: { ...services.config, mail } }, db, {
    retryMs: 20,
  })
  jobs?.run()
  onTestFinished(async () => jobs?.stop())
  const [sent] = await server.waitForMails(1)
  expect(sent).toMatchObject({ to: { text: 'new@x.test' }, subject: 'Your account on brev.test' })
  await vi.waitUntil(
    async () =>
      (await services.database.pool.query('select from brevis_jobs.jobs')).rows.length === 0,
    { timeout: 60_000 },
  )
  expect(server.received).toHaveLength(1)
  const page = await app.request({ url: new URL(firstUrlIn(sent as never)).pathname })
  expect([page.statusCode, page.body.includes('new@x.test')]).toEqual([200, true])
})

test('an invitation is in the language of its recipient or, if unknown, of the owner', async ({
  app,
  make,
}) => {
  const { services } = app
  const { db } = services
  const { account } = await make.owner()
  const ownerWithLanguage = await make.owner()
  await db.updateTable('users').set({ language: 'de' }).execute()
  await db
    .updateTable('users')
    .set({ language: 'en' })
    .where('email', '=', ownerWithLanguage.account.email)
    .execute()
  const server = await openMailServer()
  onTestFinished(server.close)
  const mail = { smtpUrl: server.url, from: 'b@brev.test', perHour: 100 }
  const ctx = { ...services, config: { ...services.config, mail } }
  await invite(scopeOf({ ...ctx, db }, account.id), { email: 'neu@x.test', role: 'viewer' })
  await invite(scopeOf({ ...ctx, db }, account.id), {
    email: ownerWithLanguage.account.email,
    role: 'editor',
  })
  const jobs = createJobs(ctx, db, { retryMs: 20 })
  jobs?.run()
  onTestFinished(async () => jobs?.stop())
  const sent = await server.waitForMails(2)
  const subjects = new Map(sent.map((each) => [(each.to as { text: string }).text, each.subject]))
  expect(subjects.get('neu@x.test')).toBe(`Einladung zu ${account.username} auf brev.test`)
  expect(subjects.get(ownerWithLanguage.account.email)).toBe(
    `You’re invited to ${account.username} on brev.test`,
  )
  const germanMail = sent.find(({ text }) => text?.includes('Ihre Rolle: Betrachter.'))
  expect(germanMail && firstUrlIn(germanMail)).toContain('/console/invitations/')
})

test('the link for a user created by an admin is in the language of the admin', async ({
  app,
  make,
}) => {
  const { services } = app
  const { db } = services
  const [{ account }, admin] = [await make.owner(), await make.owner()]
  await db
    .updateTable('users')
    .set({ language: 'de', admin: true })
    .where('email', '=', admin.account.email)
    .execute()
  const server = await openMailServer()
  onTestFinished(server.close)
  const mail = { smtpUrl: server.url, from: 'b@brev.test', perHour: 100 }
  const jobs = createJobs({ ...services, config: { ...services.config, mail } }, db, {
    retryMs: 20,
  })
  jobs?.run()
  onTestFinished(async () => jobs?.stop())
  const newMember = { email: 'neu@x.test', role: 'viewer' } as const
  const { user } = await addMember(services, db, admin.account.email, account, newMember)
  const [sent] = await server.waitForMails(1)
  expect(sent).toMatchObject({ to: { text: newMember.email }, subject: 'Ihr Konto auf brev.test' })
  const stored = db.selectFrom('users').select('language').where('id', '=', user.id)
  expect(await stored.execute()).toEqual([{ language: 'de' }])
})

import { describe, expect } from 'vitest'
import { removeMember } from '../../src/identity/member.service.ts'
import { deletePermanently, restoreLinks } from '../../src/links/trash.service.ts'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { campaigns } from '../../src/resources/campaigns.ts'
import { scopeOf } from '../../src/scope.ts'
import type { TestApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import { signInMember } from '../support/members.ts'
import {
  findUnsubscribeUrl,
  reportTest,
  runJobs,
  visit,
  waitUntilIdle,
} from '../support/report-test.ts'
import { appTest } from '../support/test.ts'

const test = reportTest()
const MONDAY = '2026-11-23T07:00:00Z'

async function countSubscriptions({ services }: TestApp): Promise<number> {
  const { rows } = await services.database.pool.query('select from report_subscriptions')
  return rows.length
}

test('a member gets reports on a link and on a campaign, and ends one of them by its mail', async ({
  app,
  make,
  reportSettings: { owner, person, setFrequency },
}) => {
  const scope = scopeOf(app.services, owner.account.id)
  const link = await make.link(owner, { alias: 'own', metaTitle: 'Spring & <sale>' })
  const other = await make.link(owner, { alias: 'other' })
  const campaign = await make.campaign(owner, { name: 'Ads "2026"' })
  await addLinkToCampaign(scope, campaign.id, link.id)
  await addLinkToCampaign(scope, campaign.id, other.id)
  app.clock.set('2026-11-12T12:00:00Z')
  await visit(app, 'own', 2)
  app.clock.set('2026-11-19T12:00:00Z')
  await visit(app, 'own', 3)
  await visit(app, 'other', 1)
  for (const [path, frequency] of [
    [`/console/links/${link.id}`, 'weekly'],
    [`/console/campaigns/${campaign.id}`, 'monthly'],
    [`/console/campaigns/${campaign.id}`, 'weekly'],
  ] as const) {
    const back = `${path}?period=7d`
    const reply = await person.send(`${path}/report`, { frequency, back })
    expect([reply.statusCode, reply.headers.location]).toEqual([303, back])
    const { body } = await person.open(path)
    expect(body).toContain('Email report: on')
    expect(body).toContain(`value="${frequency}" selected`)
  }
  const settings = await person.open('/console/settings')
  expect(settings.body).toContain('<bdi>Spring &amp; &lt;sale&gt;</bdi></a>')
  expect(settings.body).toContain('<bdi>Ads &quot;2026&quot;</bdi></a>')
  expect(settings.body).toContain('value="off" selected')
  expect(await countSubscriptions(app)).toBe(2)
  await setFrequency('weekly')

  app.clock.set(MONDAY)
  const { server } = await runJobs(app)
  await server.waitForMails(3)
  await waitUntilIdle(app)
  const mails = new Map(server.received.map((mail) => [mail.subject, mail]))
  const { username } = owner.account
  const span = 'Nov 16 – 22, 2026'
  const linkMail = mails.get(`Weekly report for Spring & <sale>: ${span}`)
  const campaignMail = mails.get(`Weekly report for Ads "2026": ${span}`)
  expect([...mails.keys()]).toContain(`Weekly report for ${username}: ${span}`)
  expect(linkMail?.text).toContain(
    `Clicks on Spring & <sale> (brev.test/own) in ${username} on brev.test, ${span}.`,
  )
  expect(linkMail?.text).toContain('Clicks: 3 (↑ 50% vs. 2 the week before)')
  expect(linkMail?.text).not.toContain('Top links')
  expect(linkMail?.text).toContain(`Open analytics:\nhttp://brev.test/console/links/${link.id}\n`)
  expect(linkMail?.html).toContain('Clicks on Spring &amp; &lt;sale&gt; (brev.test/own)')
  expect(campaignMail?.text).toContain('Clicks on the links of the campaign Ads "2026" in')
  expect(campaignMail?.text).toContain('Clicks: 4 (↑ 100% vs. 2 the week before)')
  expect(campaignMail?.text).toContain('- Spring & <sale> (brev.test/own): 3\n- brev.test/other: 1')

  const { pathname } = new URL(findUnsubscribeUrl(linkMail))
  expect((await app.request({ method: 'POST', url: pathname })).statusCode).toBe(200)
  const { body } = await person.open('/console/settings')
  expect(body).not.toContain('Spring &amp; &lt;sale&gt;')
  expect(body).toContain('Ads &quot;2026&quot;')
  expect(body).toContain('value="weekly" selected')
})

test('a member ends a report in the settings, and nobody else’s', async ({
  app,
  make,
  reportSettings: { owner, person },
}) => {
  const link = await make.link(owner, { alias: 'mine' })
  const viewer = await signInMember(app, owner, 'viewer')
  const path = `/console/links/${link.id}/report`
  expect((await viewer.send(path, { frequency: 'monthly' })).headers.location).toBe(
    `/console/links/${link.id}`,
  )
  const { body } = await viewer.open('/console/settings')
  const [end = ''] = /\/console\/settings\/reports\/\d+\/end/.exec(body) ?? []
  expect((await person.open('/console/settings')).body).not.toContain(end)
  expect((await person.send(end, {})).statusCode).toBe(404)
  expect(await countSubscriptions(app)).toBe(1)
  expect((await viewer.send(end, {})).headers.location).toBe('/console/settings')
  expect(await countSubscriptions(app)).toBe(0)
  expect((await viewer.open('/console/settings')).body).toContain('For a report on one link')
})

test('rejects unknown frequencies, links and campaigns of others, and too many reports', async ({
  app,
  make,
  reportSettings: { owner, person },
}) => {
  const link = await make.link(owner)
  const path = `/console/links/${link.id}/report`
  const rejected = await person.send(path, { frequency: 'hourly', back: '/console/settings' })
  expect(rejected.statusCode).toBe(422)
  expect(rejected.body).toContain('Must be one of off, weekly, monthly.')
  expect(rejected.body).toContain('Email report on brev.test/')
  expect(rejected.body).toContain('name="back" value="/console/settings"')
  const elsewhere = await person.send(path, { frequency: 'weekly', back: 'https://a.test/console' })
  expect(elsewhere.headers.location).toBe(`/console/links/${link.id}`)

  const stranger = await make.owner()
  const foreignLink = await make.link(stranger)
  const foreignCampaign = await make.campaign(stranger)
  for (const url of [
    `/console/links/${foreignLink.id}/report`,
    `/console/campaigns/${foreignCampaign.id}/report`,
    '/console/links/999999999/report',
    '/console/links/x/report',
  ]) {
    expect([url, (await person.send(url, { frequency: 'weekly' })).statusCode]).toEqual([url, 404])
  }
  expect(await countSubscriptions(app)).toBe(1)

  const others = await Promise.all(Array.from({ length: 50 }, () => make.link(owner)))
  const replies = await Promise.all(
    others.map(({ id }) => person.send(`/console/links/${id}/report`, { frequency: 'weekly' })),
  )
  const refused = replies.filter(({ statusCode }) => statusCode !== 303)
  expect(refused.map(({ statusCode }) => statusCode)).toEqual([422])
  expect(refused[0]?.body).toContain('a member has at most 50 email reports')
  expect(await countSubscriptions(app)).toBe(50)
  // A report that exists can still be changed, and ended for another one.
  expect((await person.send(path, { frequency: 'monthly' })).statusCode).toBe(303)
  await Promise.all([1, 2, 3].map(() => person.send(path, { frequency: 'weekly' })))
  expect(await countSubscriptions(app)).toBe(50)
})

describe('sends no report', () => {
  test('on a link in the trash, until it is restored, or on what is gone', async ({
    app,
    make,
    reportSettings: { owner, person },
  }) => {
    const scope = scopeOf(app.services, owner.account.id)
    const link = await make.link(owner, { alias: 'trashed' })
    const campaign = await make.campaign(owner, { name: 'Gone' })
    await person.send(`/console/links/${link.id}/report`, { frequency: 'weekly' })
    await person.send(`/console/campaigns/${campaign.id}/report`, { frequency: 'weekly' })
    await person.send(`/console/links/${link.id}/delete`)
    await campaigns.remove(scope, campaign.id)
    const { body } = await person.open('/console/settings')
    expect(body).toContain('<bdi>brev.test/trashed</bdi> <span class="chip">Paused: in the trash')
    expect(body).not.toContain(`href="/console/links/${link.id}"`)
    expect(body).not.toContain('Gone')

    app.clock.set(MONDAY)
    const { server } = await runJobs(app)
    await waitUntilIdle(app)
    expect(server.received).toEqual([])
    await restoreLinks(scope, [link.id])
    app.clock.set('2026-11-30T07:00:00Z')
    await runJobs(app, server)
    const [mail] = await server.waitForMails(1)
    await waitUntilIdle(app)
    expect(mail?.subject).toContain('Weekly report for brev.test/trashed')
    expect(server.received).toHaveLength(1)

    await person.send(`/console/links/${link.id}/delete`)
    await deletePermanently(scope, [link.id])
    expect(await countSubscriptions(app)).toBe(0)
  })

  test('to a removed member', async ({ app, make, reportSettings: { db, owner, person } }) => {
    const { id } = await make.link(owner)
    const path = `/console/links/${id}/report`
    const member = await signInMember(app, owner, 'editor')
    await member.send(path, { frequency: 'weekly' })
    await person.send(path, { frequency: 'weekly' })
    await removeMember({ db, accountId: owner.account.id }, member.user.id)
    expect(await countSubscriptions(app)).toBe(1)
    app.clock.set(MONDAY)
    const { server } = await runJobs(app)
    await server.waitForMails(1)
    await waitUntilIdle(app)
    expect(server.received.map(({ to }) => [to].flat()[0]?.text)).toEqual([owner.account.email])
  })
})

test('cuts long titles in the subject, and writes in German', async ({
  app,
  make,
  reportSettings: { owner, person },
}) => {
  await person.send('/console/settings', { language: 'de', timeZone: 'Europe/Berlin' })
  const link = await make.link(owner, { alias: 'lang', metaTitle: 'ü'.repeat(512) })
  const path = `/console/links/${link.id}`
  expect((await person.open(path)).body).toContain('E-Mail-Bericht</summary>')
  await person.send(`${path}/report`, { frequency: 'weekly' })
  expect((await person.open('/console/settings')).body).toContain('Bericht beenden')
  app.clock.set(MONDAY)
  const { server } = await runJobs(app)
  const [mail] = await server.waitForMails(1)
  expect(mail?.subject).toBe(`Wochenbericht für ${'ü'.repeat(100)}…: 16.–22.11.2026`)
  expect(mail?.text).toContain(`Klicks auf ${'ü'.repeat(512)} (brev.test/lang) in`)
})

const testWithoutMail = appTest()

testWithoutMail('there are no such reports without mail', async ({ app, make, owner }) => {
  const person = await signIn(app, owner.account.email)
  const { id } = await make.link(owner)
  expect((await person.open(`/console/links/${id}`)).body).not.toContain('Email report')
  const reply = await person.send(`/console/links/${id}/report`, { frequency: 'weekly' })
  expect([reply.statusCode, await countSubscriptions(app)]).toEqual([404, 0])
  expect((await person.open('/console/settings')).body).toContain('Email isn’t set up')
})

import { expect } from 'vitest'
import { deleteLink } from '../../src/links/link.service.ts'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { campaigns } from '../../src/resources/campaigns.ts'
import { scopeOf } from '../../src/scope.ts'
import { unescapeHtml } from '../support/forms.ts'
import { linkPageTest, readFigures, visitTimes } from '../support/link-page.ts'

const test = linkPageTest()

const readSharedUrl = (body: string) =>
  /id="shared" data-text="http:\/\/brev\.test(\/shared\/[\w-]{43})"/.exec(body)?.[1] ?? ''

test('creates and revokes a public page of a link', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const { id, alias } = await make.link(owner, { tags: ['secret tag'], metaTitle: 'Spring & more' })
  const other = await make.link(owner, { alias: 'other-link' })
  await visitTimes(app, alias, 3, { referer: 'https://news.example/' })
  await visitTimes(app, other.alias, 5)
  await app.importClicks()
  const path = `/console/links/${id}`
  expect(readSharedUrl((await person.open(path)).body)).toBe('')
  const created = await person.send(`${path}/share`, { back: `${path}?period=7d` })
  expect([created.statusCode, created.headers.location]).toEqual([303, `${path}?period=7d`])
  const shared = readSharedUrl((await person.open(path)).body)
  // Sharing again keeps the page.
  await person.send(`${path}/share`)
  expect(readSharedUrl((await person.open(path)).body)).toBe(shared)

  const page = await request({ url: shared })
  expect(page.statusCode).toBe(200)
  expect(page.headers['x-robots-tag']).toBe('noindex')
  expect(page.headers['referrer-policy']).toBe('no-referrer')
  expect(page.headers['set-cookie']).toBeUndefined()
  expect(readFigures(page.body)).toEqual(['3', '3', '0', '100%'])
  expect(page.body).toContain(
    `Spring &amp; more</bdi></h1>\n<p class="soft"><bdi>brev.test/${alias}</bdi></p>`,
  )
  expect(page.body).toContain('<bdi>news.example</bdi>')
  for (const text of [
    'other-link',
    // Matches both "secret" and "Secret".
    'ecret',
    owner.account.username,
    owner.account.email,
    '/console/links',
  ]) {
    expect(page.body).not.toContain(text)
  }
  const [, today] = /href="([^"]+period=today)"/.exec(page.body) ?? []
  expect(unescapeHtml(today ?? '')).toBe(`${shared}?period=today`)
  const hours = (await request({ url: `${shared}?period=today` })).body.match(/<rect x="/g)
  expect(hours).toHaveLength(24)
  // Filters require a session.
  expect(readFigures((await request({ url: `${shared}?browser=Chrome` })).body)[0]).toBe('3')

  expect((await person.send(`${path}/unshare`)).statusCode).toBe(303)
  expect((await request({ url: shared })).statusCode).toBe(404)
  await person.send(`${path}/share`)
  expect(readSharedUrl((await person.open(path)).body)).not.toBe(shared)
  expect((await request({ url: shared })).statusCode).toBe(404)
})

test('a public page does not reveal the variants of a link', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const split = ['one', 'two'].map((name) => ({ to: `https://hidden.example/${name}`, weight: 1 }))
  const { id, alias } = await make.link(owner, { split })
  await visitTimes(app, alias, 5)
  await app.importClicks()
  const path = `/console/links/${id}`
  expect((await person.open(`${path}?tab=variants`)).body).toContain('hidden.example')
  await person.send(`${path}/share`)
  const shared = readSharedUrl((await person.open(path)).body)
  const page = await request({ url: `${shared}?tab=variants` })
  expect(readFigures(page.body)[0]).toBe('5')
  expect(page.body).not.toContain('hidden.example')
})

test('a public page has the brand of the domain of its link', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const domain = await make.domain(owner, { domain: 'https://shop.test' })
  const logo = 'iVBORw0KGgo='
  const { pool } = app.services.database
  await pool.query(
    "update domains set accent = '#aa3300', logo = $1, footer = false where id = $2",
    [logo, domain.id],
  )
  const open = async (options: { domain?: string }) => {
    const { id } = await make.link(owner, { metaTitle: 'Menu', ...options })
    await person.send(`/console/links/${id}/share`)
    return request({ url: readSharedUrl((await person.open(`/console/links/${id}`)).body) })
  }
  const branded = await open({ domain: 'shop.test' })
  expect(branded.body).toContain(
    `<main>\n<p class="own-logo"><img src="data:image/png;base64,${logo}"`,
  )
  expect(branded.body).toContain('--accent:#aa3300')
  expect(branded.body).not.toContain('<footer>')
  const plain = await open({})
  expect(plain.body).not.toContain('own-logo')
  expect(plain.body).toContain('<footer>')
})

test('a public page of a campaign counts its links without naming them', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const { id } = await make.campaign(owner, { name: 'Launch <week>' })
  const links = [await make.link(owner), await make.link(owner)]
  for (const { id: link, alias } of links) {
    await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, id, link)
    await visitTimes(app, alias, 1)
  }
  await app.importClicks()
  const path = `/console/campaigns/${id}`
  await person.send(`${path}/share`)
  const shared = readSharedUrl((await person.open(path)).body)
  const { body } = await request({ url: shared })
  expect(body).toContain('<bdi>Launch &lt;week&gt;</bdi>')
  expect(readFigures(body)[0]).toBe('2')
  for (const { alias } of links) expect(body).not.toContain(alias)
  await campaigns.remove({ ...app.services, accountId: owner.account.id }, id)
  expect((await request({ url: shared })).statusCode).toBe(404)
})

test('returns 404 after the link is deleted and while the account is suspended', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const { id } = await make.link(owner)
  await person.send(`/console/links/${id}/share`)
  const shared = readSharedUrl((await person.open(`/console/links/${id}`)).body)
  const { pool } = app.services.database
  const setSuspendedAt = (at: string) =>
    pool.query(`update accounts set suspended_at = ${at} where id = $1`, [owner.account.id])
  await setSuspendedAt('now()')
  expect((await request({ url: shared })).statusCode).toBe(404)
  await setSuspendedAt('null')
  expect((await request({ url: shared })).statusCode).toBe(200)
  await deleteLink(scopeOf(app.services, owner.account.id), id)
  expect((await request({ url: shared })).statusCode).toBe(404)
})

test('rejects sharing of other accounts’ links and any sharing by viewers', async ({
  app,
  make,
  otherOwner,
  owner,
  person,
}) => {
  const foreignLink = await make.link(otherOwner)
  const campaign = await make.campaign(otherOwner)
  for (const path of [`links/${foreignLink.id}`, `campaigns/${campaign.id}`, 'links/999999']) {
    expect((await person.send(`/console/${path}/share`)).statusCode).toBe(404)
    expect((await person.send(`/console/${path}/unshare`)).statusCode).toBe(404)
  }
  const { pool } = app.services.database
  const stored = async () =>
    (
      await pool.query('select * from shared_statistics where account_id = any($1)', [
        [owner.account.id, otherOwner.account.id],
      ])
    ).rows
  expect(await stored()).toEqual([])
  const ownLink = await make.link(owner)
  await pool.query("update members set role = 'viewer' where account_id = $1", [owner.account.id])
  const { body } = await person.open(`/console/links/${ownLink.id}`)
  expect(body).not.toContain('/share"')
  expect((await person.send(`/console/links/${ownLink.id}/share`)).statusCode).toBe(403)
  expect(await stored()).toEqual([])
})

test('returns 404 for unknown tokens and on branded domains, and limits requests', async ({
  make,
  owner,
  person,
  request,
}) => {
  const { id } = await make.link(owner)
  await person.send(`/console/links/${id}/share`)
  const shared = readSharedUrl((await person.open(`/console/links/${id}`)).body)
  for (const url of [
    '/shared/x',
    `/shared/${'a'.repeat(43)}`,
    `${shared}x`,
    '/shared/%00',
    '/shared',
  ]) {
    expect([url, (await request({ url })).statusCode]).toEqual([url, 404])
  }
  await make.domain(owner, { domain: 'https://brand.test' })
  expect((await request({ url: shared, headers: { host: 'brand.test' } })).statusCode).toBe(404)
  const remoteAddress = '198.51.100.77'
  const statuses = new Set<number>()
  for (let count = 0; count <= 61 && !statuses.has(429); count += 1) {
    statuses.add((await request({ url: shared, remoteAddress })).statusCode)
  }
  expect(statuses).toEqual(new Set([200, 429]))
  expect((await request({ url: shared, remoteAddress: '198.51.100.78' })).statusCode).toBe(200)
})

import { expect } from 'vitest'
import { deleteLink } from '../../src/links/link.service.ts'
import { findByShortLink } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { testApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import { FIREFOX } from '../support/stats-test.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('person', { scope: 'file' }, ({ app, owner }) =>
  signIn(app, owner.account.email),
)

test('suggests creating a first link', async ({ person }) => {
  const { body } = await person.open('/console')
  expect(body).toMatch(/id="url"[^>]*autofocus/)
  expect(body).toContain('No links yet. Create your first one above.')
  expect(body).toContain('No clicks in the last 30 days.')
  expect(body).toContain('No clicks in the previous 30 days')
  expect(body).not.toContain('class="chart"')
})

test('creates a link and shows its short URL', async ({ app, person }) => {
  const fields = { url: ' https://example.com/?a=1&b=<2> ', alias: 'spring' }
  const reply = await person.send('/console/links', fields)
  expect([reply.statusCode, reply.headers.location]).toEqual([
    303,
    expect.stringMatching(/^\/console\?made=\d+$/),
  ])
  const { body } = await person.open(String(reply.headers.location))
  expect(body).toContain('id="made" data-text="http://brev.test/spring"')
  expect((await app.request({ url: '/spring' })).statusCode).toBe(302)
  const random = await person.send('/console/links', { url: 'https://example.com/' })
  const page = await person.open(String(random.headers.location))
  expect(page.body).toMatch(/id="made" data-text="http:\/\/brev\.test\/\w{7}"/)
})

test.for([
  ['decoded', 'café-1', 'café-1'],
  ['percent-encoded', 'caf%C3%A9-2', 'café-2'],
  ['with its host', 'brev.test/caf%c3%a9-3', 'café-3'],
  ['with scheme and host', ' https://brev.test/café-4 ', 'café-4'],
] as const)('accepts an alias %s', async ([, input, alias], { app, owner, person }) => {
  const fields = { url: 'https://example.com/', alias: input }
  const reply = await person.send('/console/links', fields)
  expect(reply.statusCode).toBe(303)
  const link = await findByShortLink(scopeOf(app.services, owner.account.id), alias)
  expect(link?.alias).toBe(alias)
  const { body } = await person.open(String(reply.headers.location))
  const shortUrl = `http://brev.test/${encodeURIComponent(alias)}`
  expect(body).toContain(`id="made" data-text="${shortUrl}" href="${shortUrl}"`)
  expect(body).toContain(`<bdi>brev.test/${alias}</bdi>`)
})

test.for([
  [{ url: '', alias: '' }, 422, 'url'],
  [{ url: 'javascript:alert(1)', alias: 'x1' }, 422, 'url'],
  [{ url: 'https://example.com/"><script>', alias: 'no spaces' }, 422, 'alias'],
  [{ url: 'https://example.com/', alias: 'Console' }, 422, 'alias'],
  [{ url: 'https://example.com/', alias: 'https://other.example/spring' }, 422, 'alias'],
  [{ url: 'https://example.com/', alias: 'a%2F' }, 422, 'alias'],
  [{ url: 'https://example.com/', alias: 'spring' }, 422, 'alias'],
] as const)(
  'the form with %j returns %i and an error at the field %s',
  async ([fields, status, fieldId], { person }) => {
    const reply = await person.send('/console/links', fields)
    expect(reply.statusCode).toBe(status)
    expect(reply.body).toMatch(new RegExp(`id="${fieldId}"[^>]*aria-invalid="true"[^>]*autofocus`))
    expect(reply.body.match(/ autofocus/g)).toHaveLength(1)
    expect(reply.body).toContain(`value="${fields.alias}"`)
    expect(reply.body).not.toContain('"><script>')
  },
)

test('"More options" opens the full form with the values entered so far', async ({ person }) => {
  const { body } = await person.open('/console')
  const [button = ''] = /<button[^>]*value="options"[^>]*>/.exec(body) ?? []
  expect(button).toContain('formaction="/console/links/new" formnovalidate')
  const input = { url: 'https://example.com/?a=1&b="2"', alias: 'Größe ', more: 'options' }
  const reply = await person.send('/console/links/new', input)
  expect(reply.statusCode).toBe(200)
  expect(reply.body).toContain('value="https://example.com/?a=1&amp;b=&quot;2&quot;"')
  expect(reply.body).toContain('value="Größe "')
  expect(reply.body).toContain(' data-unsaved')
  expect(reply.body).not.toContain('aria-invalid')
  const empty = await person.send('/console/links/new', { url: '', alias: '', more: 'options' })
  expect([empty.statusCode, empty.body.includes(' data-unsaved')]).toEqual([200, false])
})

test('does not show another account’s link as created', async ({ app, person }) => {
  const other = await app.make.owner()
  const { id } = await app.make.link(other, { alias: 'secret-alias' })
  for (const created of [String(id), '0', 'x', '9'.repeat(30), '1&made=2']) {
    const reply = await person.open(`/console?made=${created}`)
    expect([reply.statusCode, reply.body.includes('secret-alias')]).toEqual([200, false])
    expect(reply.body).not.toContain('Your link is ready')
  }
})

test('shows an error if the account has reached its limit', async () => {
  const limitedApp = await testApp({ env: { LINKS_PER_ACCOUNT: '1' } })
  try {
    const { account } = await limitedApp.make.owner()
    const session = await signIn(limitedApp, account.email)
    await session.send('/console/links', { url: 'https://example.com/' })
    const reply = await session.send('/console/links', { url: 'https://example.com/second' })
    expect(reply.statusCode).toBe(403)
    expect(reply.body).toContain('reached its maximum number of links')
    expect(reply.body).toContain('value="https://example.com/second"')
  } finally {
    await limitedApp.close()
  }
})

test('compares the clicks of the last thirty days with the previous thirty', async ({ app }) => {
  const owner = await app.make.owner()
  const session = await signIn(app, owner.account.email)
  const firstLink = await app.make.link(owner)
  const secondLink = await app.make.link(owner)
  await app.make.qr(owner)
  const visit = (alias: string, address: string) =>
    app.request({ url: `/${alias}`, remoteAddress: address })
  await visit(firstLink.alias, '198.51.100.1')
  for (let count = 1; count <= 3; count += 1) await visit(secondLink.alias, `198.51.100.${count}`)
  await app.importClicks()
  const { body } = await session.open('/console')
  expect(body).toContain('<p class="figure">4</p>')
  expect(body).toContain('<title id="chart-title">Clicks by day, last 30 days</title>')
  expect(body.match(/<td class="number">/g)).toHaveLength(30)
  const topLinks = body.slice(body.indexOf('Top links'))
  expect(topLinks.indexOf(`brev.test/${secondLink.alias}`)).toBeLessThan(
    topLinks.indexOf(`brev.test/${firstLink.alias}`),
  )
  expect(topLinks).toMatch(/3 clicks[\s\S]*1 click</)
  app.clock.advance(30 * 86_400)
  const laterPage = await (await signIn(app, owner.account.email)).open('/console')
  expect(laterPage.body).toContain('<p class="figure">0</p>')
  expect(laterPage.body).toContain('−4 vs. previous 30 days (4)')
})

test('lists the most clicked links, without those of bio pages and QR codes or in the trash', async ({
  app,
}) => {
  const { make, services } = app
  const owner = await make.owner()
  const person = await signIn(app, owner.account.email)
  const links = []
  for (let count = 0; count < 5; count += 1) links.push(await make.link(owner))
  const trashed = await make.link(owner)
  const bio = await make.bio(owner, {
    links: [...'abcdefghijk'].map((name) => ({ url: `https://${name}.example/` })),
  })
  await make.qr(owner)
  const code = await services.db
    .selectFrom('links')
    .select('alias')
    .where('account_id', '=', owner.account.id)
    .where('kind', '=', 'qr')
    .executeTakeFirstOrThrow()
  const hidden = [...bio.links.map(({ alias }) => alias), code.alias, trashed.alias]
  for (const alias of [...hidden, ...hidden, ...links.map((link) => link.alias)]) {
    const headers = { 'user-agent': FIREFOX }
    expect((await app.request({ url: `/${alias}`, headers })).statusCode).toBe(302)
  }
  await app.importClicks()
  await deleteLink(scopeOf(services, owner.account.id), trashed.id)

  const aliases = links.map(({ alias }) => alias).sort()
  const { body } = await person.open('/console')
  const topLinks = body.slice(body.indexOf('Top links'))
  expect(aliases.filter((alias) => topLinks.includes(alias))).toHaveLength(5)
  const { headers } = owner
  for (const query of ['', '&browser=Firefox', '&tz=Europe/Berlin']) {
    const reply = await app.request({ url: `/api/stats?limit=5${query}`, headers })
    const { data } = reply.json()
    const topAliases = data.links.map(({ alias }: { alias: string }) => alias)
    expect([query, topAliases.sort()]).toEqual([query, aliases])
  }
  // The heading and the five links.
  const ranking = await person.open('/console/analytics/top-links.csv')
  expect(ranking.body.trim().split('\n')).toHaveLength(6)
})

test('shows the five newest links, newest first, and escapes their long destinations', async ({
  app,
}) => {
  const owner = await app.make.owner()
  const session = await signIn(app, owner.account.email)
  const url = `https://example.com/<script>alert(1)</script>?${'x'.repeat(3000)}`
  for (let count = 0; count < 6; count += 1) await app.make.link(owner, { alias: `n${count}`, url })
  const { body } = await session.open('/console')
  const newest = [...body.matchAll(/id="newest-\d+" data-text="http:\/\/brev\.test\/(n\d)"/g)]
  expect(newest.map(([, alias]) => alias)).toEqual(['n5', 'n4', 'n3', 'n2', 'n1'])
  expect(body).not.toContain('<script>alert')
})

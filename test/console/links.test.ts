import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { formatMoment } from '../../src/http/console/shell/format.ts'
import { getLink, setLinkStatus } from '../../src/links/link.service.ts'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { scopeOf } from '../../src/scope.ts'
import { unescapeHtml } from '../support/forms.ts'
import { idsOn, linkListTest } from '../support/link-list.ts'

const test = linkListTest()

const PATH = '/console/links'

test('links to the form for a new link if there are none', async ({ person }) => {
  const { statusCode, body } = await person.open('/console/links')
  expect(statusCode).toBe(200)
  expect(body).toContain('No links yet')
  expect(body).toContain('href="/console/links/new"')
  expect(body).not.toContain('role="search"')
  expect(body).toContain('<a href="/console/links" aria-current="page">')
})

test('shows a link with destination, title, tags, clicks, the last 30 days and status', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const link = await make.link(owner, {
    alias: 'shop-window',
    url: 'https://www.example.com/?a=1&b="2"',
    metaTitle: 'Shop <b>now</b>',
    tags: ['Sale & more'],
  })
  for (const visitor of [1, 2, 3]) {
    await request({ url: '/shop-window', remoteAddress: `198.51.100.${visitor}` })
  }
  await app.importClicks()
  const { body } = await person.open('/console/links')
  expect(body).toContain(
    `id="short-${link.id}" data-text="${link.shortUrl}">brev.test/${link.alias}</bdi>`,
  )
  expect(body).toContain(
    `href="/console/links/${link.id}" id="link-${link.id}" data-main dir="auto"><bdi>Shop &lt;b&gt;now&lt;/b&gt;</bdi></a>`,
  )
  expect(body).toContain(
    'title="https://www.example.com/?a=1&amp;b=%222%22"><bdi>example.com</bdi><bdi class="soft">/?a=1&amp;b=&quot;2&quot;</bdi>',
  )
  expect(body).toContain(
    '<a href="/console/links?tag=Sale+%26+more" dir="auto">Sale &amp; more</a>',
  )
  expect(body).toContain('data-label="Clicks">3</td>')
  expect(body).toContain('<title>3 clicks in the last 30 days</title>')
  expect(body).not.toContain('class="chip')
})

test('shows whole tags, and the rest on demand', async ({ make, owner, person }) => {
  const many = ['Newsletter', 'Spring 2027', 'Third', 'Fourth']
  await make.link(owner, { alias: 'many', tags: many })
  const longTag = 'x'.repeat(50)
  await make.link(owner, { alias: 'long', tags: [longTag] })
  const { body } = await person.open('/console/links')
  for (const tag of [...many, longTag]) {
    expect(body).toContain(
      `<a href="${PATH}?${new URLSearchParams({ tag })}" dir="auto">${tag}</a>`,
    )
  }
  expect(body).toContain('+2</span><span class="hidden-text">2 more tags of brev.test/many</span>')
  expect(body).toContain('+1</span><span class="hidden-text">1 more tag of brev.test/long</span>')
  const found = await person.open('/console/links?q=fourth')
  expect(found.body).toMatch(/<mark>Fourth<\/mark>.*\+2<\/span>/s)
})

test('marks what a search found, also at the end of a destination', async ({
  make,
  owner,
  person,
}) => {
  await make.link(owner, {
    alias: 'plain',
    metaTitle: 'Shoes & <boots>',
    url: 'https://example.com/a/very/long/path/with/Boots?b=1',
  })
  await make.link(owner, { alias: 'spring-boots' })
  const { body } = await person.open('/console/links?q=BOOTS')
  expect(body).toContain('>brev.test/spring-<mark>boots</mark></bdi>')
  expect(body).toContain('Shoes &amp; &lt;<mark>boots</mark>&gt;')
  expect(body).toContain('…/with/<mark>Boots</mark>?b=1')
  expect((await person.open('/console/links')).body).not.toContain('<mark>')
})

test('filters the list by a search, a tag and a status in the URL', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const red = await make.link(owner, { alias: 'red-one', tags: ['Summer'] })
  const blue = await make.link(owner, { alias: 'blue-one', metaTitle: 'RED too' })
  const green = await make.link(owner, {
    alias: 'gone',
    tags: ['summer'],
    expiresAt: '2999-01-01',
  })
  const disabled = await make.link(owner, { alias: 'off', tags: ['SUMMER'] })
  await setLinkStatus(scopeOf(app.services, owner.account.id), disabled.id, 'disabled')
  await request({ url: '/red-one' })
  await app.importClicks()
  const listIds = async (query: string) => idsOn(await person.open(`/console/links${query}`))
  expect(await listIds('')).toEqual([disabled.id, green.id, blue.id, red.id])
  expect(await listIds('?q=RED')).toEqual([blue.id, red.id])
  expect(await listIds('?q=red&sort=clicks')).toEqual([red.id, blue.id])
  expect(await listIds('?sort=clicks')).toEqual([red.id, disabled.id, green.id, blue.id])
  expect(await listIds('?tag=sUMMER')).toEqual([disabled.id, green.id, red.id])
  expect(await listIds('?tag=summer&status=active')).toEqual([green.id, red.id])
  expect(await listIds('?status=disabled')).toEqual([disabled.id])
  expect(await listIds('?status=scheduled')).toEqual([])
  expect(await listIds('?status=expired')).toEqual([])
  expect(await listIds('?status=nonsense&page=x&sort=%00')).toHaveLength(4)
  const { body } = await person.open('/console/links?q=red+nope&tag=Summer&status=active')
  expect(body).toContain('No links match your filters')
  expect(body).not.toContain('No links yet')
  expect(body).toContain('value="red nope"')
  expect(body).toContain('<option value="active" selected>')
  expect(body).toContain('<option value="Summer" selected>')
  expect(body).toContain('<a class="clear" href="/console/links">Clear filters</a>')
  // Each filter has a link that removes it and keeps the search.
  expect(body).toContain('<a href="/console/links?q=red+nope&amp;tag=Summer">')
  expect(body).toContain('<a href="/console/links?q=red+nope&amp;status=active">')
  const dated = await person.open('/console/links?from=2026-03-01&clicks=none')
  expect(dated.body).toContain('<bdi aria-hidden="true">Mar 1, 2026</bdi>')
  expect(dated.body).toContain('<bdi aria-hidden="true">Never clicked</bdi>')
})

test('shows when a link expired', async ({ app, make, owner, person }) => {
  const expiresAt = new Date(app.clock().getTime() + 1000)
    .toISOString()
    .replace('T', ' ')
    .slice(0, 19)
  const expired = await make.link(owner, { expiresAt })
  app.clock.advance(5)
  const page = await person.open('/console/links?status=expired')
  expect(idsOn(page)).toEqual([expired.id])
  expect(page.body).toContain(`Expired ${formatMoment(new Date(`${expiresAt}Z`), 'UTC')}`)
  expect(idsOn(await person.open('/console/links?status=active'))).toEqual([])
})

test('lists 25 links per page and keeps the search across pages', async ({
  make,
  owner,
  person,
}) => {
  for (let n = 0; n < 27; n += 1) await make.link(owner, { alias: `page-${owner.account.id}-${n}` })
  await make.link(owner)
  const first = await person.open('/console/links?q=page-')
  expect(idsOn(first)).toHaveLength(25)
  expect(first.body).toContain('27 results')
  expect(unescapeHtml(/rel="next" href="([^"]+)"/.exec(first.body)?.[1])).toBe(
    '/console/links?q=page-&page=2',
  )
  const second = await person.open('/console/links?q=page-&page=2')
  expect(idsOn(second)).toHaveLength(2)
  expect(second.body).toContain('rel="prev" href="/console/links?q=page-"')
  expect(second.body).not.toContain('rel="next"')
  const beyondLast = await person.open('/console/links?q=page-&page=99')
  expect([beyondLast.statusCode, beyondLast.headers.location]).toEqual([
    303,
    '/console/links?q=page-&page=2',
  ])
})

test('does not show, find or change links of another account', async ({ app, make, person }) => {
  const otherOwner = await make.owner()
  const { id, alias } = await make.link(otherOwner, { tags: ['theirs'] })
  expect((await person.open(`/console/links?q=${alias}`)).body).toContain(
    'No links match your filters',
  )
  expect((await person.open('/console/links?tag=theirs')).body).not.toContain(alias)
  for (const action of ['tag', 'untag', 'disable', 'enable', 'delete']) {
    const reply = await person.change(action, [id], { tag: 'theirs', sure: 'yes' })
    // The outcome is that no link was changed.
    expect(reply.headers.location).toMatch(/\.0$/)
  }
  expect((await person.change('delete', [id])).statusCode).toBe(404)
  for (const action of ['disable', 'enable', 'delete']) {
    expect((await person.send(`/console/links/${id}/${action}`)).statusCode).toBe(404)
  }
  const link = await getLink(scopeOf(app.services, otherOwner.account.id), id)
  expect(link).toMatchObject({ status: 'active', tags: ['theirs'] })
})

test('escapes malicious texts in the list and its URLs', async ({ make, owner, person }) => {
  const hostileText = '"><script>alert(1)</script>'
  await make.link(owner, {
    alias: 'שלום-עולם',
    url: `https://example.com/${'very-long/'.repeat(200)}`,
    metaTitle: `\u202eevil ${hostileText}`,
    tags: [hostileText, '\u202etag'],
  })
  for (const query of [
    '',
    `?q=${encodeURIComponent('<script>')}`,
    `?tag=${encodeURIComponent(hostileText)}`,
    `?q=${encodeURIComponent(hostileText)}`,
    `?done=${encodeURIComponent('enabled.1"><script>')}`,
    '?done=enabled.9999999&done=x',
    '?q=a&q=b&tag[]=c',
  ]) {
    const { statusCode, body } = await person.open(`/console/links${query}`)
    expect([query, statusCode]).toEqual([query, 200])
    expect(body).not.toContain('<script>alert')
  }
  const reply = await person.change('tag', [1], {
    tag: 'x',
    back: '//evil.example/console/links?q=a',
  })
  expect(reply.headers.location).toBe('/console/links?q=a&done=tagged.0')
  const tooLong = await person.open(`/console/links?q=${'x'.repeat(501)}`)
  expect([tooLong.statusCode, tooLong.body]).toEqual([
    422,
    expect.stringContaining('Must be at most 500 characters long.'),
  ])
  expect((await person.open('/console/links?q=a%00b')).statusCode).toBe(422)
  expect((await person.open('/console/links?tag=a%00b')).statusCode).toBe(422)
})

test('a full page, its styles and scripts take at most 60 KB gzipped', async ({
  make,
  owner,
  person,
  request,
}) => {
  for (let n = 0; n < 25; n += 1) {
    await make.link(owner, { url: `https://example.com/a/long/path/${n}`, tags: ['one', 'two'] })
  }
  const { body } = await person.open('/console/links')
  const files = [...body.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)]
  const texts = await Promise.all(
    files.map(async ([, url]) => (await request({ url: url ?? '' })).body),
  )
  const size = [body, ...texts].reduce((sum, text) => sum + gzipSync(text).length, 0)
  expect(files.length).toBeGreaterThan(3)
  expect(size).toBeLessThan(60 * 1024)
})

test('sorts by column and filters by domain', async ({ make, owner, person }) => {
  const brand = await make.domain(owner)
  const untagged = await make.link(owner)
  const branded = await make.link(owner, { domain: brand.host })
  const { body } = await person.open('/console/links?q=e')
  expect(
    unescapeHtml(/aria-sort="descending"><a class="sort" href="([^"]+)"/.exec(body)?.[1]),
  ).toBe('/console/links?q=e&sort=oldest')
  expect(unescapeHtml(/href="([^"]+)" title="Sort by Clicks"/.exec(body)?.[1])).toBe(
    '/console/links?q=e&sort=clicks',
  )
  expect(body).toContain(`<option value="${brand.id}">${brand.host}</option>`)
  expect(idsOn(await person.open(`/console/links?domain=${brand.id}`))).toEqual([branded.id])
  expect(idsOn(await person.open('/console/links?domain=x'))).toEqual([branded.id, untagged.id])
})

test('each sparkline has a scale of its own, of at least five clicks a day', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const low = await make.link(owner)
  const high = await make.link(owner)
  for (let n = 1; n <= 10; n += 1) {
    await request({ url: `/${high.alias}`, remoteAddress: `198.51.100.${n}` })
  }
  await request({ url: `/${low.alias}` })
  await app.importClicks()
  const { body } = await person.open('/console/links')
  const lastPositions = [...body.matchAll(/<polyline points="[^"]*,([\d.]+)"/g)].map(([, y]) =>
    Number(y),
  )
  // From 1 for the highest number of clicks to 23 for none.
  expect(lastPositions).toEqual([1, 18.6])
})

test('duplicates a link in the form for a new link, without its alias', async ({
  make,
  owner,
  person,
}) => {
  const link = await make.link(owner, {
    alias: `first-${owner.account.id}`,
    url: 'https://example.com/twice',
    metaTitle: 'Twice',
    tags: ['Sale'],
    geoTargets: [{ location: 'FR', link: 'https://example.fr/' }],
  })
  const { body } = await person.open('/console/links')
  expect(body).toContain(`href="/console/links/new?from=${link.id}"`)
  const form = await person.open(`/console/links/new?from=${link.id}`)
  expect(form.statusCode).toBe(200)
  for (const text of ['https://example.com/twice', 'Twice', 'Sale', 'https://example.fr/']) {
    expect(form.body).toContain(text)
  }
  expect(form.body).not.toContain(link.alias)
  const foreignLink = await make.link(await make.owner())
  expect((await person.open(`/console/links/new?from=${foreignLink.id}`)).statusCode).toBe(404)
  expect((await person.open('/console/links/new?from=x')).statusCode).toBe(404)
})

test('filters by campaign, by creation date and for links without clicks', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const clicked = await make.link(owner)
  const inCampaign = await make.link(owner)
  const old = await make.link(owner)
  const campaign = await make.campaign(owner, { name: 'Spring' })
  await addLinkToCampaign(
    { ...app.services, accountId: owner.account.id },
    campaign.id,
    inCampaign.id,
  )
  await app.services.database.pool.query('update links set created_at = $2 where id = $1', [
    old.id,
    '2020-02-29T23:59:59Z',
  ])
  await request({ url: `/${clicked.alias}` })
  await app.importClicks()
  const listIds = async (query: string) => idsOn(await person.open(`/console/links?${query}`))
  expect(await listIds(`campaign=${campaign.id}`)).toEqual([inCampaign.id])
  expect(await listIds('from=2020-02-29&to=2020-02-29')).toEqual([old.id])
  expect(await listIds('to=2020-02-28')).toEqual([])
  expect(await listIds('from=2020-03-01')).toEqual([inCampaign.id, clicked.id])
  expect(await listIds('clicks=none')).toEqual([inCampaign.id, old.id])
  expect(await listIds(`clicks=none&campaign=${campaign.id}&sort=clicks`)).toEqual([inCampaign.id])
  expect(await listIds('from=2020-02-31&to=x&campaign=-1&clicks=some')).toHaveLength(3)
  const { body } = await person.open('/console/links?clicks=none&from=2020-02-29')
  expect(body).toContain('<option value="none" selected>Never clicked</option>')
  expect(body).toContain('value="2020-02-29"')
  expect(unescapeHtml(/href="([^"]+)" title="Sort by Clicks"/.exec(body)?.[1])).toBe(
    '/console/links?from=2020-02-29&clicks=none&sort=clicks',
  )
  const otherCampaign = await make.campaign(await make.owner())
  expect(await listIds(`campaign=${otherCampaign.id}`)).toEqual([])
})

test('saving and canceling an edit return to the search that it came from', async ({
  make,
  owner,
  person,
}) => {
  const { id } = await make.link(owner, { alias: 'returning' })
  const list = await person.open('/console/links?q=returning')
  const edit = `/console/links/${id}/edit?back=%2Fconsole%2Flinks%3Fq%3Dreturning`
  expect(list.body).toContain(`href="${edit}"`)
  const form = await person.open(edit)
  expect(form.body).toContain(
    '<input type="hidden" name="back" value="/console/links?q=returning">',
  )
  expect(form.body).toContain(
    '<a class="button quiet" href="/console/links?q=returning">Cancel</a>',
  )
  const path = `/console/links/${id}/edit`
  const fields = { url: 'https://example.com/new', back: '/console/links?q=returning' }
  const rejected = await person.send(path, { ...fields, url: '' })
  expect(rejected.body).toContain('name="back" value="/console/links?q=returning"')
  for (const [back, to] of [
    [fields.back, fields.back],
    ['https://evil.example/console/links?q=1', `/console/links/${id}`],
    ['/console/links/../../evil', `/console/links/${id}`],
    ['', `/console/links/${id}`],
  ] as const) {
    const saved = await person.send(path, { ...fields, back })
    expect([saved.statusCode, saved.headers.location]).toEqual([303, to])
  }
})

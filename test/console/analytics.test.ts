import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { scopeOf } from '../../src/scope.ts'
import { importLinks } from '../../src/transfer/transfer.service.ts'
import { signedIn } from '../support/console.ts'
import { unescapeHtml } from '../support/forms.ts'
import { linkPageTest, readFigures, readList, visitTimes } from '../support/link-page.ts'
import { createFile, jsonl } from '../support/transfer.ts'

const test = linkPageTest()

const GERMANY = { remoteAddress: '194.25.0.1' }
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'

/** Returns the URL of the link with this text. */
const findHref = (body: string, text: string) => {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const [, href] =
    new RegExp(`<a [^>]*?href="([^"]+)"[^>]*>(?:<[^>]+>)*${escaped}`).exec(body) ?? []
  return unescapeHtml(href ?? '')
}

test('shows statistics of all links, filtered by a selected label', async ({
  app,
  make,
  owner,
  person,
}) => {
  const first = await make.link(owner)
  const second = await make.link(owner)
  await visitTimes(app, first.alias, 2)
  await app.request({ url: `/${second.alias}`, ...GERMANY, headers: { 'user-agent': IPHONE } })
  await app.importClicks()
  const { statusCode, body } = await person.open('/console/analytics')
  expect([statusCode, readFigures(body)]).toEqual([200, ['3', '3', '0', '100%']])
  expect(readList(body, 'links-links')).toContain(`<bdi>brev.test/${first.alias}</bdi></a>`)
  const german = findHref(readList(body, 'places-countries'), 'Germany')
  expect(german).toBe('/console/analytics?country=Germany')
  const filtered = await person.open(german)
  expect(readFigures(filtered.body)[0]).toBe('1')
  expect(filtered.body).toContain('Remove filter Country: Germany')
  expect(readList(filtered.body, 'places-countries')).toContain('<bdi>Germany</bdi>')
  // Links keep the filter on their own pages.
  expect(findHref(readList(filtered.body, 'links-links'), `brev.test/${second.alias}`)).toBe(
    `/console/links/${second.id}?country=Germany`,
  )
  const filteredTwice = await person.open('/console/analytics?country=DE&device=Desktop')
  expect(readFigures(filteredTwice.body)[0]).toBe('0')
  expect(filteredTwice.body).toContain('No clicks match your filters in this period.')
  expect(findHref(filteredTwice.body, 'Remove filter Device: Desktop')).toBe(german)
  expect(findHref(filteredTwice.body, 'Clear filters')).toBe('/console/analytics')
})

test('charts the selected metric and compares it', async ({ app, make, owner, person }) => {
  const { id, alias } = await make.link(owner)
  for (let count = 0; count < 4; count += 1) await visitTimes(app, alias, 1)
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}`)
  expect(readFigures(body)).toEqual(['4', '1', '3', '25%'])
  const repeat = await person.open(findHref(body, 'Repeat clicks'))
  expect(repeat.body).toContain('<title id="chart-title">Repeat clicks (daily), ')
  expect(repeat.body).toContain('<th scope="col" class="number">Repeat clicks</th>')
  expect(repeat.body).toMatch(/\n4 clicks\n1 new visitor\nrepeat clicks: 3<\/title>/)
  app.clock.advance(30 * 86_400)
  const laterSession = await signedIn(app, owner)
  const compared = await laterSession.open(`/console/links/${id}?metric=rate&compare=previous`)
  expect(compared.body).toContain('25% in the previous period')
  expect(compared.body).toContain('<th scope="col" class="number">Previous new visitor rate</th>')
})

test('shows the change of each row', async ({ app, make, owner }) => {
  const { id, alias } = await make.link(owner)
  await visitTimes(app, alias, 4, { referer: 'https://old.example/' })
  app.clock.advance(7 * 86_400)
  await visitTimes(app, alias, 2, { referer: 'https://old.example/' })
  await visitTimes(app, alias, 3, { referer: 'https://new.example/' })
  await app.importClicks()
  const person = await signedIn(app, owner)
  const path = `/console/links/${id}`
  const { body } = await person.open(`${path}?period=7d&compare=previous`)
  const list = readList(body, 'sources-referrers')
  expect(list).toMatch(/new\.example<\/a>.*?<td class="number">New<\/td>/)
  expect(list).toMatch(/old\.example<\/a>.*?<td class="number">−\d+<\/td>/)
  const csv = await person.open(`${path}/referrers.csv?period=7d&compare=previous`)
  expect(csv.body).toBe('\ufefflabel,clicks,comparison\nnew.example,3,0\nold.example,2,4\n')
  const timeline = await person.open(`${path}/timeline.csv?period=7d&compare=year`)
  expect(timeline.body.split('\n')[0]).toBe(
    '\ufeffstart,clicks,newVisitors,comparisonStart,comparisonClicks,comparisonNewVisitors',
  )
  const links = await person.open('/console/analytics/top-links.csv?period=7d')
  expect(links.body).toBe(`\ufeffid,link,clicks\n${id},brev.test/${alias},5\n`)
})

test('shows statistics of the links with a tag, ignoring its case', async ({
  app,
  make,
  owner,
  person,
}) => {
  const tagged = await make.link(owner, { tags: ['Spring sale'] })
  const other = await make.link(owner, { tags: ['other'] })
  await visitTimes(app, tagged.alias, 2)
  await visitTimes(app, other.alias, 1)
  await app.importClicks()
  const { body } = await person.open('/console/analytics?tag=spring%20SALE')
  expect(readFigures(body)[0]).toBe('2')
  expect(body).toContain('<bdi>Tag: Spring sale</bdi></summary>')
  expect(findHref(body, 'Show all links')).toBe('/console/analytics')
  expect(findHref(body, 'Last 7 days')).toBe('/console/analytics?tag=Spring+sale&period=7d')
  const csv = await person.open('/console/analytics/browsers.csv?tag=spring+sale')
  expect(csv.body).toBe('\ufefflabel,clicks\nFirefox,2\n')
  expect((await person.open('/console/analytics?tag=none')).statusCode).toBe(404)
  expect((await person.open(`/console/links/${tagged.id}`)).body).toContain(
    'href="/console/links?tag=Spring+sale">Spring sale</a>',
  )
})

test('links to the first available day if filters start before it', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id, alias } = await make.link(owner)
  await visitTimes(app, alias, 1)
  await app.importClicks()
  const path = `/console/links/${id}`
  // No named period of a year ends yesterday. `12m` may start on the first available day.
  const to = new Date(app.clock().getTime() - 86_400_000).toISOString().slice(0, 10)
  const query = `from=2020-01-01&to=${to}&browser=Firefox`
  const tooEarly = await person.open(`${path}?${query}`)
  expect(tooEarly.statusCode).toBe(422)
  const [, day = ''] = /work for dates from (\w+ 1, \d{4}) on\./.exec(tooEarly.body) ?? []
  expect(readFigures(tooEarly.body)).toEqual([])
  const href = findHref(tooEarly.body, 'View ')
  const from = new Date(`${day} UTC`).toISOString().slice(0, 10)
  expect(href).toBe(`${path}?from=${from}&to=${to}&browser=Firefox`)
  expect((await person.open(href)).statusCode).toBe(200)
  expect((await person.open(`${path}/countries?${query}`)).statusCode).toBe(422)
  const csv = await person.open(`${path}/countries.csv?${query}`)
  expect([csv.statusCode, csv.body]).toEqual([400, expect.stringContaining(day)])
  // Only the comparison period reaches too far back.
  const compared = await person.open(`${path}?period=12m&browser=Firefox&compare=year`)
  expect([compared.statusCode, readFigures(compared.body)[0]]).toEqual([200, '1'])
  expect(compared.body).toContain(`No comparison: filters work for dates from`)
})

test('shows the number of clicks excluded by filters', async ({ app, owner, person }) => {
  const day = new Date(app.clock().getTime() - 2 * 86_400_000).toISOString().slice(0, 10)
  const record = {
    alias: 'moved',
    url: 'https://example.com/',
    createdAt: day,
    days: [{ day, clicks: 7 }],
  }
  const from = await createFile(jsonl(record), 'links.jsonl')
  const task = { source: 'jsonl', from, onTaken: 'fail', dryRun: false } as const
  await Array.fromAsync(importLinks(scopeOf(app.services, owner.account.id), task))
  const { body } = await person.open('/console/analytics')
  expect(readFigures(body)[0]).toBe('7')
  const filtered = await person.open('/console/analytics?browser=Firefox')
  expect(readFigures(filtered.body)[0]).toBe('0')
  expect(filtered.body).toContain(
    '7 clicks are left out: imported clicks and clicks on deleted links can’t be filtered.',
  )
})

test('does not call a row new if the compared clicks have no details', async ({ app, make }) => {
  const owner = await make.owner()
  const day = new Date(app.clock().getTime()).toISOString().slice(0, 10)
  const record = {
    alias: 'compared',
    url: 'https://example.com/',
    createdAt: day,
    days: [{ day, clicks: 7 }],
  }
  const from = await createFile(jsonl(record), 'compared.jsonl')
  const task = { source: 'jsonl', from, onTaken: 'fail', dryRun: false } as const
  await Array.fromAsync(importLinks(scopeOf(app.services, owner.account.id), task))
  app.clock.advance(7 * 86_400)
  await visitTimes(app, 'compared', 2, { referer: 'https://new.example/' })
  await app.importClicks()
  const person = await signedIn(app, owner)
  const query = 'period=7d&compare=previous'
  const filtered = await person.open(`/console/analytics?${query}&referrer=new.example`)
  expect(readFigures(filtered.body)[0]).toBe('2')
  expect(filtered.body).toContain(
    'The compared period has 7 clicks without details, so it is not comparable.',
  )
  const [, id] = /href="\/console\/links\/(\d+)/.exec(readList(filtered.body, 'links-links')) ?? []
  const link = await person.open(`/console/links/${id}?${query}`)
  for (const { body } of [filtered, link]) {
    expect(readList(body, 'sources-referrers')).toMatch(
      /new\.example.*?<td class="number">not comparable<\/td>/,
    )
  }
})

test('uses the time zone in the URL, or by default the user’s', async ({ app, make, owner }) => {
  const { id, alias } = await make.link(owner)
  const midnight = new Date(app.clock().getTime() + 86_400_000).setUTCHours(0, 0, 0, 0)
  app.clock.set(new Date(midnight - 30 * 60_000).toISOString())
  await visitTimes(app, alias, 1)
  await app.importClicks()
  app.clock.set(new Date(midnight + 60 * 60_000).toISOString())
  const person = await signedIn(app, owner)
  const path = `/console/links/${id}?period=today`
  expect(readFigures((await person.open(path)).body)[0]).toBe('0')
  const berlin = await person.open(`${path}&tz=Europe/Berlin`)
  expect(readFigures(berlin.body)[0]).toBe('1')
  expect(berlin.body).toContain('Times are in Europe/Berlin.')
  expect(findHref(berlin.body, 'Yesterday')).toBe(
    `/console/links/${id}?period=yesterday&tz=Europe%2FBerlin`,
  )
  const { pool } = app.services.database
  await pool.query("update users set time_zone = 'Europe/Berlin' where lower(email) = lower($1)", [
    owner.account.email,
  ])
  expect(readFigures((await person.open(path)).body)[0]).toBe('1')
  const rejected = await person.open(`${path}&tz=Mars`)
  expect([rejected.statusCode, rejected.body]).toEqual([
    422,
    expect.stringContaining('Time zone: Must be'),
  ])
})

test.for([
  ['country=Atlantis', 'Country: Must be a country code'],
  ['device=toaster', 'Device: Must be one of'],
  ['compare=never', 'Compare: Must be one of'],
  ['from=tomorrow', 'Start: Must be a date'],
] as const)(
  'shows an error for %s and statistics without it',
  async ([query, text], { person }) => {
    const { statusCode, body } = await person.open(`/console/analytics?${query}`)
    expect([statusCode, body]).toEqual([422, expect.stringContaining(`role="alert">${text}`)])
    expect(readFigures(body)).toHaveLength(4)
  },
)

test('shows an error for too many requests for raw clicks', async ({ app, owner, person }) => {
  const { rawReads } = app.services
  const gate = Promise.withResolvers<void>()
  const running = Array.from({ length: 9 }, () =>
    rawReads.run(owner.account.id, () => gate.promise),
  )
  const { statusCode, body } = await person.open('/console/analytics?country=DE')
  gate.resolve()
  await Promise.all(running)
  expect(statusCode).toBe(503)
  expect(body).toContain('Statistics are busy.')
  expect(body).toContain('Remove filter Country: Germany')
})

test('draws each country as a shape or dot on a map, in less than 60 KB', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { alias } = await make.link(owner)
  const headers = { 'user-agent': IPHONE }
  for (const remoteAddress of ['194.25.0.1', '1.32.128.1']) {
    await app.request({ url: `/${alias}`, remoteAddress, headers })
  }
  await app.importClicks()
  const { body } = await person.open('/console/analytics?tab=map')
  const [, map = ''] = /<svg class="map"([\s\S]*?)<\/svg>/.exec(body) ?? []
  expect(map).toMatch(
    /country=Germany&amp;tab=map"[^>]*><title>Germany: 1 click<\/title><path class="level" fill-opacity="1"/,
  )
  expect(map).toMatch(/<title>Singapore: 1 click<\/title><circle class="level" fill-opacity="1"/)
  const files = [...body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)]
  const texts = await Promise.all(files.map(async ([, url]) => (await person.open(`${url}`)).body))
  const sizes = [body, ...texts].map((text) => gzipSync(text).length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000)
})

test('never shows statistics of another account', async ({ app, make, otherOwner, person }) => {
  const link = await make.link(otherOwner, { alias: 'theirs', tags: ['theirs'] })
  const campaign = await make.campaign(otherOwner, { name: 'Their campaign' })
  await addLinkToCampaign(
    { ...app.services, accountId: otherOwner.account.id },
    campaign.id,
    link.id,
  )
  await visitTimes(app, link.alias, 1)
  await app.importClicks()
  const { body } = await person.open('/console/analytics?period=all')
  expect(readFigures(body)[0]).toBe('0')
  expect(body).not.toMatch(/their/i)
  expect((await person.open('/console/analytics?tag=theirs')).statusCode).toBe(404)
})

test('compares no labels for today and omits those clicked only yesterday', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id, alias } = await make.link(owner)
  const from = (site: string) =>
    app.request({ url: `/${alias}`, headers: { referer: `https://${site}.example/` } })
  await from('before')
  app.clock.advance(86_400)
  await from('now')
  await app.importClicks()
  const { body } = await person.open(`/console/links/${id}?period=today&compare=previous`)
  const list = readList(body, 'sources-referrers')
  expect(list).toContain('now.example')
  expect([list.includes('Other'), list.includes('Change')]).toEqual([false, false])
  expect(body).toContain('Changes are shown once the day has ended.')
  const days = await person.open(`/console/links/${id}?period=7d&compare=previous`)
  expect(readList(days.body, 'sources-referrers')).toContain('Change')
})

test('says how many clicks look automated, and filters by them', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const { id, alias } = await make.link(owner)
  const path = `/console/links/${id}`
  const line = /<a href="[^"]*">[^<]* clicks? looks? automated\.<\/a>/
  await visitTimes(app, alias, 2)
  await app.importClicks()
  expect((await person.open(path)).body).not.toMatch(/automated\./)
  const visitor = { remoteAddress: '192.0.2.90', headers: { 'user-agent': IPHONE } }
  for (let count = 0; count < 22; count += 1) await request({ url: `/${alias}`, ...visitor })
  await app.importClicks()
  const { body } = await person.open(path)
  // Nothing is subtracted.
  expect(readFigures(body)[0]).toBe('24')
  const href = findHref(body, '2 of 24 clicks look automated.')
  expect(href).toBe(`${path}?automated=likely`)
  const filtered = (await person.open(href)).body
  expect(readFigures(filtered)[0]).toBe('2')
  expect(filtered).not.toMatch(line)
  expect(findHref(filtered, 'Remove filter Automated: Likely')).toBe(path)
  // The filter menu offers both labels. In URLs, those of any language are accepted.
  expect(filtered).toMatch(
    /name="automated"><option value="">Any<\/option><option value="likely" selected>Likely<\/option><option value="unlikely">Unlikely<\/option><\/select>/,
  )
  for (const [value, clicks] of [
    ['Likely', '2'],
    ['wahrscheinlich', '2'],
    ['unlikely', '22'],
    ['Unwahrscheinlich', '22'],
  ]) {
    expect(readFigures((await person.open(`${path}?automated=${value}`)).body)[0]).toBe(clicks)
  }
  const wrong = await person.open(`${path}?automated=maybe`)
  expect([wrong.statusCode, readFigures(wrong.body)[0]]).toEqual([422, '24'])
  await person.send(`${path}/share`)
  const [, shared = ''] =
    /data-text="[^"]*(\/shared\/[^"]+)"/.exec((await person.open(path)).body) ?? []
  const page = (await request({ url: shared })).body
  expect(page).toContain('2 of 24 clicks look automated.')
  expect(page).not.toMatch(line)
  await app.services.db
    .updateTable('users')
    .set({ language: 'de' })
    .where('email', '=', owner.account.email)
    .execute()
  const german = await person.open(path)
  expect(german.body).toContain('2 von 24 Klicks sehen automatisiert aus.')
})

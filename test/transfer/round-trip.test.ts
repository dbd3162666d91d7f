import bcrypt from 'bcryptjs'
import { describe, expect } from 'vitest'
import { setLinkStatus } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { TestApp } from '../support/app.ts'
import { testApp } from '../support/app.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'

const test = appTest()

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'
const target = 'https://example.com/x'

/** Returns everything that the API returns about an account's links, without IDs and unique visitors. */
async function readEverything({ request, clock }: TestApp, { headers }: Owner) {
  const call = async (url: string) => (await request({ url, headers })).json()
  const { data } = await call('/api/urls?limit=1000')
  const links = []
  for (const { id } of data.urls) {
    const { id: _, ...details } = await call(`/api/url/${id}`)
    const { uniqueClicks: __, ...clicks } = details.data
    const stats = (await call(`/api/url/${id}/stats?limit=1000`)).data
    links.push({ ...details, data: clicks, stats: withoutVisitors(stats) })
  }
  const day = clock().toISOString().slice(0, 10)
  const hours = (await call(`/api/stats?interval=hour&from=${day}&to=${day}`)).data
  const { links: ___, ...account } = withoutVisitors(hours)
  return { links, account }
}

function withoutVisitors(stats: { timeline: object[]; links?: unknown }) {
  const timeline = stats.timeline.map((step) => ({ ...step, newVisitors: 0 }))
  return { ...stats, newVisitors: 0, timeline }
}

test('importing an export into an empty account reproduces its links and statistics', async ({
  app,
  make,
  owner,
}) => {
  await make.link(owner, {
    alias: 'blog/whole.html',
    confirm: true,
    url: 'https://example.com/ü?a=1#b',
    type: 'frame',
    password: 'secret',
    startsAt: '2020-02-03 04:05:06',
    expiresAt: '2099-01-02 03:04:05',
    expiredUrl: 'https://example.com/over',
    forwardQuery: true,
    forwardPath: false,
    split: [
      { to: 'https://example.com/a', weight: 1 },
      { to: 'https://example.com/b', weight: 99 },
    ],
    geoTargets: [{ location: 'Germany', link: 'https://example.de/' }],
    deviceTargets: [{ device: 'iphone', link: 'https://example.com/ios' }],
    languageTargets: [{ language: 'fr', link: 'https://example.fr/' }],
    parameters: [{ name: 'utm_source', value: 'brevis & co' }],
    metaTitle: '=Title',
    metaDescription: 'Two\nlines',
    metaImage: 'https://example.com/i.png',
    tags: ['Spring', '__proto__'],
  })
  const clickedLink = await make.link(owner, { alias: 'clicked', maxClicks: 4 })
  const disabledLink = await make.link(owner, { alias: 'ended' })
  await setLinkStatus(scopeOf(app.services, owner.account.id), disabledLink.id, 'disabled')
  for (const headers of [
    { 'user-agent': IPHONE, referer: 'https://www.facebook.com/x', 'accept-language': 'de-DE' },
    { 'user-agent': 'curl/8' },
    { 'user-agent': 'curl/8', referer: 'https://news.example/' },
  ]) {
    await app.request({ url: `/${clickedLink.alias}`, headers })
  }
  await app.importClicks()

  const other = await testApp()
  try {
    const newOwner = await other.make.owner()
    const file = await createFile(
      await createTransferCommands(app, owner).export('jsonl'),
      'all.jsonl',
    )
    const transfer = createTransferCommands(other, newOwner)
    expect(await transfer.import(file, 'jsonl')).toMatchObject({
      created: 3,
      clicks: 3,
      refused: 0,
    })
    await other.importClicks()
    const expected = await readEverything(app, owner)
    expect(expected.links.map(({ data }) => data.clicks)).toEqual([0, 3, 0])
    expect(await readEverything(other, newOwner)).toEqual(expected)
    expect(await createTransferCommands(other, newOwner).export('jsonl')).toBe(
      await createTransferCommands(app, owner).export('jsonl'),
    )
    expect(await transfer.check()).toContain('agree')
    const opened = await other.request({
      method: 'POST',
      url: '/blog/whole.html',
      payload: 'password=secret',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(opened.statusCode).toBe(200)
    // Later clicks by this service’s own visitors are added, up to the limit.
    await other.request({ url: '/clicked', headers: { 'user-agent': 'curl/8' } })
    expect((await other.request({ url: '/clicked' })).statusCode).toBe(410)
    await other.importClicks()
    const list = await other.request({ url: '/api/urls?order=click', headers: newOwner.headers })
    const [first] = list.json().data.urls
    const details = await other.request({ url: `/api/url/${first.id}`, headers: newOwner.headers })
    expect(details.json().data).toMatchObject({ clicks: 4, uniqueClicks: 1 })
    expect(await transfer.check()).toContain('agree')
    await other.request({
      method: 'DELETE',
      url: `/api/url/${first.id}/delete`,
      headers: newOwner.headers,
    })
    expect(await transfer.check()).toContain('agree')
  } finally {
    await other.close()
  }
})

test.for<[string, { when: object; to: string }[]]>([
  [
    'rules of one kind with another rule between',
    [
      { when: { country: 'FR' }, to: 'https://example.com/fr' },
      { when: { query: { a: '1' } }, to: 'https://example.com/query' },
      { when: { country: 'DE' }, to: 'https://example.com/de' },
    ],
  ],
  [
    'a duplicate country with another rule between',
    [
      { when: { country: 'DE' }, to: 'https://example.com/1' },
      { when: { device: 'mobile' }, to: 'https://example.com/mobile' },
      { when: { country: 'DE' }, to: 'https://example.com/2' },
    ],
  ],
  [
    'a duplicate country and nothing else',
    [
      { when: { country: 'DE' }, to: 'https://example.com/1' },
      { when: { country: 'DE' }, to: 'https://example.com/2' },
    ],
  ],
])('exports preserve the order of rules: %s', async ([, rules], { app, make }) => {
  const owner = await make.owner()
  const link = await make.link(owner, { rules })
  for (const format of ['jsonl', 'csv'] as const) {
    const file = await createFile(
      await createTransferCommands(app, owner).export(format),
      `links.${format}`,
    )
    const newOwner = await make.owner()
    const args = ['--on-taken', 'rename']
    expect(await createTransferCommands(app, newOwner).import(file, format, ...args)).toMatchObject(
      {
        created: 1,
      },
    )
    const { headers } = newOwner
    const list = await app.request({ url: '/api/urls', headers })
    const [{ id, alias }] = list.json().data.urls
    expect(alias).not.toBe(link.alias)
    const reply = await app.request({ url: `/api/url/${id}`, headers })
    expect(reply.json().details.rules).toEqual(rules)
  }
})

test.for<[string, object]>([
  ['startsAt is not a date that exists', { startsAt: '0000-01-01' }],
  ['expiresAt is not a date that exists', { expiresAt: '0000-01-01' }],
  ['startsAt must be before the expiration', { startsAt: '2030-01-01', expiresAt: '2029-01-01' }],
])('an import rejects a row: %s', async ([problem, fields], { app, make }) => {
  const owner = await make.owner()
  const file = await createFile(jsonl({ alias: 'bad', url: target, ...fields }), 'a.jsonl')
  const { problems } = await createTransferCommands(app, owner).import(file, 'jsonl')
  expect(problems).toEqual([{ row: 1, alias: 'bad', problem }])
})

test('an import rejects a CSV row with a flag other than true or false', async ({ app, make }) => {
  const owner = await make.owner()
  const file = await createFile(`Alias,Long URL,Forward query\nbad,${target},maybe\n`)
  const { problems } = await createTransferCommands(app, owner).import(file, 'csv')
  expect(problems).toMatchObject([{ problem: '"Forward query" must be true or false, not maybe' }])
})

test('a CSV export has one line per link and no formulas, and can be imported', async ({
  app,
  make,
}) => {
  const owner = await make.owner()
  const domain = await make.domain(owner, { domain: 'https://csv.test' })
  await make.link(owner, { alias: 'one', domain: domain.host, tags: ['a', 'b'] })
  await make.link(owner, { alias: '-two', metaTitle: '=1+1, "x"' })
  const content = await createTransferCommands(app, owner).export('csv')
  const lines = content.split('\r\n')
  expect(lines[0]).toBe(
    '\ufeffShort URL,Alias,Domain,Long URL,Title,Tags,Created at,Expires at,Clicks,Disabled,Description,Rules,Used clicks,Split,Starts at,Max clicks,Expired URL,Forward query,Forward path,Confirm,Archived,Password',
  )
  expect(lines[1]).toMatch(
    /^https:\/\/csv\.test\/one,one,csv\.test,https:\/\/example\.com\/target,,a\|b,/,
  )
  expect(lines[2]).toMatch(/^http:\/\/brev\.test\/-two,'-two,,[^,]+,"'=1\+1, ""x""",,/)
  const newOwner = await make.owner()
  const file = await createFile(content)
  expect(
    await createTransferCommands(app, newOwner).import(
      file,
      'csv',
      '--on-taken',
      'skip',
      '--dry-run',
    ),
  ).toMatchObject({
    created: 1,
    taken: 1,
    problems: [{ alias: '-two' }],
  })
})

test('an import of a CSV export restores texts and tags that CSV files have for other things', async ({
  app,
  make,
  request,
}) => {
  const owner = await make.owner()
  const titles = ['NULL', '\\N', "'=1+1", "''-x", 'C:\\New\\temp, old', 'sep=;', "'quoted'"]
  for (const [index, metaTitle] of titles.entries()) {
    await make.link(owner, { alias: `odd-${index}`, metaTitle, metaDescription: metaTitle })
  }
  const lists = [['a|b', 'c;d', 'e,f'], ['e,f'], ['"q"'], ['[x]'], ['{x}'], ['x', 'y']]
  for (const [index, tags] of lists.entries()) {
    await make.link(owner, { alias: `tags-${index}`, tags })
  }
  const exported = await createTransferCommands(app, owner).export('csv')
  const other = await make.owner()
  const file = await createFile(exported)
  await createTransferCommands(app, other).import(file, 'csv', '--on-taken', 'rename')
  const read = async ({ headers }: Owner) => {
    const { urls } = (await request({ url: '/api/urls?limit=100', headers })).json().data
    return urls.map(({ title, description, tags }: object & Record<string, unknown>) => {
      return { title, description, tags }
    })
  }
  expect(await read(other)).toEqual(await read(owner))
})

test('an export contains no data of other accounts', async ({ app, make }) => {
  const owner = await make.owner()
  const other = await make.owner()
  await make.link(other, { alias: 'foreign' })
  expect(await createTransferCommands(app, owner).export('jsonl')).toBe('')
})

describe('the password of an imported link', () => {
  test('works if it is a bcrypt hash, which is converted to argon2', async ({ app, make }) => {
    const owner = await make.owner()
    const password = await bcrypt.hash('open sesame', 4)
    const file = await createFile(jsonl({ alias: 'locked', url: target, password }), 'a.jsonl')
    await createTransferCommands(app, owner).import(file, 'jsonl')
    const guess = (text: string) =>
      app.request({
        method: 'POST',
        url: '/locked',
        payload: new URLSearchParams({ password: text }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    expect((await guess('wrong')).statusCode).toBe(401)
    expect(await createTransferCommands(app, owner).export('jsonl')).toContain(password)
    expect((await guess('open sesame')).headers.location).toBe(target)
    const exported = JSON.parse(await createTransferCommands(app, owner).export('jsonl'))
    expect(exported.password).toMatch(/^\$argon2id\$/)
    expect((await guess('open sesame')).headers.location).toBe(target)
    expect((await guess('wrong')).statusCode).toBe(401)
  })

  test.for([
    'secret',
    '$2b$31$abcdefghijklmnopqrstuuAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=4000000,t=2,p=1$c29tZXNhbHRzb21l$aGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$1$abcdefgh$abcdefghijklmnopqrstuv',
  ])('is rejected if it is %s', async (password, { app, make }) => {
    const owner = await make.owner()
    const file = await createFile(jsonl({ alias: 'bad', url: target, password }), 'a.jsonl')
    const { problems } = await createTransferCommands(app, owner).import(file, 'jsonl')
    expect(problems).toEqual([
      { row: 1, alias: 'bad', problem: expect.stringMatching(/^password /) },
    ])
  })
})

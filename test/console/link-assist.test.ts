import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { editTest } from '../support/edit-test.ts'
import { startServer } from '../support/http-server.ts'
import { valuesOf } from '../support/link-form.ts'

const PAGES: Readonly<
  Record<string, readonly [status: number, type: string, body: string | Buffer]>
> = {
  '/page': [
    200,
    'text/html',
    '<title>Old</title><meta property="og:title" content="News &amp; more"><meta name="description" content="About it">',
  ],
  '/latin': [200, 'text/html; charset=iso-8859-1', Buffer.from('<title>café</title>', 'latin1')],
  '/untitled': [200, 'text/html', '<p>Nothing'],
  '/picture': [200, 'image/png', '<title>No</title>'],
  '/missing': [404, 'text/html', '<title>Not found</title>'],
  /** Larger than the maximum size of a fetched page. */
  '/huge': [200, 'text/html', `<title>Big</title>${'x'.repeat(3 * 1_048_576)}`],
}

const test = editTest({ OUTBOUND_ALLOW: '127.0.0.1/32' }).extend(
  'site',
  { scope: 'file' },
  async ({ app: _ }, { onCleanup }) => {
    const server = await startServer((request, response) => {
      const [status, type, body] = PAGES[request.url ?? ''] ?? [500, 'text/plain', '']
      response.writeHead(status, { 'content-type': type }).end(body)
    })
    onCleanup(server.close)
    return server.origin
  },
)

test('"Fetch title" fills in the form without scripts and creates no link', async ({
  form,
  site,
}) => {
  const before = (await form.getNewest()).total
  const input = { url: `${site}/page`, alias: 'entered', more: 'title' }
  const reply = await form.create(input)
  expect(reply.statusCode).toBe(200)
  expect(valuesOf(reply.body)).toMatchObject({
    metaTitle: ['News & more'],
    metaDescription: ['About it'],
    alias: ['entered'],
  })
  expect(reply.body).toContain('Title fetched')
  expect(reply.body.match(/ autofocus/g)).toHaveLength(1)
  expect((await form.getNewest()).total).toBe(before)
  const edited = { ...input, metaDescription: 'Own words', metaTitle: 'Old title' }
  expect(valuesOf((await form.create(edited)).body)).toMatchObject({
    metaTitle: ['News & more'],
    metaDescription: ['Own words'],
  })
})

test.for([
  ['/latin', 200, { title: 'café', description: '', text: 'Title fetched' }],
  ['/untitled', 200, { title: '', description: '', text: 'The page has no title.' }],
  ['/picture', 422, { text: 'Has no page whose title could be fetched.' }],
  ['/missing', 422, { text: 'Has no page whose title could be fetched.' }],
  ['/huge', 422, { text: 'Has no page whose title could be fetched.' }],
] as const)(
  'the script endpoint returns the title of %s',
  async ([path, status, expected], { person, site }) => {
    const reply = await person.send('/console/links/title', { url: `${site}${path}` })
    expect([path, reply.statusCode, reply.json()]).toEqual([path, status, expected])
  },
)

test.for(['', 'javascript:alert(1)', 'http://10.0.0.1/', 'ftp://a.test/', 'half a URL'])(
  'rejects %j as a URL to fetch the title from',
  async (url, { form, person }) => {
    const reply = await person.send('/console/links/title', { url })
    expect([url, reply.statusCode]).toEqual([url, 422])
    const result = await form.create({ url, more: 'title' })
    expect(result.statusCode).toBe(422)
    expect(result.body).toMatch(/id="url"[^>]* autofocus/)
  },
)

test('the form draws the QR code of an alias before the link is created', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { host } = await make.domain(owner)
  const readCode = async (query: string) => {
    const reply = await person.open(`/console/links/code.svg?${query}`)
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'image/svg+xml'])
    return reply.body
  }
  const codes = await Promise.all(['', 'alias=spring', `alias=spring&domain=${host}`].map(readCode))
  expect(new Set(codes).size).toBe(3)
  // An invalid alias, or a domain of another account, is ignored.
  for (const query of [
    'alias=no+spaces',
    `alias=${'x'.repeat(5000)}`,
    'alias=a&domain=theirs.test',
  ]) {
    expect(await readCode(query)).toBe(codes[0])
  }
  const signedOut = await app.request({ url: '/console/links/code.svg?alias=a' })
  expect(signedOut.statusCode).toBe(303)
})

test('the form with 50 rules, its styles and scripts take at most 60 KB', async ({
  app,
  make,
  owner,
  person,
}) => {
  const rules = Array.from({ length: 50 }, (_, index) => ({
    when: { country: 'DE', device: 'mobile', time: { from: '09:00', zone: 'Europe/Berlin' } },
    to: `https://example.com/${index}`,
  }))
  const { id } = await make.link(owner, { rules })
  const { body } = await person.open(`/console/links/${id}/edit`)
  const files = [...body.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)]
  expect(files.length).toBeGreaterThan(10)
  const texts = await Promise.all(
    files.map(async ([, url]) => (await app.request({ url: url ?? '' })).body),
  )
  const size = [body, ...texts].reduce((sum, text) => sum + gzipSync(text).length, 0)
  expect(size).toBeLessThan(60_000)
})

test('adds https to a destination without a scheme', async ({ form, app, owner, person }) => {
  await form.create({ url: ' example.com/a?b#c ' })
  expect((await form.getStored((await form.getNewest()).id)).url).toBe('https://example.com/a?b#c')
  for (const url of [
    '/path',
    '#a',
    'javascript:alert(1)',
    'word',
    'word/a.b',
    'mailto:a@example.com',
    'tel:123',
    'TEL:123',
    'sms:123?body=a.b',
    '',
    ':80',
  ]) {
    expect((await form.create({ url })).statusCode).toBe(422)
  }
  await person.send('/console/links', { url: 'example.org' })
  expect((await form.getStored((await form.getNewest()).id)).url).toBe('https://example.org/')
  const api = { method: 'POST', url: '/api/url/add', headers: owner.headers } as const
  expect((await app.request({ ...api, payload: { url: 'example.com' } })).statusCode).toBe(400)
})

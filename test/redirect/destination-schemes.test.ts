import { afterAll, expect } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { allowDestinationSchemes } from '../../src/urls/destination-url.ts'
import { runCommand } from '../support/command.ts'
import { appTest } from '../support/test.ts'
import { createFile, createTransferCommands } from '../support/transfer.ts'

const env = { DESTINATION_SCHEMES: 'mailto, TEL:,myapp' }

const test = appTest({ env })
  .extend('visit', { scope: 'file' }, ({ request }) => (alias: string, headers: object = {}) => {
    return request({ url: `/${alias}`, headers: { host: 'brev.test', ...headers } })
  })
  .extend('call', { scope: 'file' }, ({ app, owner }) => (path: string, payload: object) => {
    return app.request({ method: 'POST', url: `/api/${path}`, headers: owner.headers, payload })
  })

// The schemes apply to the process, which runs other test files too.
afterAll(() => allowDestinationSchemes([]))

test.for([
  ['mailto:team@example.com?subject=Hello%20you', 'mailto:team@example.com?subject=Hello%20you'],
  ['mailto:a"b <c>@example.com', 'mailto:a%22b%20%3Cc%3E@example.com'],
  ['TEL:+49 30 1234', 'tel:+49%2030%201234'],
  ['myapp://open/käse?a=1#b', 'myapp://open/k%C3%A4se?a=1#b'],
  ['myapp://brev.test/x', 'myapp://brev.test/x'],
])('a link redirects to %s', async ([url = '', stored], { app, call, owner, visit }) => {
  const { id, shorturl } = (await call('url/add', { url })).json()
  const details = await app.request({ url: `/api/url/${id}`, headers: owner.headers })
  expect(details.json().details.longurl).toBe(stored)
  const reply = await visit(new URL(shorturl).pathname.slice(1))
  expect([reply.statusCode, reply.headers.location]).toEqual([302, stored])
  expect(await app.clicksOf(owner, id)).toBe(1)
})

test.for([
  'javascript:alert(1)',
  'data:text/html,x',
  'sms:+49',
  'mailto:',
  'myapp://',
  'tel://user:password@host/',
  'ftp://example.com/',
])('a link to %s is rejected', async (url, { call }) => {
  const reply = await call('url/add', { url })
  expect([reply.statusCode, reply.json().message]).toEqual([
    400,
    expect.stringMatching(/^url must /),
  ])
})

test('rules, splits and expired links lead to other schemes', async ({ app, call, visit }) => {
  const rule = { when: { country: ['DE'] }, to: 'tel:+4930' }
  const variants = [
    { to: 'myapp://a', weight: 1 },
    { to: 'myapp://b', weight: 1 },
  ]
  const created = await call('url/add', {
    url: 'https://example.com/',
    custom: 'mixed',
    rules: [{ when: { query: { call: '1' } }, to: rule.to }],
    split: variants,
    expiry: '2131-01-01',
    expiredUrl: 'mailto:late@example.com',
  })
  expect(created.json().error).toBe(0)
  expect((await visit('mixed?call=1')).headers.location).toBe('tel:+4930')
  expect((await visit('mixed')).headers.location).toMatch(/^myapp:\/\/[ab]$/)
  await app.services.database.pool.query(
    `update links set expires_at = now() where alias = 'mixed'`,
  )
  app.services.visitLinks.invalidate(null, 'mixed')
  app.clock.advance(1000)
  expect((await visit('mixed')).headers.location).toBe('mailto:late@example.com')
})

test('the redirects of a domain lead to other schemes', async ({ make, owner, request }) => {
  const [root, unknown] = ['mailto:root@example.com', 'tel:+49404']
  const { host } = await make.domain(owner, { redirectRoot: root, redirect404: unknown })
  expect((await request({ url: '/', headers: { host } })).headers.location).toBe(root)
  expect((await request({ url: '/unknown', headers: { host } })).headers.location).toBe(unknown)
})

test('parameters have no plus for a blank, which mail programs would show', async ({
  call,
  visit,
}) => {
  const parameters = [{ name: 'subject', value: 'a b+c' }]
  for (const [custom, forwardQuery] of [
    ['plain', false],
    ['forwarding', true],
  ] as const) {
    await call('url/add', { url: 'mailto:a@example.com', custom, forwardQuery, parameters })
    expect((await visit(custom)).headers.location).toBe('mailto:a@example.com?subject=a%20b%2Bc')
  }
})

test('pages show the destination and lead there', async ({ make, owner, request, visit }) => {
  const url = 'mailto:team@example.com?subject=x'
  await make.link(owner, { url, alias: 'splash', type: 'splash' })
  const splash = await visit('splash')
  expect(splash.body).toContain(`href="${url}"`)
  expect(splash.body).toContain('<bdi>mailto:team@example.com</bdi>')
  await make.link(owner, { url, alias: 'framed', type: 'frame' })
  expect((await visit('framed')).headers.location).toBe(url)
  expect((await visit('framed+')).body).toContain('mailto:team@example.com')
  await make.link(owner, { url, alias: 'locked', password: 'open sesame' })
  const page = await visit('locked')
  expect(page.headers['content-security-policy']).toContain(
    "form-action 'self' https: http: mailto: tel: myapp:;",
  )
  const opened = await request({
    method: 'POST',
    url: '/locked',
    headers: { host: 'brev.test', 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'password=open+sesame',
  })
  expect([opened.statusCode, opened.headers.location]).toEqual([303, url])
})

test('QR codes, bio pages, exports and imports carry other schemes', async ({
  app,
  call,
  make,
}) => {
  const code = await call('qr/add', { type: 'link', data: 'tel:+4930' })
  expect(code.json()).toMatchObject({ error: 0 })
  const links = [{ title: 'Call', url: 'tel:+4930' }]
  expect((await call('bio/add', { alias: 'schemes', title: 'Page', links })).json().error).toBe(0)
  expect(
    (await call('url/add', { url: 'https://example.com/', metaimage: 'tel:1' })).statusCode,
  ).toBe(400)

  const other = await make.owner()
  await make.link(other, { url: 'myapp://open/1', alias: 'moved' })
  const transfer = createTransferCommands(app, other)
  for (const [index, format] of (['jsonl', 'csv'] as const).entries()) {
    const content = (await transfer.export(format)).replaceAll('moved', `moved-${format}`)
    const file = await createFile(content)
    const { stdout } = await runCommand(
      ['import', file, '--from', format, '--account', other.account.email, '--json'],
      { env: { ...env, DATABASE_URL: app.databaseUrl, BASE_URL: app.baseUrl } },
    )
    expect(JSON.parse(stdout)).toMatchObject({ created: index + 1, refused: 0 })
  }
})

test('DESTINATION_SCHEMES cannot allow schemes that run scripts or read files', () => {
  for (const scheme of 'javascript data vbscript file blob about view-source'.split(' ')) {
    const read = () => readConfig({ DESTINATION_SCHEMES: `mailto,${scheme.toUpperCase()}` })
    expect(read).toThrow(`DESTINATION_SCHEMES must not contain ${scheme}`)
  }
  expect(() => readConfig({ DESTINATION_SCHEMES: 'mailto tel' })).toThrow(
    /^DESTINATION_SCHEMES must be/,
  )
})

import { describe, expect } from 'vitest'
import { exampleUrl, hostsTest } from '../support/hosts-test.ts'
import { expectRejection } from '../support/rejections.ts'

const test = hostsTest()

describe('the host', () => {
  test('selects the links of its domain', async ({ hosts: { getLocation } }) => {
    expect(await getLocation('brev.test')).toBe(exampleUrl('service'))
    expect(await getLocation('own.test')).toBe(exampleUrl('own-test'))
    expect(await getLocation('rival.test')).toBe(exampleUrl('rival-test'))
    expect(await getLocation('ports.test:8080')).toBe(exampleUrl('http-ports-test-8080'))
  })

  // A host with an empty port is the same host (RFC 3986, section 6.2.3).
  test.for(['OWN.test', 'own.test.', 'own.test:', 'own.test:80', 'own.test:443', 'OWN.TEST.:443'])(
    '%s selects the domain own.test',
    async (host, { hosts: { getLocation } }) => {
      expect(await getLocation(host)).toBe(exampleUrl('own-test'))
    },
  )

  test.for(['BREV.test', 'brev.test.', 'brev.test:80', 'brev.test:443'])(
    '%s selects the service itself',
    async (host, { hosts: { getLocation } }) => {
      expect(await getLocation(host)).toBe(exampleUrl('service'))
    },
  )

  test.for([
    'unknown.test',
    'own.test:8080',
    'ports.test',
    'x.own.test',
    'own.test.rival.test',
    'test',
    'own.test..',
    '.own.test',
    'own.test/',
    'own.test@rival.test',
    'own.test#',
    'own.test?x',
    'own.test\\',
    'own.test,rival.test',
    'own.test rival.test',
    '[::1',
    '127.0.0.1',
    '*',
    '.',
    'own.test:99999',
    'own.test:-1',
    `${'a'.repeat(5000)}.test`,
    'null',
    '__proto__',
  ])('%s selects no links', async (host, { hosts: { visit } }) => {
    const reply = await visit(host)
    expect([reply.statusCode, reply.headers.location]).toEqual([404, undefined])
  })

  test.for(['further.test', 'FURTHER.test.', 'further.test:80', '192.0.2.9', '[2001:db8::9]'])(
    '%s from OWN_HOSTS selects the service itself',
    async (host, { hosts: { visit, getLocation } }) => {
      expect(await getLocation(host)).toBe(exampleUrl('service'))
      expect((await visit(host, '/register')).statusCode).toBe(200)
    },
  )

  test.for(['brev.test', 'further.test:80', '192.0.2.9'])(
    '%s cannot be a destination, which would form a loop',
    async (host, { owner, request }) => {
      const payload = { url: `http://${host}/x` }
      const { headers } = owner
      const reply = await request({ method: 'POST', url: '/api/url/add', headers, payload })
      expectRejection(reply, 'url must not lead to the short-link service itself')
    },
  )

  test.for(['brev.test:81', 'further.test:81', 'localhost', 'localhost:3000', '203.0.113.9'])(
    '%s selects no domain, even one stored before such hosts were rejected',
    async (host, { app, hosts: { rival, visit } }) => {
      await app.services.database.db
        .insertInto('domains')
        .values({
          account_id: rival.account.id,
          host,
          origin: `http://${host}`,
          redirect_root: exampleUrl('taken'),
          redirect_404: exampleUrl('taken'),
        })
        .execute()
      for (const url of ['/', '/register', '/nothing', '/same']) {
        const reply = await visit(host, url)
        expect([url, reply.statusCode, reply.headers.location]).toEqual([url, 404, undefined])
      }
    },
  )

  test('is never read from forwarding headers', async ({ request }) => {
    const headers = { 'x-forwarded-host': 'rival.test', forwarded: 'host=rival.test' }
    const reply = await request({ url: '/same', headers: { host: 'own.test', ...headers } })
    expect(reply.headers.location).toBe(exampleUrl('own-test'))
  })
})

describe('a branded domain', () => {
  /** Paths that the domain does not serve, although the service has pages at some of them. */
  const unservedPaths = [
    '/register',
    '/b/x',
    '/r/x',
    '/u/x/1',
    '/avatar/anna.svg',
    '/nothing',
    '/a/b',
    '//x',
  ]

  test.for(unservedPaths)('redirects %s to its 404 URL', async (url, { hosts: { visit } }) => {
    const reply = await visit('own.test', url)
    expect([reply.statusCode, reply.headers.location]).toEqual([302, exampleUrl('own-404')])
    expect(reply.headers['cache-control']).toBe('private, no-store')
  })

  test.for(unservedPaths)(
    'without a 404 URL, shows a 404 page at %s',
    async (url, { hosts: { visit } }) => {
      const reply = await visit('rival.test', url)
      expect(reply.statusCode).toBe(404)
      expect(reply.body).not.toContain('href="/"')
      expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
    },
  )

  test('redirects / to its root URL, or else responds as to an unknown path', async ({
    hosts: { visit, getLocation },
  }) => {
    expect(await getLocation('rival.test', '/')).toBe(exampleUrl('rival-root'))
    expect(await getLocation('own.test', '/')).toBe(exampleUrl('own-404'))
    expect((await visit('ports.test:8080', '/')).statusCode).toBe(404)
    expect((await visit('unknown.test', '/')).statusCode).toBe(404)
  })

  test('does not accept registrations', async ({ request }) => {
    const reply = await request({
      method: 'POST',
      url: '/register',
      headers: { host: 'rival.test', 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'email=a@example.com&username=abc&password=12345678',
    })
    expect(reply.statusCode).toBe(404)
  })
})

describe('the path', () => {
  test.for(['/same', '/%73ame', '/s%61me', '/same?x=/other', '/same#x', '/same?'])(
    '%s selects the alias same',
    async (url, { hosts: { getLocation } }) => {
      expect(await getLocation('brev.test', url)).toBe(exampleUrl('service'))
    },
  )

  test.for([
    '/%2573ame',
    '/same%3f',
    '/%2fsame',
    '//same',
    '/..%2fsame',
    '/same;x',
    '/same%00',
    '/%00same',
    '/same%0d%0aX-Injected:1',
    '/%20same',
    '/ſame',
    '/%EF%BD%93ame',
    '/s%E2%80%8Bame',
    '/%5csame',
    '/%c5%bfame',
    '/own.test%2fsame',
    '/1%2fsame',
    '/2/same',
    '/%2F%2Frival.test/same',
    `/${'s'.repeat(65)}`,
    `/${'%73'.repeat(10_000)}`,
    '/same++',
    '/+',
    '/%2B',
    '/same%00+',
    '/__proto__',
    '/constructor',
    '/toString',
    '/hasOwnProperty',
    '/null',
    '/undefined',
  ])('%s selects no link', async (url, { hosts: { visit } }) => {
    const reply = await visit('brev.test', url)
    expect([reply.statusCode, reply.headers.location]).toEqual([404, undefined])
  })

  test.for(['/%', '/%zz', '/%c3%28', '/%ff', '/same%e0%80%af', '/%u0073ame', '/\ud800'])(
    '%s is rejected as malformed or unknown',
    async (url, { hosts: { visit } }) => {
      const reply = await visit('brev.test', url)
      expect([400, 404]).toContain(reply.statusCode)
      expect(reply.headers.location).toBeUndefined()
    },
  )

  test('selects an alias in any script and any encoding', async ({
    make,
    owner,
    hosts: { getLocation },
  }) => {
    const created = await make.link(owner, { alias: 'frühling', url: exampleUrl('spring') })
    const composed = encodeURIComponent('fr\u00fchling')
    const decomposed = encodeURIComponent('fru\u0308hling')
    for (const path of [composed, decomposed, composed.toLowerCase()]) {
      expect(await getLocation('brev.test', `/${path}`)).toBe(exampleUrl('spring'))
    }
    expect(created.shortUrl).toBe(`http://brev.test/${composed}`)
  })

  test('of a built-in page cannot be an alias', async ({ make, owner, hosts: { visit } }) => {
    for (const alias of ['register', 'REGISTER', 'api', 'b', 'r', 'u', 'qr', 'docs', 'health']) {
      const rejection = expect.objectContaining({ message: 'alias is a reserved word' })
      await expect(make.link(owner, { alias })).rejects.toEqual(rejection)
    }
    expect((await visit('brev.test', '/register')).body).toContain('Create an account')
    expect((await visit('brev.test', '/%72egister')).body).toContain('Create an account')
  })
})

import { describe, expect } from 'vitest'
import { resourceClient } from '../support/api-client.ts'
import { expectRejection } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { OWN_HOSTS: 'further.test' } }).extend(
  'api',
  { scope: 'file' },
  ({ app, owner, request }) => {
    const { send, add, update, list } = resourceClient({ app, owner }, 'domain')
    const visit = (host: string, url = '/') => request({ url, headers: { host } })
    return { send, add, list, update, visit }
  },
)

describe('POST /api/domain/add', () => {
  test('adds a domain and lists it', async ({ make, api: { send, add } }) => {
    const caller = await make.owner()
    const reply = await add(
      {
        domain: 'https://go.example.com',
        redirectroot: 'https://example.com',
        redirect404: 'https://example.com/lost?a=1',
      },
      caller,
    )
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, id: expect.any(Number) })
    expect((await send('GET', '/api/domains', undefined, caller)).json()).toEqual({
      error: '0',
      data: {
        result: 1,
        perpage: 15,
        currentpage: 1,
        nextpage: 1,
        maxpage: 1,
        domains: [
          {
            id: reply.json().id,
            domain: 'https://go.example.com',
            redirectroot: 'https://example.com/',
            redirect404: 'https://example.com/lost?a=1',
          },
        ],
      },
    })
  })

  test('treats absent, null, empty and false redirects as none', async ({
    make,
    api: { add, list },
  }) => {
    const caller = await make.owner()
    const { id } = (await add({ domain: 'http://alone.example' }, caller)).json()
    await add({ domain: 'http://nulls.example', redirectroot: null, redirect404: '' }, caller)
    await add({ domain: 'http://false.example', redirectroot: false, otherDomain: 1 }, caller)
    const data = await list(caller)
    expect(data.domains.at(-1)).toEqual({
      id,
      domain: 'http://alone.example',
      redirectroot: '',
      redirect404: '',
    })
    expect(data.domains.map(({ redirectroot }: { redirectroot: string }) => redirectroot)).toEqual([
      '',
      '',
      '',
    ])
  })

  test.for([
    ['HTTPS://Upper.Example', 'https://upper.example'],
    ['http://slash.example/', 'http://slash.example'],
    ['http://dot.example.', 'http://dot.example'],
    ['http://dot-port.example.:8080', 'http://dot-port.example:8080'],
    ['http://port.example:80', 'http://port.example'],
    ['https://port-s.example:443', 'https://port-s.example'],
    ['https://odd.example:8443', 'https://odd.example:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://ＷＩＤＥ.example', 'https://wide.example'],
  ] as const)('stores %s as %s', async ([domain, stored], { make, api: { add, list } }) => {
    const caller = await make.owner()
    expect((await add({ domain }, caller)).statusCode).toBe(200)
    expect((await list(caller)).domains[0].domain).toBe(stored)
  })

  test.for<[object, string]>([
    [{}, 'domain is required'],
    [{ domain: '' }, 'domain is required'],
    [{ domain: null }, 'domain is required'],
    [{ domain: 5 }, 'domain must be a string'],
    [{ domain: ['https://a.example'] }, 'domain must be a string'],
    [{ domain: 'a.example' }, 'domain must begin with http:// or https://'],
    [{ domain: 'ftp://a.example' }, 'domain must begin with http:// or https://'],
    [{ domain: `https://${'a'.repeat(300)}` }, 'domain must not have more than 300 characters'],
    [
      { domain: 'https://a\0.example' },
      'domain must be text without NUL characters or broken surrogates',
    ],
    ...[
      'https://',
      'https:///a.example',
      'https://a.example/path',
      'https://a.example//',
      'https://a.example?',
      'https://a.example/?a=1',
      'https://a.example#',
      'https://user@a.example',
      'https://user:pw@a.example',
      'https://@a.example',
      'https://a.example\\path',
      'https://a .example',
      'https://a.example ',
      'https://a..example',
      'https://.a.example',
      'https://a.example..',
      'https://*.example',
      'https://a.example:99999',
      'https://a.example:port',
      `https://${'a'.repeat(64)}.example`,
      `https://${'a.'.repeat(130)}example`,
      'https://a%2Fb.example',
    ].map(
      (domain): [object, string] =>
        [{ domain }, 'domain must be http:// or https:// and a host name, without a path'] as const,
    ),
    [{ domain: 'http://brev.test' }, 'domain must not be the service itself'],
    [{ domain: 'https://BREV.test.:443/' }, 'domain must not be the service itself'],
    ...[
      'http://brev.test:8080',
      'https://brev.test:1',
      'http://localhost',
      'https://LOCALHOST.:3000',
      'http://ｌｏｃａｌｈｏｓｔ',
      'https://further.test',
      'https://further.test:8443',
    ].map((domain): [object, string] => [{ domain }, 'domain must not be the service itself']),
    ...[
      'http://127.0.0.1',
      'http://203.0.113.9:8080',
      'http://0x7f.1',
      'http://2130706433',
      'http://0177.0.0.1',
      'http://10.1',
      'http://127.0.0.1.',
      'https://[::1]',
      'http://[2001:DB8::1]:8080',
      'http://[::ffff:127.0.0.1]',
    ].map((domain): [object, string] => [
      { domain },
      'domain must be a name and not an IP address',
    ]),
  ] as const)('rejects %j', async ([payload, message], { api: { add } }) => {
    expectRejection(await add(payload), message)
  })

  describe.each(['redirectroot', 'redirect404'])('rejects a %s that', (field) => {
    test.for([
      ['is a number', 5, 'must be a string'],
      ['is an object', {}, 'must be a string'],
      ['is nonsense', 'nonsense', 'must be a valid http or https URL'],
      ['is a script', 'java\nscript:alert(1)', 'must be a valid http or https URL'],
      [
        'contains credentials',
        'https://user:pw@example.com',
        'must not contain a user name or password',
      ],
      ['is too long', `https://example.com/${'x'.repeat(8200)}`, 'must be at most 8192 bytes'],
      ['is far too long', 'x'.repeat(32_769), 'must not have more than 32768 characters'],
      [
        'contains a NUL character',
        'https://example.com/\0',
        'must be text without NUL characters or broken surrogates',
      ],
    ] as const)('%s', async ([_name, value, problem], { make, owner, api: { add, update } }) => {
      const created = await add({ domain: 'https://never.example', [field]: value })
      const { id } = await make.domain(owner)
      const updated = await update(id, { [field]: value })
      for (const reply of [created, updated]) {
        expect(reply.statusCode).toBe(400)
        expect(reply.json()).toEqual({ error: 1, message: `${field} ${problem}` })
      }
    })
  })

  test('rejects redirects that form a loop', async ({ app, make, owner, api: { add, update } }) => {
    const { id, origin } = await make.domain(owner)
    const otherDomain = await make.domain(owner)
    for (const redirect404 of [
      origin,
      `${origin}./a`,
      otherDomain.origin,
      `${otherDomain.origin}.`,
      `${app.baseUrl}./`,
    ]) {
      const reply = await update(id, { redirect404 })
      expect(reply.statusCode).toBe(400)
      expect(reply.json().message).toBe(
        'redirect404 must not lead to the short-link service itself',
      )
    }
    const root = await update(id, { redirectroot: `${origin}/?again` })
    expect(root.statusCode).toBe(400)
    expect(root.json().message).toBe('redirectroot must not lead to the domain itself')
    const created = await add({
      domain: 'https://fresh.example',
      redirect404: 'https://fresh.example/x',
    })
    expect(created.statusCode).toBe(400)
    // The root of a domain may redirect to a short link or to a page of the service.
    expect((await update(id, { redirectroot: `${origin}/start` })).statusCode).toBe(200)
    expect((await update(id, { redirectroot: `${app.baseUrl}/b/anna` })).statusCode).toBe(200)
  })

  test.for([
    ['https://taken.example', 'https://taken.example'],
    ['https://scheme.example', 'http://scheme.example'],
    ['https://case.example', 'https://CASE.example.:443'],
    ['https://xn--mnchen-3ya.example', 'https://münchen.example'],
  ] as const)(
    'while %s is registered, rejects %s',
    async ([registeredDomain, domain], { make, api: { add } }) => {
      await make.domain(await make.owner(), { domain: registeredDomain })
      const reply = await add({ domain })
      expect(reply.statusCode).toBe(409)
      expect(reply.json()).toEqual({ error: 1, message: 'That domain is already in use.' })
    },
  )

  test('accepts a domain for exactly one of many concurrent requests', async ({
    make,
    api: { add, list },
  }) => {
    const owners = await Promise.all(Array.from({ length: 4 }, () => make.owner()))
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        add({ domain: 'https://race.example' }, owners[index % 4]),
      ),
    )
    const statuses = replies.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([200, ...Array(19).fill(409)])
    const lists = await Promise.all(owners.map((caller) => list(caller)))
    expect(lists.map(({ result }) => result).sort()).toEqual([0, 0, 0, 1])
  })

  test('replays the first reply for the same Idempotency-Key', async ({
    make,
    request,
    api: { list },
  }) => {
    const caller = await make.owner()
    const headers = { ...caller.headers, 'idempotency-key': 'one' }
    const payload = { domain: 'https://once.example' }
    const options = { method: 'POST', url: '/api/domain/add', headers, payload } as const
    const first = await request(options)
    const second = await request(options)
    expect(first.statusCode).toBe(200)
    expect(second.json()).toEqual(first.json())
    expect((await list(caller)).result).toBe(1)
  })

  test('takes effect immediately, even after requests to the unknown host', async ({
    api: { add, visit },
  }) => {
    expect((await visit('early.example')).statusCode).toBe(404)
    await add({ domain: 'https://early.example', redirectroot: 'https://example.com/' })
    expect((await visit('early.example')).headers.location).toBe('https://example.com/')
  })
})

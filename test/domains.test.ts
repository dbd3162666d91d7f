import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type TestApp, testApp } from './support/app.ts'
import type { Owner } from './support/make.ts'

let t: TestApp
let owner: Owner

beforeAll(async () => {
  t = await testApp()
  owner = await t.make.owner()
})
afterAll(() => t.close())

const send = (
  method: 'POST' | 'PUT' | 'DELETE' | 'GET',
  url: string,
  payload?: object,
  by = owner,
) => t.request({ method, url, headers: by.headers, ...(payload && { payload }) })
const add = (payload: object, by = owner) => send('POST', '/api/domain/add', payload, by)
const update = (id: number | string, payload: object, by = owner) =>
  send('PUT', `/api/domain/${id}/update`, payload, by)
const remove = (id: number | string, by = owner) =>
  send('DELETE', `/api/domain/${id}/delete`, undefined, by)
const list = async (by = owner, query = '') =>
  (await send('GET', `/api/domains${query}`, undefined, by)).json()
const visit = (host: string, url = '/') => t.request({ url, headers: { host } })

const notFound = { error: 1, message: 'The requested resource was not found.' }

describe('POST /api/domain/add', () => {
  test('adds a domain, which the list shows', async () => {
    const by = await t.make.owner()
    const reply = await add(
      {
        domain: 'https://go.example.com',
        redirectroot: 'https://example.com',
        redirect404: 'https://example.com/lost?a=1',
      },
      by,
    )
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, id: expect.any(Number) })
    expect(await list(by)).toEqual({
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

  test('takes a domain alone, and null, false or nothing for the redirects', async () => {
    const by = await t.make.owner()
    const { id } = (await add({ domain: 'http://alone.example' }, by)).json()
    await add({ domain: 'http://nulls.example', redirectroot: null, redirect404: '' }, by)
    await add({ domain: 'http://false.example', redirectroot: false, other: 1 }, by)
    const { data } = await list(by)
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

  test.each([
    ['HTTPS://Upper.Example', 'https://upper.example'],
    ['http://slash.example/', 'http://slash.example'],
    ['http://dot.example.', 'http://dot.example'],
    ['http://dot-port.example.:8080', 'http://dot-port.example:8080'],
    ['http://port.example:80', 'http://port.example'],
    ['https://port-s.example:443', 'https://port-s.example'],
    ['https://odd.example:8443', 'https://odd.example:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://ＷＩＤＥ.example', 'https://wide.example'],
    ['http://[2001:DB8::1]:8080', 'http://[2001:db8::1]:8080'],
  ])('stores %s as %s', async (domain, stored) => {
    const by = await t.make.owner()
    expect((await add({ domain }, by)).statusCode).toBe(200)
    expect((await list(by)).data.domains[0].domain).toBe(stored)
  })

  test.each<[object, string]>([
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
  ])('refuses %j', async (payload, message) => {
    const reply = await add(payload)
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
  })

  describe.each(['redirectroot', 'redirect404'])('refuses a %s that', (field) => {
    test.each([
      ['a number', 5, 'must be a string'],
      ['an object', {}, 'must be a string'],
      ['nonsense', 'nonsense', 'must be a valid http or https URL'],
      ['a script', 'java\nscript:alert(1)', 'must be a valid http or https URL'],
      [
        'with credentials',
        'https://user:pw@example.com',
        'must not contain a user name or password',
      ],
      ['too long', `https://example.com/${'x'.repeat(8200)}`, 'must be at most 8192 bytes'],
      ['far too long', 'x'.repeat(32_769), 'must not have more than 32768 characters'],
      [
        'with a NUL',
        'https://example.com/\0',
        'must be text without NUL characters or broken surrogates',
      ],
    ])('is %s', async (_name, value, problem) => {
      const created = await add({ domain: 'https://never.example', [field]: value })
      const { id } = await t.make.domain(owner)
      const updated = await update(id, { [field]: value })
      for (const reply of [created, updated]) {
        expect(reply.statusCode).toBe(400)
        expect(reply.json()).toEqual({ error: 1, message: `${field} ${problem}` })
      }
    })
  })

  test('refuses redirects that would go round in a circle', async () => {
    const { id, origin } = await t.make.domain(owner)
    const other = await t.make.domain(owner)
    for (const redirect404 of [
      origin,
      `${origin}./a`,
      other.origin,
      `${other.origin}.`,
      `${t.baseUrl}./`,
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
    const fresh = await add({
      domain: 'https://fresh.example',
      redirect404: 'https://fresh.example/x',
    })
    expect(fresh.statusCode).toBe(400)
    // The bare domain may well lead to a short link or a page of the service.
    expect((await update(id, { redirectroot: `${origin}/start` })).statusCode).toBe(200)
    expect((await update(id, { redirectroot: `${t.baseUrl}/b/anna` })).statusCode).toBe(200)
  })

  test.each([
    ['https://taken.example', 'https://taken.example'],
    ['https://scheme.example', 'http://scheme.example'],
    ['https://case.example', 'https://CASE.example.:443'],
    ['https://xn--mnchen-3ya.example', 'https://münchen.example'],
  ])('refuses %s when it is somebody’s, as %s', async (first, second) => {
    await t.make.domain(await t.make.owner(), { domain: first })
    const reply = await add({ domain: second })
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toEqual({ error: 1, message: 'That domain is already in use.' })
  })

  test('lets exactly one of many at once have a domain', async () => {
    const owners = await Promise.all(Array.from({ length: 4 }, () => t.make.owner()))
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        add({ domain: 'https://race.example' }, owners[index % 4]),
      ),
    )
    const statuses = replies.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([200, ...Array(19).fill(409)])
    const lists = await Promise.all(owners.map((by) => list(by)))
    expect(lists.map(({ data }) => data.result).sort()).toEqual([0, 0, 0, 1])
  })

  test('answers a repetition under the same Idempotency-Key with the first reply', async () => {
    const by = await t.make.owner()
    const headers = { ...by.headers, 'idempotency-key': 'one' }
    const payload = { domain: 'https://once.example' }
    const options = { method: 'POST', url: '/api/domain/add', headers, payload } as const
    const [first, second] = [await t.request(options), await t.request(options)]
    expect(first.statusCode).toBe(200)
    expect(second.json()).toEqual(first.json())
    expect((await list(by)).data.result).toBe(1)
  })

  test('is known to visitors at once, also to those who came before', async () => {
    expect((await visit('early.example')).statusCode).toBe(404)
    await add({ domain: 'https://early.example', redirectroot: 'https://example.com/' })
    expect((await visit('early.example')).headers.location).toBe('https://example.com/')
  })
})

describe('GET /api/domains', () => {
  test('pages newest first, and counts along', async () => {
    const by = await t.make.owner()
    const ids: number[] = []
    for (let i = 0; i < 5; i += 1) ids.unshift((await t.make.domain(by)).id)
    const page = async (query: string) => {
      const { data } = await list(by, query)
      const { domains, ...counters } = data
      return [counters, domains.map(({ id }: { id: number }) => id)]
    }
    const counters = { result: 5, perpage: 2, maxpage: 3 }
    expect(await page('?limit=2')).toEqual([
      { ...counters, currentpage: 1, nextpage: 2 },
      ids.slice(0, 2),
    ])
    expect(await page('?limit=2&page=2')).toEqual([
      { ...counters, currentpage: 2, nextpage: 3 },
      ids.slice(2, 4),
    ])
    expect(await page('?limit=2&page=3')).toEqual([
      { ...counters, currentpage: 3, nextpage: 3 },
      ids.slice(4),
    ])
    expect(await page('?limit=2&page=9')).toEqual([
      { ...counters, currentpage: 9, nextpage: 3 },
      [],
    ])
    await remove(ids[0] ?? 0, by)
    expect(await page('')).toEqual([
      { result: 4, perpage: 15, currentpage: 1, nextpage: 1, maxpage: 1 },
      ids.slice(1),
    ])
  })

  test('shows nothing of other accounts', async () => {
    await t.make.domain(owner)
    const { data } = await list(await t.make.owner())
    expect(data).toMatchObject({ result: 0, maxpage: 1, nextpage: 1, domains: [] })
  })
})

describe('PUT /api/domain/{id}/update', () => {
  const redirects = { redirectroot: 'https://example.com/r', redirect404: 'https://example.com/4' }

  test('changes what is given, leaves what is absent or null, clears what is empty', async () => {
    const by = await t.make.owner()
    const { id, origin: domain } = await t.make.domain(by, redirects)
    const shown = async () => (await list(by)).data.domains[0]
    const reply = await update(id, { redirectroot: 'https://example.org' }, by)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Domain has been updated successfully.' })
    const changed = { id, domain, ...redirects, redirectroot: 'https://example.org/' }
    expect(await shown()).toEqual(changed)
    for (const nothing of [{}, { redirectroot: null, redirect404: null }, { domain: 'x' }]) {
      expect((await update(id, nothing, by)).statusCode).toBe(200)
      expect(await shown()).toEqual(changed)
    }
    await update(id, { redirectroot: '', redirect404: '' }, by)
    expect(await shown()).toEqual({ id, domain, redirectroot: '', redirect404: '' })
  })

  test('reaches visitors at once', async () => {
    const { id, host } = await t.make.domain(owner, redirects)
    expect((await visit(host)).headers.location).toBe('https://example.com/r')
    expect((await visit(host, '/none')).headers.location).toBe('https://example.com/4')
    await update(id, { redirectroot: 'https://example.org/r', redirect404: '' })
    expect((await visit(host)).headers.location).toBe('https://example.org/r')
    expect((await visit(host, '/none')).statusCode).toBe(404)
  })

  test('refuses a body that is not an object', async () => {
    const { id } = await t.make.domain(owner)
    const reply = await update(id, [{ redirectroot: 'https://example.com' }])
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ error: 1, message: 'The request body must be a JSON object.' })
  })
})

describe('DELETE /api/domain/{id}/delete', () => {
  test('deletes, after which the host is unknown and free again', async () => {
    const { id, host, origin } = await t.make.domain(owner, {
      redirectroot: 'https://example.com/r',
    })
    expect((await visit(host)).statusCode).toBe(302)
    const reply = await remove(id)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({ error: 0, message: 'Domain has been deleted successfully.' })
    expect((await visit(host)).statusCode).toBe(404)
    expect((await add({ domain: origin }, await t.make.owner())).statusCode).toBe(200)
  })

  test('is refused while links are on the domain', async () => {
    const { id, origin } = await t.make.domain(owner)
    const link = await t.make.link(owner, { domain: origin })
    expect(link.shortUrl).toBe(`${origin}/${link.alias}`)
    const reply = await remove(id)
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toEqual({
      error: 1,
      message: 'This domain still has links. Please delete or move them first.',
    })
    await t.services.links.delete(owner.account.id, link.id)
    expect((await remove(id)).statusCode).toBe(200)
  })
})

test('ids that are foreign, deleted or unknown are the same to the last byte', async () => {
  const foreign = await t.make.domain(await t.make.owner())
  const deleted = await t.make.domain(owner)
  await remove(deleted.id)
  const ids = [
    foreign.id,
    deleted.id,
    999_999_999,
    '9007199254740993',
    '0',
    '-1',
    '1.5',
    'x',
    '%00',
  ]
  const replies = await Promise.all(
    ids.flatMap((id) => [update(id, { redirectroot: 'https://example.com' }), remove(id)]),
  )
  for (const reply of replies) expect([reply.statusCode, reply.json()]).toEqual([404, notFound])
  expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
  expect((await visit(foreign.host)).statusCode).toBe(404)
})

describe('with the domain check on', () => {
  let checked: TestApp
  let by: Owner

  beforeAll(async () => {
    checked = await testApp({ env: { DOMAIN_CHECK: 'on', OUTBOUND_ALLOW: '127.0.0.1/32' } })
    by = await checked.make.owner()
  })
  afterAll(() => checked.close())

  const tryDomain = (domain: string) =>
    checked.request({
      method: 'POST',
      url: '/api/domain/add',
      headers: by.headers,
      payload: { domain },
    })

  /** A site on loopback that answers every request so; gives its origin and what it was asked. */
  async function site(answer: {
    status?: number
    headers?: Record<string, string>
    body?: string
  }) {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.headers.host} ${request.url}`)
      response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    onTestFinished(() => void server.close())
    return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }

  test('the service shows its token under any host', async () => {
    const url = '/.well-known/short-link-service'
    for (const host of ['brev.test', 'nobody.example']) {
      const reply = await checked.request({ url, headers: { host } })
      expect(reply.statusCode).toBe(200)
      expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(reply.body).toBe(checked.services.instance.token)
    }
  })

  test('a domain that shows the token is added', async () => {
    const { origin, asked } = await site({ body: `${checked.services.instance.token}\n` })
    const reply = await tryDomain(origin)
    expect(reply.json()).toEqual({ error: 0, id: expect.any(Number) })
    expect(asked).toEqual([`GET ${origin.slice(7)} /.well-known/short-link-service`])
  })

  test('the running service proves itself under another of its names', async () => {
    await checked.listen()
    const reply = await tryDomain(`http://127.0.0.1:${checked.port()}`)
    expect(reply.json()).toEqual({ error: 0, id: expect.any(Number) })
  })

  test('any other answer is the same refusal, which tells nothing of it', async () => {
    const { token } = checked.services.instance
    const proof = await site({ body: token })
    const location = `${proof.origin}/.well-known/short-link-service`
    const sites = await Promise.all([
      site({ body: 'secret' }),
      site({ body: `${token}x` }),
      site({ body: '' }),
      site({ status: 404, body: token }),
      site({ status: 302, headers: { location }, body: token }),
      site({ body: token + ' '.repeat(2000) }),
    ])
    const origins = [...sites.map(({ origin }) => origin), 'http://127.0.0.1:1', 'http://127.0.0.2']
    for (const origin of [...origins, 'http://[::1]:8080', 'http://name.invalid']) {
      const reply = await tryDomain(origin)
      expect([origin, reply.statusCode, reply.json()]).toEqual([
        origin,
        400,
        { error: 1, message: 'domain must already point to this service' },
      ])
    }
    expect(proof.asked).toEqual([])
    const { data } = (await checked.request({ url: '/api/domains', headers: by.headers })).json()
    expect(data.domains.map(({ domain }: { domain: string }) => domain)).not.toContain(
      sites[0]?.origin,
    )
  })

  test('a repetition is answered from memory, though the domain no longer points here', async () => {
    const answer = { body: checked.services.instance.token }
    const { origin } = await site(answer)
    const options = {
      method: 'POST',
      url: '/api/domain/add',
      headers: { ...by.headers, 'idempotency-key': 'moved' },
      payload: { domain: origin },
    } as const
    const first = await checked.request(options)
    answer.body = 'somebody else'
    const second = await checked.request(options)
    expect([second.statusCode, second.body]).toEqual([200, first.body])
  })
})

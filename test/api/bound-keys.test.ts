import { describe, expect } from 'vitest'
import { listKeys, rotateKey } from '../../src/identity/key.service.ts'
import { deleteDomain } from '../../src/links/domain-deletion.ts'
import { getLink } from '../../src/links/link.service.ts'
import { listLinks } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { base64 } from '../support/legacy-api.ts'
import { createScopedKey, type ScopedKey } from '../support/scoped-keys.ts'
import { appTest } from '../support/test.ts'
import { YOURLS_PATH } from '../support/yourls.ts'

const KEY_BOUND = 'This API key is bound to go.example; it cannot create links on another domain.'
const MOVE_REJECTED = 'This API key is bound to go.example; it cannot move links to another domain.'
const NOT_FOUND = '{"error":1,"message":"The requested resource was not found."}'
const url = 'https://example.com/target'

/**
 * A `test` for an account with two domains, links on each and on the service's own host, and a key
 * that is bound to `go.example`, with which `send` sends requests.
 */
const test = appTest()
  .extend('domains', { scope: 'file' }, async ({ make, owner }) => {
    const bound = await make.domain(owner, { domain: 'https://go.example' })
    await make.domain(owner, { domain: 'https://other.example' })
    return { bound }
  })
  .extend('links', { scope: 'file' }, async ({ domains: _, make, owner }) => ({
    here: await make.link(owner, { alias: 'here', domain: 'go.example', tags: ['sale'] }),
    other: await make.link(owner, { alias: 'other', domain: 'other.example', tags: ['sale'] }),
    own: await make.link(owner, { alias: 'own', tags: ['sale'] }),
  }))
  .extend('key', { scope: 'file' }, ({ app, owner, domains: _ }) =>
    createScopedKey(app, owner, 'full', 'https://GO.example/'),
  )
  .extend(
    'send',
    { scope: 'file' },
    ({ request, key }) =>
      (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) =>
        request({ method, url: path, headers: key.headers, ...(payload && { payload }) }),
  )

describe('a key that is bound to a domain creates links', () => {
  test.for([
    ['no domain', {}],
    ['an empty domain', { domain: '' }],
    ['null', { domain: null }],
    ['its domain', { domain: 'go.example' }],
    ['its domain with a scheme', { domain: 'https://GO.example/' }],
  ] as const)("on the key's domain if a call names %s", async ([, fields], { send }) => {
    const reply = await send('POST', '/api/url/add', { url, ...fields })
    expect([reply.statusCode, reply.json().shorturl]).toEqual([
      200,
      expect.stringMatching(/^https:\/\/go\.example\//),
    ])
  })

  test.for(['other.example', 'https://brev.test', 'unknown.example', 'no host at all', '\u0000'])(
    'only on its domain: rejects %j',
    async (domain, { app, owner, send }) => {
      const count = async () =>
        (
          await listLinks(scopeOf(app.services, owner.account.id), {
            order: 'date',
            limit: 1,
            offset: 0,
          })
        ).total
      const before = await count()
      const reply = await send('POST', '/api/url/add', { url, domain })
      const isValid = !domain.includes('\u0000')
      expect([reply.statusCode, reply.json().message]).toEqual(
        isValid ? [403, KEY_BOUND] : [400, expect.stringContaining('domain')],
      )
      expect(await count()).toBe(before)
    },
  )

  test('in a batch, except for entries that name another domain', async ({ send }) => {
    const urls = [{ url }, { url, domain: 'other.example' }, { url, domain: 'go.example' }, {}]
    const reply = await send('POST', '/api/urls/add', { urls })
    const shorturl = expect.stringMatching(/^https:\/\/go\.example\//)
    expect(reply.json().results).toEqual([
      { error: 0, id: expect.any(Number), shorturl },
      { error: 1, message: KEY_BOUND },
      { error: 0, id: expect.any(Number), shorturl },
      { error: 1, message: 'url is required' },
    ])
  })

  test('without replaying a reply to an unbound key with the same Idempotency-Key', async ({
    key,
    owner,
    request,
  }) => {
    const add = (caller: { headers: Record<string, string> }) =>
      request({
        method: 'POST',
        url: '/api/url/add',
        headers: { ...caller.headers, 'idempotency-key': 'same' },
        payload: { url },
      })
    const first = await add(owner)
    expect(first.json().shorturl).toMatch(/^http:\/\/brev\.test\//)
    expect((await add(key)).statusCode).toBe(409)
    expect((await add(owner)).json()).toEqual(first.json())
  })

  test('through the legacy and YOURLS APIs, too', async ({ key, request }) => {
    const callLegacyApi = (path: string) =>
      request({ url: `/api/v1/${key.key}/shorturl/create/${path}url/${base64(url)}.json` })
    expect((await callLegacyApi('')).json().data.short_url).toMatch(/^https:\/\/go\.example\//)
    const rejected = await callLegacyApi('base_domain/other.example/')
    expect([rejected.statusCode, rejected.json().data.message]).toEqual([403, KEY_BOUND])
    const callYourlsApi = async (host: string) => {
      const query = new URLSearchParams({ action: 'shorturl', signature: key.key, url })
      const reply = await request({ url: `${YOURLS_PATH}?${query}&format=json`, headers: { host } })
      return [reply.statusCode, reply.json().shorturl ?? reply.json().message]
    }
    const created = [200, expect.stringMatching(/^https:\/\/go\.example\//)]
    expect(await callYourlsApi('brev.test')).toEqual(created)
    expect(await callYourlsApi('go.example')).toEqual(created)
    expect(await callYourlsApi('other.example')).toEqual([403, KEY_BOUND])
  })
})

describe('a key that is bound to a domain finds no links on other domains', () => {
  test('in lists, searches and lookups by short URL', async ({ links, send, owner, request }) => {
    const findIds = async (query: string, headers?: Record<string, string>) => {
      const path = `/api/urls?limit=1000&${query}`
      const { data } = (
        await (headers ? request({ url: path, headers }) : send('GET', path))
      ).json()
      expect(data.result).toBe(data.urls.length)
      return data.urls.map(({ id }: { id: number }) => id)
    }
    const all = [links.here.id, links.other.id, links.own.id]
    for (const query of ['', 'order=click', 'q=example', 'tag=sale', 'q=e&tag=sale']) {
      expect(await findIds(query, owner.headers)).toEqual(expect.arrayContaining(all))
      const found = await findIds(query)
      expect(found).toContain(links.here.id)
      expect(found).not.toContain(links.other.id)
      expect(found).not.toContain(links.own.id)
    }
    expect(await findIds('short=go.example/here')).toEqual([links.here.id])
    expect(await findIds('short=other.example/other')).toEqual([])
    expect(await findIds('short=brev.test/own')).toEqual([])
    expect(await findIds('short=here')).toEqual([links.here.id])
    expect(await findIds('short=own')).toEqual([])
  })

  test('by id, and cannot change them', async ({ app, links, owner, send }) => {
    for (const { id } of [links.other, links.own]) {
      const replies = [
        await send('GET', `/api/url/${id}`),
        await send('GET', `/api/url/${id}/stats`),
        await send('PUT', `/api/url/${id}/update`, { url, domain: 'go.example' }),
        await send('DELETE', `/api/url/${id}/delete`),
      ]
      for (const reply of replies) expect([reply.statusCode, reply.body]).toEqual([404, NOT_FOUND])
      expect((await getLink(scopeOf(app.services, owner.account.id), id)).url).toBe(url)
    }
    expect((await send('GET', `/api/url/${links.here.id}`)).json().details.alias).toBe('here')
    expect((await send('GET', `/api/url/${links.here.id}/stats`)).statusCode).toBe(200)
  })

  test('through the legacy API', async ({ app, key, links, owner, request }) => {
    const callLegacyApi = (path: string) =>
      request({ url: `/api/v1/${key.key}/shorturl/${path}.json` })
    for (const operation of ['info', 'disable', 'enable']) {
      const call = (short: string) => callLegacyApi(`${operation}/short_url/${base64(short)}`)
      expect((await call('https://go.example/here')).statusCode).toBe(200)
      expect((await call('https://other.example/other')).statusCode).toBe(404)
      expect((await call('brev.test/own')).statusCode).toBe(404)
    }
    expect((await getLink(scopeOf(app.services, owner.account.id), links.own.id)).status).toBe(
      'active',
    )
    const { urls } = (await callLegacyApi('list_active_urls')).json().data
    const shortUrls = urls.map(({ short_url }: { short_url: string }) => short_url)
    expect(shortUrls).toContain('https://go.example/here')
    expect(shortUrls.every((shortUrl: string) => shortUrl.startsWith('https://go.example/'))).toBe(
      true,
    )
  })

  test("through the YOURLS API, which looks up keywords on the key's domain", async ({
    key,
    links: _,
    request,
  }) => {
    const expand = async (shorturl: string, host = 'brev.test') => {
      const query = new URLSearchParams({ action: 'expand', signature: key.key, shorturl })
      const reply = await request({ url: `${YOURLS_PATH}?${query}&format=json`, headers: { host } })
      return reply.statusCode
    }
    expect(await expand('here')).toBe(200)
    expect(await expand('https://go.example/here')).toBe(200)
    expect(await expand('own')).toBe(404)
    expect(await expand('http://brev.test/own')).toBe(404)
    expect(await expand('other', 'other.example')).toBe(404)
  })
})

describe('an update by a key that is bound to a domain', () => {
  test('keeps the link on the key’s domain if it names that domain or none', async ({ send }) => {
    const { id } = (await send('POST', '/api/url/add', { url })).json()
    for (const fields of [{}, { domain: null }, { domain: 'go.example' }]) {
      const reply = await send('PUT', `/api/url/${id}/update`, { url: `${url}/2`, ...fields })
      expect([reply.statusCode, reply.json().short]).toEqual([
        200,
        expect.stringMatching(/^https:\/\/go\.example\//),
      ])
    }
  })

  test.for(['other.example', 'brev.test', ''])(
    'cannot move the link to %j',
    async (domain, { app, owner, send }) => {
      const { id } = (await send('POST', '/api/url/add', { url })).json()
      const payload = { url: 'https://example.com/moved', domain }
      const reply = await send('PUT', `/api/url/${id}/update`, payload)
      expect([reply.statusCode, reply.json().message]).toEqual([403, MOVE_REJECTED])
      const stored = await getLink(scopeOf(app.services, owner.account.id), id)
      expect([stored.url, stored.shortUrl.startsWith('https://go.example/')]).toEqual([url, true])
    },
  )
})

test('a bound key loses access to a link that moves to another domain', async ({
  owner,
  request,
  send,
}) => {
  const { id } = (await send('POST', '/api/url/add', { url })).json()
  const path = `/api/url/${id}/update`
  const payload = { url, domain: '' }
  await request({ method: 'PUT', url: path, headers: owner.headers, payload })
  expect((await send('GET', `/api/url/${id}`)).statusCode).toBe(404)
})

test('deleting a domain deletes only the keys bound to it', async ({ app, make, request }) => {
  const owner = await make.owner()
  const { id } = await make.domain(owner, { domain: 'https://short-lived.example' })
  const bound = await createScopedKey(app, owner, 'links', 'short-lived.example')
  const status = async ({ headers }: Pick<ScopedKey, 'headers'>) =>
    (await request({ url: '/api/urls', headers })).statusCode
  expect([await status(bound), await status(owner)]).toEqual([200, 200])
  await deleteDomain(scopeOf(app.services, owner.account.id), id)
  expect([await status(bound), await status(owner)]).toEqual([401, 200])
})

test("a key cannot be bound to another account's domain or to the service itself", async ({
  app,
  domains: _,
  make,
}) => {
  const otherOwner = await make.owner()
  for (const domain of ['go.example', 'brev.test', 'unknown.example', 'a\0b', ' ']) {
    const attempt = createScopedKey(app, otherOwner, 'links', domain)
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_input', field: 'domain' })
  }
  expect(await listKeys({ db: app.services.db, accountId: otherOwner.account.id })).toHaveLength(1)
})

test('rotating a bound key preserves its scope and domain', async ({ app, make, request }) => {
  const owner = await make.owner()
  await make.domain(owner, { domain: 'https://rotated.example' })
  await createScopedKey(app, owner, 'create', 'rotated.example')

  const { id } = (await listKeys({ db: app.services.db, accountId: owner.account.id })).at(-1) ?? {
    id: 0,
  }
  const { key, scope, domain } = await rotateKey(scopeOf(app.services, owner.account.id), id, 0)
  expect([scope, domain?.host]).toEqual(['create', 'rotated.example'])
  const headers = { authorization: `Bearer ${key}` }
  const created = await request({ method: 'POST', url: '/api/url/add', headers, payload: { url } })
  expect(created.json().shorturl).toMatch(/^https:\/\/rotated\.example\//)
  expect((await request({ url: '/api/urls', headers })).statusCode).toBe(403)
})

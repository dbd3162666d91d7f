import { describe, expect } from 'vitest'
import { getAccount } from '../../src/identity/account.service.ts'
import { getLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { Operation } from '../support/contract.ts'
import { base64 } from '../support/legacy-api.ts'
import { createKeyOfEachScope, createScopedKey, type ScopedKey } from '../support/scoped-keys.ts'
import { appTest } from '../support/test.ts'
import { YOURLS_PATH } from '../support/yourls.ts'

type RequiredScope = 'any' | 'read' | 'create' | 'links' | 'full'

/** The scopes that allow a call, by required scope. */
const ALLOWED: Record<RequiredScope, string[]> = {
  any: ['full', 'links', 'create', 'read'],
  read: ['full', 'links', 'read'],
  create: ['full', 'links', 'create'],
  links: ['full', 'links'],
  full: ['full'],
}

/** Every operation of the JSON and legacy APIs, by method and path after `/api`. */
const OPERATIONS: Record<string, RequiredScope> = {
  'GET /account': 'read',
  'POST /account': 'read',
  'PUT /account/update': 'full',
  'GET /domains': 'full',
  'GET /domain/{id}': 'full',
  'POST /domain/add': 'full',
  'PUT /domain/{id}/update': 'full',
  'DELETE /domain/{id}/delete': 'full',
  'GET /urls': 'read',
  'GET /url/{id}': 'read',
  'POST /url/add': 'create',
  'POST /urls/add': 'create',
  'PUT /url/{id}/update': 'links',
  'GET /url/{id}/versions': 'read',
  'POST /url/{id}/versions/{version}/restore': 'links',
  'DELETE /url/{id}/delete': 'links',
  'GET /campaigns': 'read',
  'POST /campaign/add': 'links',
  'POST /campaign/{campaignid}/assign/{linkid}': 'links',
  'PUT /campaign/{id}/update': 'links',
  'DELETE /campaign/{id}/delete': 'links',
  'GET /channels': 'read',
  'GET /channel/{id}': 'read',
  'POST /channel/add': 'links',
  'POST /channel/{channelid}/assign/{type}/{itemid}': 'links',
  'PUT /channel/{id}/update': 'links',
  'DELETE /channel/{id}/delete': 'links',
  'GET /pixels': 'read',
  'POST /pixel/add': 'links',
  'PUT /pixel/{id}/update': 'links',
  'DELETE /pixel/{id}/delete': 'links',
  'GET /qr': 'read',
  'GET /qr/{id}': 'read',
  'POST /qr/add': 'links',
  'PUT /qr/{id}/update': 'links',
  'DELETE /qr/{id}/delete': 'links',
  'GET /overlay': 'read',
  'GET /overlay/{id}': 'read',
  'POST /overlay/add': 'links',
  'PUT /overlay/{id}/update': 'links',
  'DELETE /overlay/{id}/delete': 'links',
  'GET /splash': 'read',
  'GET /splash/{id}': 'read',
  'POST /splash/add': 'links',
  'PUT /splash/{id}/update': 'links',
  'DELETE /splash/{id}/delete': 'links',
  'GET /bio': 'read',
  'GET /bio/{id}': 'read',
  'POST /bio/add': 'links',
  'PUT /bio/{id}/update': 'links',
  'DELETE /bio/{id}/delete': 'links',
  'GET /url/{id}/stats': 'read',
  'GET /qr/{id}/stats': 'read',
  'GET /campaign/{id}/stats': 'read',
  'GET /channel/{id}/stats': 'read',
  'GET /stats': 'read',
  'GET /v1/{key}/shorturl/create/url/{url}.{format}': 'create',
  'GET /v1/{key}/shorturl/create/custom_url/{custom_url}/password/{password}/expiry_date/{expiry_date}/base_domain/{base_domain}/url/{url}.{format}':
    'create',
  'GET /v1/{key}/shorturl/disable/short_url/{short_url}.{format}': 'links',
  'GET /v1/{key}/shorturl/enable/short_url/{short_url}.{format}': 'links',
  'GET /v1/{key}/shorturl/info/short_url/{short_url}.{format}': 'read',
  'GET /v1/{key}/shorturl/list_active_urls.{format}': 'read',
}

/** Every action of the YOURLS API. */
const ACTIONS: Record<string, RequiredScope> = {
  shorturl: 'create',
  expand: 'read',
  'url-stats': 'read',
  stats: 'read',
  'db-stats': 'read',
  version: 'any',
}

/** Operations allowed for keys bound to a domain: all concern single links or lists of them. */
const FOR_BOUND_KEYS = [
  'GET /urls',
  'GET /url/{id}',
  'POST /url/add',
  'POST /urls/add',
  'PUT /url/{id}/update',
  'DELETE /url/{id}/delete',
  'GET /url/{id}/stats',
  'GET /url/{id}/versions',
  'POST /url/{id}/versions/{version}/restore',
  ...Object.keys(OPERATIONS).filter((name) => name.startsWith('GET /v1/')),
]
const ACTIONS_FOR_BOUND_KEYS = ['shorturl', 'expand', 'url-stats', 'version']

/** The values of path parameters. Others are unknown IDs. */
const VALUES: Record<string, string> = {
  type: 'links',
  url: base64('not a URL'),
  short_url: base64('http://brev.test/nothing'),
  custom_url: 'alias',
  password: 'secret',
  expiry_date: '2001-01-01',
  base_domain: 'unknown.example',
  format: 'json',
}

const operationName = ({ method, path }: Operation) => `${method} ${path.replace(/^\/api/, '')}`

const test = appTest()
  .extend('keys', { scope: 'file' }, ({ app, owner }) => createKeyOfEachScope(app, owner))
  .extend('boundKeys', { scope: 'file' }, async ({ app, make, owner }) => {
    await make.domain(owner, { domain: 'https://go.example' })
    return createKeyOfEachScope(app, owner, 'go.example')
  })
  // Ids are unknown and bodies empty, so that allowed calls do nothing.
  .extend('call', { scope: 'file' }, ({ request }) => (operation: Operation, caller: ScopedKey) => {
    const url = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      name === 'key' ? caller.key : encodeURIComponent(VALUES[name] ?? '999999999'),
    )
    return request({ method: operation.method as 'GET', url, headers: caller.headers })
  })

test('the table of required scopes lists every operation', ({ app }) => {
  expect(app.contract.operations.map(operationName).toSorted()).toEqual(
    Object.keys(OPERATIONS).toSorted(),
  )
})

test.for(Object.entries(OPERATIONS))(
  '%s requires the scope %s',
  async ([name, needs], { app, keys, call }) => {
    const operation = app.contract.operations.find((candidate) => operationName(candidate) === name)
    if (!operation) throw new Error(`${name} is not an operation`)
    for (const key of keys) {
      const reply = await call(operation, key)
      if (ALLOWED[needs].includes(key.scope)) {
        expect([key.scope, reply.statusCode]).not.toEqual([key.scope, 403])
        continue
      }
      const message = `This API key's scope is ${key.scope}; this call needs ${needs}.`
      expect(reply.statusCode).toBe(403)
      expect(Number(reply.headers['x-ratelimit-remaining'])).toBeGreaterThan(0)
      expect(reply.json()).toEqual(
        name.startsWith('GET /v1/')
          ? { code: 403, data: { message, date_time: expect.any(String) } }
          : { error: 1, message },
      )
    }
  },
)

test.for(Object.entries(ACTIONS))(
  'the YOURLS action %s requires the scope %s',
  async ([action, needs], { keys, request }) => {
    for (const { key, scope } of keys) {
      const query = new URLSearchParams({ action, signature: key, format: 'json' })
      const reply = await request({ url: `${YOURLS_PATH}?${query}` })
      if (ALLOWED[needs].includes(scope)) {
        expect([scope, reply.statusCode]).not.toEqual([scope, 403])
        continue
      }
      const message = `This API key's scope is ${scope}; this call needs ${needs}.`
      expect(reply.statusCode).toBe(403)
      expect(reply.json()).toEqual({ status: 'fail', message, errorCode: '403' })
    }
  },
)

test('a key bound to a domain can only call operations on links, whatever its scope', async ({
  app,
  boundKeys,
  call,
  request,
}) => {
  for (const operation of app.contract.operations) {
    const name = operationName(operation)
    for (const key of boundKeys.filter(({ scope }) => isAllowed(OPERATIONS[name], scope))) {
      const { statusCode, body } = await call(operation, key)
      const isBound = statusCode === 403 && body.includes('is bound to go.example;')
      // The example of the legacy API names another domain.
      const isElsewhere = name.includes('{base_domain}')
      const isOpen = FOR_BOUND_KEYS.includes(name) && !isElsewhere
      expect([name, key.scope, isBound]).toEqual([name, key.scope, !isOpen])
    }
  }
  for (const [action, needs] of Object.entries(ACTIONS)) {
    for (const { key } of boundKeys.filter(({ scope }) => isAllowed(needs, scope))) {
      const query = new URLSearchParams({ action, signature: key, format: 'json' })
      const { statusCode } = await request({ url: `${YOURLS_PATH}?${query}` })
      const isOpen = ACTIONS_FOR_BOUND_KEYS.includes(action)
      expect([action, statusCode === 403]).toEqual([action, !isOpen])
    }
  }
})

function isAllowed(needs: RequiredScope | undefined, scope: string): boolean {
  return needs !== undefined && ALLOWED[needs].includes(scope)
}

describe('the scope of a key', () => {
  test('allows reading, creating or changing links', async ({
    app,
    keys,
    make,
    owner,
    request,
  }) => {
    const { id, alias } = await make.link(owner)
    const [, linksKey, createKey, readKey] = keys
    const details = await request({ url: `/api/url/${id}`, headers: readKey?.headers ?? {} })
    expect([details.statusCode, details.json().details.alias]).toEqual([200, alias])
    const created = await request({
      method: 'POST',
      url: '/api/url/add',
      headers: createKey?.headers ?? {},
      payload: { url: 'https://example.com/created' },
    })
    expect([created.statusCode, created.json().error]).toEqual([200, 0])
    const changed = await request({
      method: 'PUT',
      url: `/api/url/${id}/update`,
      headers: linksKey?.headers ?? {},
      payload: { url: 'https://example.com/changed' },
    })
    expect(changed.statusCode).toBe(200)
    const stored = await getLink(scopeOf(app.services, owner.account.id), id)
    expect(stored.url).toBe('https://example.com/changed')
  })

  test('is checked before a call has any effect, but the call counts toward the rate limit', async ({
    app,
    make,
    request,
  }) => {
    const owner = await make.owner()
    const { headers } = await createScopedKey(app, owner, 'links')
    const send = (payload: object) =>
      request({ method: 'PUT', url: '/api/account/update', headers, payload })
    const first = await send({ email: 'thief@example.com' })
    const second = await send({ password: 'a password of the thief' })
    expect([first.statusCode, second.statusCode]).toEqual([403, 403])
    const [before, after] = [first, second].map(({ headers }) => headers['x-ratelimit-remaining'])
    expect(Number(before) - Number(after)).toBe(1)
    expect(await getAccount(app.services.db, owner.account.id)).toEqual(owner.account)
  })

  test('`create` hides the details of an existing link with the requested keyword', async ({
    app,
    make,
    request,
  }) => {
    const owner = await make.owner()
    const url = 'https://example.com/secret'
    await make.link(owner, { alias: 'known-keyword', url })
    const shorten = async (key: string) => {
      const fields = { action: 'shorturl', signature: key, url, keyword: 'known-keyword' }
      const query = new URLSearchParams({ ...fields, format: 'json' })
      return (await request({ url: `${YOURLS_PATH}?${query}` })).json()
    }
    expect(await shorten((await createScopedKey(app, owner, 'create')).key)).not.toHaveProperty(
      'url',
    )
    expect(await shorten((await createScopedKey(app, owner, 'links')).key)).toHaveProperty('url')
  })

  test('is checked after the method and path, and not for preflights', async ({
    keys,
    request,
  }) => {
    const create = keys.find(({ scope }) => scope === 'create')
    const headers = create?.headers ?? {}
    const statuses = [
      await request({ method: 'PATCH', url: '/api/url/1/update', headers }),
      await request({ url: '/api/account/update', headers }),
      await request({ method: 'POST', url: `/api/v1/${create?.key}/shorturl/info/x.json` }),
      await request({ url: '/api/nothing', headers }),
      await request({ method: 'OPTIONS', url: '/api/account/update' }),
    ].map(({ statusCode }) => statusCode)
    expect(statuses).toEqual([405, 405, 405, 404, 204])
  })
})

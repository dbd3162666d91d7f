import { describe, expect } from 'vitest'
import { listKeys, revokeKey, setKeyExpiration } from '../../src/identity/key.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from '../support/accounts.ts'
import type { TestApp } from '../support/app.ts'
import type { Owner } from '../support/make.ts'
import { mcpTest } from '../support/mcp.ts'
import { createScopedKey } from '../support/scoped-keys.ts'

const test = mcpTest({ RATE_LIMIT_PER_MINUTE: '100' }).extend(
  'post',
  { scope: 'file' },
  ({ request }) =>
    (payload: string | object, headers: Record<string, string> = {}) =>
      request({
        method: 'POST',
        url: '/mcp',
        payload,
        headers: { 'content-type': 'application/json', ...headers },
      }),
)

const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
const call = (name: string, input: object) => ({
  ...LIST,
  method: 'tools/call',
  params: { name, arguments: input },
})

const CREATE = call('create_links', { links: [{ url: 'https://example.com/' }] })

describe('POST /mcp', () => {
  test('answers with JSON, without a session and with the headers of the rate limit', async ({
    owner,
    post,
  }) => {
    const reply = await post(LIST, owner.headers)
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toMatch(/^application\/json/)
    expect(reply.headers).toMatchObject({
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '99',
      'cache-control': 'no-store',
    })
    expect(reply.headers).not.toHaveProperty('mcp-session-id')
    expect(reply.json()).toMatchObject({ jsonrpc: '2.0', id: 7 })
    expect(reply.json().result.tools).toHaveLength(15)
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await post(notification, owner.headers)).statusCode).toBe(202)
  })

  test('needs a key, and never repeats one', async ({ post, owner }) => {
    const wrong = `${owner.key.slice(0, -1)}?`
    const attempts: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${wrong}` },
      { authorization: 'Bearer ' },
    ]
    for (const headers of attempts) {
      const reply = await post(LIST, headers)
      expect(reply.statusCode).toBe(401)
      expect(reply.headers['www-authenticate']).toMatch(/^Bearer/)
      expect(reply.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } })
      expect(reply.body).not.toContain(wrong)
    }
    const called = await post(call('get_link', { shortUrl: owner.key }), owner.headers)
    expect(called.json().result.isError).toBe(true)
    expect(called.body).not.toContain(owner.key)
  })

  test.for<[string, string | object, number]>([
    ['no JSON', '{', 400],
    ['nothing', '', 400],
    ['a list of messages', [LIST, LIST], 400],
    ['a text', '"tools/list"', 400],
    ['null', 'null', 400],
    ['a number of levels', '['.repeat(100_000), 400],
    ['another protocol', { method: 'tools/list' }, 400],
    ['too much', { ...LIST, params: { x: 'x'.repeat(300_000) } }, 413],
  ])('rejects %s', async ([_, payload, status], { owner, post }) => {
    const reply = await post(payload, owner.headers)
    expect(reply.statusCode).toBe(status)
    expect(reply.json().error).toMatchObject({ code: expect.any(Number) })
    expect(reply.body).not.toMatch(/ {2}at |\.ts:/)
  })

  test('rejects other content types', async ({ owner, post }) => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ]) {
      const reply = await post(JSON.stringify(LIST), { ...owner.headers, 'content-type': type })
      expect([reply.statusCode, reply.json().error.code], type).toEqual([415, -32_000])
    }
  })

  test('knows no other methods of the protocol, and no subscriptions', async ({
    owner,
    post,
    agent,
  }) => {
    for (const method of ['resources/list', 'prompts/list', 'constructor']) {
      const reply = await post({ ...LIST, method }, owner.headers)
      expect(reply.json().error.code, method).toBe(-32_601)
    }
    await expect(
      agent.client.listen({ toolsListChanged: true }, { timeout: 5000 }),
    ).rejects.toThrow()
  })

  test.for(['GET', 'DELETE', 'PUT'] as const)(
    'leaves no room for %s',
    async (method, { owner, request }) => {
      const reply = await request({ method, url: '/mcp', headers: owner.headers })
      expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'POST'])
    },
  )

  test('can be called from other origins, with the headers of the protocol', async ({
    request,
  }) => {
    const reply = await request({
      method: 'OPTIONS',
      url: '/mcp',
      headers: {
        origin: 'https://inspector.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
      },
    })
    expect(reply.statusCode).toBe(204)
    expect(reply.headers['access-control-allow-origin']).toBe('*')
    expect(reply.headers['access-control-allow-headers']).toMatch(/Mcp-Protocol-Version/i)
  })
})

describe('the next call fails', () => {
  test('with a key that has been revoked or has expired', async ({ app, post, make }) => {
    const owner = await make.owner()
    const scope = scopeOf(app.services, owner.account.id)
    const changes = [
      (id: number) => revokeKey(scope, id),
      (id: number) => setKeyExpiration(scope, id, new Date(0)),
    ]
    for (const change of changes) {
      const key = await createScopedKey(app, owner, 'links')
      const before = await countLinks(app, owner)
      expect((await post(CREATE, key.headers)).json().result.isError).toBe(undefined)
      const [newest = 0] = (await listKeys(scope)).map(({ id }) => id).sort((a, b) => b - a)
      await change(newest)
      expect((await post(CREATE, key.headers)).statusCode).toBe(401)
      expect(await countLinks(app, owner)).toBe(before + 1)
    }
  })

  test('of a suspended account', async ({ app, post, make }) => {
    const owner = await make.owner()
    await setSuspended(app.services, owner.account.id, true)
    const reply = await post(LIST, owner.headers)
    expect([reply.statusCode, reply.json().error.code]).toEqual([403, -32_000])
  })

  test('over the rate limit, which all APIs share', async ({ app, post, make, request }) => {
    const owner = await make.owner()
    for (let calls = 0; calls < 60; calls += 1) await post(LIST, owner.headers)
    for (let calls = 0; calls < 40; calls += 1)
      await request({ url: '/api/account', headers: owner.headers })
    const before = await countLinks(app, owner)
    const reply = await post(CREATE, owner.headers)
    expect(reply.statusCode).toBe(429)
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
    expect(reply.headers['x-ratelimit-remaining']).toBe('0')
    expect(await countLinks(app, owner)).toBe(before)
  })
})

async function countLinks({ services }: TestApp, { account }: Owner): Promise<number> {
  const { rows } = await services.database.pool.query<{ count: number }>(
    'select count(*)::int as count from links where account_id = $1',
    [account.id],
  )
  return rows[0]?.count ?? 0
}

import { createHash, randomBytes } from 'node:crypto'
import { describe, expect } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { insertMember } from '../../src/identity/member.queries.ts'
import { changeRole, removeMember } from '../../src/identity/member.service.ts'
import { getOwner } from '../../src/identity/user.service.ts'
import { setSuspended } from '../support/accounts.ts'
import { freePort } from '../support/free-port.ts'
import { mcpTest } from '../support/mcp.ts'
import { CALLBACK, createOauthApp, openBrowser } from '../support/oauth.ts'

const port = await freePort()
const BASE_URL = `http://127.0.0.1:${port}`

const test = mcpTest({ BASE_URL })
  .extend('started', { scope: 'file', auto: true }, async ({ app }) => {
    await app.fastify.listen({ host: '127.0.0.1', port })
  })
  .extend('anna', ({ make }) => make.owner())
  .extend('browser', ({ app, anna }) => openBrowser(app, BASE_URL, anna))
  .extend('oauthApp', () => createOauthApp(BASE_URL))
  /** The app, connected by Anna. */
  .extend('connected', async ({ oauthApp, browser }) => {
    await oauthApp.finish(await browser.allow(await oauthApp.begin()))
    return oauthApp
  })

type Client = { client_id: string; client_secret?: string }
type Tokens = { access_token: string; refresh_token: string }

const token = async (fields: Record<string, string>) => {
  const reply = await fetch(`${BASE_URL}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  return { status: reply.status, json: (await reply.json()) as Tokens & { error?: string } }
}

const list = (accessToken: string | undefined) =>
  fetch(`${BASE_URL}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })

describe('an app connects by the URL alone', () => {
  test('and acts as a key whose changes name it', async ({ connected, app, anna, stored }) => {
    const client = await connected.connect()
    expect((await client.listTools()).tools).toHaveLength(14)
    const result = await client.callTool({
      name: 'create_links',
      arguments: { links: [{ url: 'https://example.com/by-oauth' }] },
    })
    const { links } = result.structuredContent as { links: { id: number }[] }
    const id = links[0]?.id ?? 0
    const { rows } = await app.services.database.pool.query<{ id: number }>(
      'select id from api_keys where account_id = $1 and grant_id is not null',
      [anna.account.id],
    )
    expect((await stored(id)).created_by).toBe(`mcp:${rows[0]?.id}`)
    await client.callTool({ name: 'undo_change', arguments: { changeId: `${id}.0` } })
    expect((await stored(id)).kind).toBe('deleted')
    const reply = await app.request({ url: `/api/urls`, headers: anna.headers })
    expect(reply.json().data.result).toBe(0)
    await client.close()
  })

  test('with the scope and domain that the owner chooses', async ({
    oauthApp,
    browser,
    anna,
    make,
  }) => {
    const { host } = await make.domain(anna)
    const fields = { scope: 'create', domain: host }
    await oauthApp.finish(await browser.allow(await oauthApp.begin(), fields))
    const client = await oauthApp.connect()
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['create_links'])
    const result = await client.callTool({
      name: 'create_links',
      arguments: { links: [{ url: 'https://example.com/' }] },
    })
    expect(JSON.stringify(result.structuredContent)).toContain(host)
    await client.close()
  })

  test('and no token is stored or logged as it is', async ({ connected, app }) => {
    const { access_token: access, refresh_token: refresh } = connected.stored.tokens ?? {}
    expect(access).toMatch(/^brv_/)
    const { rows } = await app.services.database.pool.query<{ text: string }>(
      `select string_agg(row_to_json(each)::text, '') as text from (
         select model, payload, encode(hash, 'escape') from oauth_records) each`,
    )
    const keys = await app.services.database.pool.query<{ text: string }>(
      `select string_agg(row_to_json(api_keys)::text, '') as text from api_keys`,
    )
    const text = `${rows[0]?.text}${keys.rows[0]?.text}`
    expect(text).toContain('AccessToken')
    for (const secret of [access, refresh]) expect(text).not.toContain(secret)
  })

  test('and is named in Settings, until it is disconnected', async ({
    connected,
    browser,
    app,
    make,
  }) => {
    const page = await browser.open(`${BASE_URL}/console/settings`)
    expect(page.body).toContain('Connected apps')
    expect(page.body).toContain('Test agent')
    const [, id] = /settings\/apps\/(\d+)\/disconnect/.exec(page.body) ?? []
    expect((await browser.open(`${BASE_URL}/console/keys`)).body).not.toContain('Test agent')
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.body) ?? []
    const rival = await openBrowser(app, BASE_URL, await make.owner())
    const rivalPage = await rival.open(`${BASE_URL}/console/settings`)
    const [, rivalCsrf = ''] = /name="csrf" value="([^"]+)"/.exec(rivalPage.body) ?? []
    const path = `${BASE_URL}/console/settings/apps/${id}/disconnect`
    expect((await rival.post(path, { csrf: rivalCsrf })).status).toBe(404)
    expect((await list(connected.stored.tokens?.access_token)).status).toBe(200)
    const done = await browser.post(path, { csrf })
    expect(done.body).not.toContain('Test agent')
    await expectNoAccess(connected)
  })
})

describe('a request is refused', () => {
  test('with another redirect URI, without PKCE, or for another resource', async ({
    oauthApp,
    browser,
  }) => {
    const url = await oauthApp.begin()
    const changed = (change: (query: URLSearchParams) => void) => {
      const copy = new URL(url)
      change(copy.searchParams)
      return browser.open(copy)
    }
    const evil = await changed((query) => query.set('redirect_uri', 'https://evil.example/'))
    expect([evil.status, evil.url]).toEqual([400, expect.stringContaining(BASE_URL)])
    expect(evil.body).toContain('redirect_uri')
    const noPkce = await changed((query) => query.delete('code_challenge'))
    expect(noPkce.url).toContain(`${CALLBACK}?error=invalid_request`)
    const plain = await changed((query) => query.set('code_challenge_method', 'plain'))
    expect(plain.url).toContain('error=invalid_request')
    const elsewhere = await changed((query) => query.set('resource', 'https://evil.example/mcp'))
    expect(elsewhere.url).toContain('error=invalid_target')
    const unknown = await changed((query) => query.set('client_id', 'x'))
    expect([unknown.status, unknown.body]).toEqual([400, expect.stringContaining('invalid_client')])
  })

  test.for([
    { redirect_uris: ['http://evil.example/'] },
    { redirect_uris: ['javascript:alert(1)'], application_type: 'native' },
    {
      redirect_uris: [CALLBACK],
      jwks_uri: 'http://127.0.0.1:9/',
      token_endpoint_auth_method: 'private_key_jwt',
    },
    { redirect_uris: [CALLBACK], sector_identifier_uri: 'https://127.0.0.1:9/' },
    { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'client_secret_post' },
    { redirect_uris: [CALLBACK], grant_types: ['client_credentials'] },
    { redirect_uris: [] },
  ])('of a client with %j', async (metadata, { browser }) => {
    const reply = await fetch(`${BASE_URL}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Evil', ...metadata }),
    })
    if (reply.status === 400) return
    expect(reply.status).toBe(201)
    const { client_id: clientId, client_secret: secret } = (await reply.json()) as Client
    expect(secret).toBeUndefined()
    const url = new URL(`${BASE_URL}/oauth/authorize`)
    url.search = new URLSearchParams({
      client_id: clientId,
      redirect_uri: metadata.redirect_uris[0] ?? '',
      response_type: 'code',
      code_challenge: createHash('sha256').update('x').digest('base64url'),
      code_challenge_method: 'S256',
      resource: `${BASE_URL}/mcp`,
    }).toString()
    const page = await browser.open(url)
    expect([page.status, page.body.includes('Evil')]).toEqual([403, false])
  })

  test('by the owner', async ({ oauthApp, browser, app, anna }) => {
    const page = await browser.open(await oauthApp.begin())
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.body) ?? []
    const done = await browser.post(`${page.url}/refuse`, { csrf })
    expect(done.url).toContain(`${CALLBACK}?error=access_denied`)
    expect(await countConnections(app, anna.account.id)).toBe(0)
  })

  test('in another browser, for another account, with another scope or domain', async ({
    oauthApp,
    browser,
    app,
    make,
    anna,
  }) => {
    const page = await browser.open(await oauthApp.begin())
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page.body) ?? []
    const rival = await make.owner()
    const foreign = await make.domain(rival)
    const other = await openBrowser(app, BASE_URL, rival)
    const seen = await other.open(page.url)
    expect([seen.status, seen.body.includes('Test agent')]).toEqual([403, false])
    const own = { csrf, account: String(anna.account.id), scope: 'links', domain: '' }
    for (const wrong of [
      { account: String(rival.account.id) },
      { scope: 'full' },
      { domain: foreign.host },
    ]) {
      const reply = await browser.post(page.url, { ...own, ...wrong })
      expect(reply.url).not.toContain(CALLBACK)
      expect(reply.status).toBeGreaterThanOrEqual(400)
    }
    const signedOut = await openBrowser(app, BASE_URL)
    expect((await signedOut.open(page.url)).url).toContain('/console/sign-in')
    expect(await countConnections(app, anna.account.id)).toBe(0)
    expect(await countConnections(app, rival.account.id)).toBe(0)
  })

  test('of a member who owns no account', async ({ oauthApp, app, make }) => {
    const viewer = await make.owner()
    const browser = await openBrowser(app, BASE_URL, viewer)
    const { id } = await getOwner({ db: app.services.db, accountId: viewer.account.id })
    await app.services.database.pool.query(
      `update members set role = 'viewer' where user_id = $1`,
      [id],
    )
    const page = await browser.open(await oauthApp.begin())
    expect(page.body).toContain('Only owners of an account can connect apps.')
  })
})

describe('access ends', () => {
  test('when a code is used twice', async ({ oauthApp, browser }) => {
    const callback = await browser.allow(await oauthApp.begin())
    await oauthApp.finish(callback)
    expect((await list(oauthApp.stored.tokens?.access_token)).status).toBe(200)
    const again = await token({
      grant_type: 'authorization_code',
      code: new URL(callback).searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      client_id: oauthApp.stored.client?.client_id ?? '',
      code_verifier: oauthApp.stored.verifier ?? '',
    })
    expect([again.status, again.json.error]).toEqual([400, 'invalid_grant'])
    await expectNoAccess(oauthApp)
  })

  test('of a code with another verifier', async ({ oauthApp, browser }) => {
    const callback = await browser.allow(await oauthApp.begin())
    const wrong = await token({
      grant_type: 'authorization_code',
      code: new URL(callback).searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      client_id: oauthApp.stored.client?.client_id ?? '',
      code_verifier: randomBytes(32).toString('base64url'),
    })
    expect([wrong.status, wrong.json.error]).toEqual([400, 'invalid_grant'])
  })

  test('of an access token after an hour, and a new one replaces it', async ({
    connected,
    app,
    anna,
  }) => {
    const { tokens } = connected.stored
    await app.services.database.pool.query(
      `update api_keys set expires_at = now() where account_id = $1 and grant_id is not null`,
      [anna.account.id],
    )
    const expired = await list(tokens?.access_token)
    expect(expired.status).toBe(401)
    expect(expired.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource/mcp"`,
    )
    const client = await connected.connect()
    expect(connected.stored.tokens?.access_token).not.toBe(tokens?.access_token)
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    await client.close()
    expect((await list(tokens?.access_token)).status).toBe(401)
    const reused = await refresh(connected, tokens?.refresh_token)
    expect(reused.json.error).toBe('invalid_grant')
    await expectNoAccess(connected)
  })

  test('when the client revokes its token', async ({ connected }) => {
    const reply = await fetch(`${BASE_URL}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({
        token: connected.stored.tokens?.refresh_token ?? '',
        client_id: connected.stored.client?.client_id ?? '',
      }),
    })
    expect(reply.status).toBe(200)
    await expectNoAccess(connected)
  })

  test.for(['removed', 'demoted'] as const)(
    'when the member is %s',
    async (how, { connected, app, anna, make }) => {
      const scope = { db: app.services.db, accountId: anna.account.id }
      const { id } = await getOwner(scope)
      const other = await getOwner({ ...scope, accountId: (await make.owner()).account.id })
      await inTransaction(app.services.db, (tx) =>
        insertMember(tx, { accountId: anna.account.id, userId: other.id, role: 'owner' }),
      )
      if (how === 'removed') await removeMember(scope, id)
      else await changeRole(scope, id, 'editor')
      await expectNoAccess(connected)
    },
  )

  test('while the account is suspended', async ({ connected, app, anna }) => {
    await setSuspended(app.services, anna.account.id, true)
    expect((await list(connected.stored.tokens?.access_token)).status).toBe(403)
  })
})

describe('the endpoints', () => {
  test('describe themselves', async () => {
    for (const path of ['', '/mcp']) {
      const reply = await fetch(`${BASE_URL}/.well-known/oauth-protected-resource${path}`)
      expect(await reply.json()).toMatchObject({
        resource: `${BASE_URL}/mcp`,
        authorization_servers: [BASE_URL],
      })
    }
    const reply = await fetch(`${BASE_URL}/.well-known/oauth-authorization-server`)
    expect(await reply.json()).toMatchObject({
      issuer: BASE_URL,
      authorization_endpoint: `${BASE_URL}/oauth/authorize`,
      token_endpoint: `${BASE_URL}/oauth/token`,
      registration_endpoint: `${BASE_URL}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      response_types_supported: ['code'],
    })
  })

  test('forget clients that are not used for a day', async ({ oauthApp, app, browser }) => {
    const url = await oauthApp.begin()
    const hash = createHash('sha256')
      .update(oauthApp.stored.client?.client_id ?? '')
      .digest()
    const readDays = async () => {
      const { rows } = await app.services.database.pool.query<{ days: number }>(
        `select round(extract(epoch from expires_at - now()) / 86400)::int as days
         from oauth_records where model = 'Client' and hash = $1`,
        [hash],
      )
      return rows[0]?.days
    }
    expect(await readDays()).toBe(1)
    await oauthApp.finish(await browser.allow(url))
    expect(await readDays()).toBe(90)
  })

  test('register a bounded number of clients per address', async () => {
    const register = () =>
      fetch(`${BASE_URL}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [CALLBACK], client_name: 'Flood' }),
      })
    const statuses = new Set<number>()
    for (let count = 0; count < 60 && !statuses.has(429); count += 1)
      statuses.add((await register()).status)
    expect([...statuses].at(-1)).toBe(429)
  })
})

const refresh = (oauthApp: ReturnType<typeof createOauthApp>, refreshToken = '') =>
  token({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: oauthApp.stored.client?.client_id ?? '',
  })

async function expectNoAccess(oauthApp: ReturnType<typeof createOauthApp>): Promise<void> {
  const { access_token: access, refresh_token: refreshToken } = oauthApp.stored.tokens ?? {}
  expect((await list(access)).status).toBe(401)
  expect((await refresh(oauthApp, refreshToken)).json.error).toBe('invalid_grant')
}

type App = Parameters<typeof openBrowser>[0]

async function countConnections({ services }: App, account: number): Promise<number> {
  const { rows } = await services.database.pool.query<{ count: number }>(
    'select count(*)::int as count from api_keys where account_id = $1 and grant_id is not null',
    [account],
  )
  return rows[0]?.count ?? 0
}

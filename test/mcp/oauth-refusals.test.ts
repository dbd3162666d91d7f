import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import { getOwner } from '../../src/identity/user.service.ts'
import { CALLBACK, openBrowser } from '../support/oauth.ts'
import { countConnections, oauthTest } from '../support/oauth-test.ts'

const { test, BASE_URL } = await oauthTest()

type Client = { client_id: string; client_secret?: string }

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

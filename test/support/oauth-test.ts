import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import { freePort } from './free-port.ts'
import { mcpTest } from './mcp.ts'
import { createOauthApp, openBrowser } from './oauth.ts'

type Tokens = { access_token: string; refresh_token: string }
type OauthApp = ReturnType<typeof createOauthApp>

/**
 * Returns a `test` for a service that listens, with its owner `anna`, her `browser`, and `oauthApp`, a
 * client that is not connected yet; `connected` is one that Anna has connected. Also returns functions
 * for requests to the service.
 */
export async function oauthTest() {
  const port = await freePort()
  const BASE_URL = `http://127.0.0.1:${port}`

  const test = mcpTest({ BASE_URL })
    .extend('started', { scope: 'file', auto: true }, async ({ app }) => {
      await app.fastify.listen({ host: '127.0.0.1', port })
    })
    .extend('anna', ({ make }) => make.owner())
    .extend('browser', ({ app, anna }) => openBrowser(app, BASE_URL, anna))
    .extend('oauthApp', () => createOauthApp(BASE_URL))
    .extend('connected', async ({ oauthApp, browser }) => {
      await oauthApp.finish(await browser.allow(await oauthApp.begin()))
      return oauthApp
    })

  /** Sends a request to the token endpoint. */
  async function token(fields: Record<string, string>) {
    const reply = await fetch(`${BASE_URL}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    })
    return { status: reply.status, json: (await reply.json()) as Tokens & { error?: string } }
  }

  /** Lists the tools with an access token. */
  function list(accessToken: string | undefined): Promise<Response> {
    return fetch(`${BASE_URL}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
  }

  function refresh(oauthApp: OauthApp, refreshToken = '') {
    return token({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: oauthApp.stored.client?.client_id ?? '',
    })
  }

  async function expectNoAccess(oauthApp: OauthApp): Promise<void> {
    const { access_token: access, refresh_token: refreshToken } = oauthApp.stored.tokens ?? {}
    expect((await list(access)).status).toBe(401)
    expect((await refresh(oauthApp, refreshToken)).json.error).toBe('invalid_grant')
  }

  return { test, BASE_URL, token, list, refresh, expectNoAccess }
}

/** Returns the number of connections that an account has ever had. */
export async function countConnections({ services }: TestApp, account: number): Promise<number> {
  const { rows } = await services.database.pool.query<{ count: number }>(
    'select count(*)::int as count from api_keys where account_id = $1 and grant_id is not null',
    [account],
  )
  return rows[0]?.count ?? 0
}

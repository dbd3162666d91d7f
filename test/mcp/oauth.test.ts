import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import { CALLBACK, openBrowser } from '../support/oauth.ts'
import { oauthTest } from '../support/oauth-test.ts'

const { test, BASE_URL, list, expectNoAccess } = await oauthTest()

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

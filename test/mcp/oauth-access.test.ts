import { randomBytes } from 'node:crypto'
import { describe, expect } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { setKeyExpiration } from '../../src/identity/key.service.ts'
import { insertMember } from '../../src/identity/member.queries.ts'
import { changeRole, removeMember } from '../../src/identity/member.service.ts'
import { getOwner } from '../../src/identity/user.service.ts'
import { setSuspended } from '../support/accounts.ts'
import { CALLBACK, createOauthApp } from '../support/oauth.ts'
import { oauthTest } from '../support/oauth-test.ts'

const { test, BASE_URL, token, list, refresh, expectNoAccess } = await oauthTest()

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

  test('when the client revokes its token, and not when another one does', async ({
    connected,
  }) => {
    const { tokens, client } = connected.stored
    const revoke = (clientId = '') =>
      fetch(`${BASE_URL}/oauth/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ token: tokens?.refresh_token ?? '', client_id: clientId }),
      })
    const other = createOauthApp(BASE_URL, 'Another agent')
    await other.begin()
    await revoke(other.stored.client?.client_id)
    expect((await list(tokens?.access_token)).status).toBe(200)
    expect((await revoke(client?.client_id)).status).toBe(200)
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

  test('with its token, which no command makes permanent', async ({ connected, app, anna }) => {
    const { rows } = await app.services.database.pool.query<{ id: number }>(
      'select id from api_keys where account_id = $1 and grant_id is not null',
      [anna.account.id],
    )
    const scope = { db: app.services.db, accountId: anna.account.id }
    const change = inTransaction(app.services.db, (db) =>
      setKeyExpiration({ ...scope, db }, rows[0]?.id ?? 0, null),
    )
    await expect(change).rejects.toMatchObject({ code: 'not_found' })
    const stored = await app.services.database.pool.query(
      'select id from api_keys where account_id = $1 and grant_id is not null and expires_at > now()',
      [anna.account.id],
    )
    expect(stored.rows).toHaveLength(1)
    expect((await list(connected.stored.tokens?.access_token)).status).toBe(200)
  })

  test('while the account is suspended', async ({ connected, app, anna }) => {
    await setSuspended(app.services, anna.account.id, true)
    expect((await list(connected.stored.tokens?.access_token)).status).toBe(403)
  })
})

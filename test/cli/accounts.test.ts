import { verify } from 'argon2'
import { describe, expect, vi } from 'vitest'
import { getAccountByEmailOrUsername } from '../../src/identity/account.service.ts'
import { createKey, listKeys, rotateKey } from '../../src/identity/key.service.ts'
import { listLogLines } from '../../src/operator-log/operator-log.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { accountArguments, commandLine, runCommand } from '../support/command.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('cli', { scope: 'file' }, ({ app, request }) => {
  const { brevis, brevisJson, settings } = commandLine(app)
  /** Returns the status of a request to the running application with this key. */
  async function requestStatus(key: string): Promise<number> {
    const headers = { authorization: `Bearer ${key}` }
    return (await request({ url: '/api/account', headers })).statusCode
  }
  async function findOnlyKeyId({ account }: Owner): Promise<string> {
    const [key] = await listKeys({ db: app.services.db, accountId: account.id })
    return String(key?.id)
  }
  return { brevisJson, requestStatus, brevis, findOnlyKeyId, settings }
})

describe('`brevis account create`', () => {
  test('creates an account whose key works immediately', async ({
    app,
    cli: { brevisJson, requestStatus },
  }) => {
    const created = await brevisJson([
      'account',
      'create',
      '--email',
      'New@Example.com',
      '--username',
      'new',
      '--password',
      'correct horse',
      '--plan',
      'pro',
    ])
    const account = await getAccountByEmailOrUsername(app.services.db, 'new@example.com')
    expect(created).toEqual({
      id: account.id,
      email: 'New@Example.com',
      username: 'new',
      key: expect.stringMatching(/^brv_/),
    })
    expect(account.plan).toBe('pro')
    expect(await requestStatus(created.key)).toBe(200)
  })

  test('reads the password from the first line of standard input and prints the key', async ({
    app,
    cli: { brevis, requestStatus },
  }) => {
    const args = ['account', 'create', '--email', 'in@example.com', '--username', 'stdin']
    const output = await brevis([...args, '--password', '-'], 'first line\nsecond line\n')
    const [, key = ''] = /^key +(\S+)$/m.exec(output) ?? []
    expect(await requestStatus(key)).toBe(200)
    const { password_hash } = await app.services.database.db
      .selectFrom('users')
      .select('password_hash')
      .where('email', '=', 'in@example.com')
      .executeTakeFirstOrThrow()
    expect(await verify(password_hash ?? '', 'first line')).toBe(true)
  })
})

describe('accounts on the command line', () => {
  test('are listed with their plan and status', async ({ make, cli: { brevis, brevisJson } }) => {
    const { account } = await make.owner()
    const { accounts } = await brevisJson(['account', 'list'])
    expect(accounts).toContainEqual({
      id: account.id,
      email: account.email,
      username: account.username,
      plan: 'free',
      expires: null,
      suspended: false,
      registered: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    })
    const table = await brevis(['account', 'list'])
    expect(table).toMatch(/^id +email +username +plan +expires +suspended +registered\n/)
    expect(table).toMatch(new RegExp(`^${account.id} +${account.email} +.* free +- +no +`, 'm'))
  })

  test('are suspended and resumed with immediate effect', async ({
    make,
    cli: { brevis, brevisJson, requestStatus },
  }) => {
    const { account, key } = await make.owner()
    expect(await requestStatus(key)).toBe(200)
    await brevis(['account', 'suspend', '--email', account.email])
    expect(await requestStatus(key)).toBe(403)
    const resumed = await brevisJson(['account', 'resume', '--email', account.email])
    expect(resumed).toMatchObject({ id: account.id, suspended: false })
    expect(await requestStatus(key)).toBe(200)
  })

  test('get another plan, with or without expiration', async ({
    make,
    request,
    cli: { brevis, brevisJson },
  }) => {
    const { account, headers } = await make.owner()
    const readAccount = async () => (await request({ url: '/api/account', headers })).json().data
    const plan = ['account', 'plan', '--email', account.email, '--plan']
    const planWithExpiration = await brevisJson([...plan, 'pro', '--expires', '2999-01-31'])
    expect(planWithExpiration).toMatchObject({ plan: 'pro', expires: '2999-01-31 23:59:59' })
    expect(await readAccount()).toMatchObject({ status: 'pro', expires: '2999-01-31 23:59:59' })
    await brevis([...plan, 'free'])
    expect(await readAccount()).toMatchObject({ status: 'free', expires: '9999-12-31 23:59:59' })
  })
})

describe('keys on the command line', () => {
  test('are created, and listed without their secrets', async ({
    make,
    cli: { brevis, brevisJson, requestStatus },
  }) => {
    const owner = await make.owner()
    const entry = await brevisJson(
      accountArguments('key create', owner, '--expires', '2999-01-31 10:00:00'),
    )
    expect(entry).toMatchObject({ id: expect.any(Number), expires: '2999-01-31 10:00:00' })
    expect(await requestStatus(entry.key)).toBe(200)
    const { keys } = await brevisJson(accountArguments('key list', owner))
    expect(keys).toHaveLength(2)
    expect(keys[1]).toEqual({
      id: entry.id,
      prefix: entry.key.slice(0, 10),
      scope: 'full',
      domain: null,
      created: expect.any(String),
      expires: '2999-01-31 10:00:00',
      revoked: null,
      lastUsed: expect.any(String),
    })
    expect(await brevis(accountArguments('key list', owner))).not.toContain(entry.key)
  })

  test('are created with a scope and a domain, which the list and the log show', async ({
    app,
    make,
    request,
    cli: { brevisJson, settings },
  }) => {
    const owner = await make.owner()
    await make.domain(owner, { domain: 'https://cli.example' })
    const args = accountArguments(
      'key create',
      owner,
      '--scope',
      'create',
      '--domain',
      'cli.example',
    )
    const { id, key, ...entry } = await brevisJson(args)
    expect(entry).toEqual({ scope: 'create', domain: 'cli.example', expires: null })
    const add = await request({
      method: 'POST',
      url: '/api/url/add',
      headers: { authorization: `Bearer ${key}` },
      payload: { url: 'https://example.com/' },
    })
    expect(add.json().shorturl).toMatch(/^https:\/\/cli\.example\//)
    const { keys } = await brevisJson(accountArguments('key list', owner))
    expect(keys[1]).toMatchObject({ id, scope: 'create', domain: 'cli.example' })
    const rotated = await brevisJson(accountArguments('key rotate', owner, '--id', String(id)))
    expect(rotated).toMatchObject({ scope: 'create', domain: 'cli.example' })
    const subject = owner.account.username
    const [, line] = await listLogLines(app.services.db, { subject }, { limit: 2 })
    expect(line).toMatchObject({ action: 'key.create' })
    expect(line?.detail).toBe(`${key.slice(0, 10)}… create cli.example`)
    for (const [option, message] of [
      ['--scope=admin', 'scope must be one of full, links, create, read'],
      ['--domain=brev.test', 'domain is not a branded domain of this account'],
    ] as const) {
      const { code, stderr } = await runCommand(accountArguments('key create', owner, option), {
        env: settings(),
      })
      expect([code, stderr]).toEqual([1, `brevis: ${message}\n`])
    }
  })

  test('are revoked with immediate effect', async ({
    make,
    cli: { brevis, requestStatus, findOnlyKeyId },
  }) => {
    const owner = await make.owner()
    expect(await requestStatus(owner.key)).toBe(200)
    await brevis(accountArguments('key revoke', owner, '--id', await findOnlyKeyId(owner)))
    expect(await requestStatus(owner.key)).toBe(401)
  })

  test('are rotated, and the old one stays valid for the overlap', async ({
    app,
    make,
    cli: { brevisJson, requestStatus, findOnlyKeyId },
  }) => {
    const owner = await make.owner()
    const id = await findOnlyKeyId(owner)
    const { key } = await brevisJson(
      accountArguments('key rotate', owner, '--id', id, '--overlap', '1h'),
    )
    expect(await requestStatus(owner.key)).toBe(200)
    expect(await requestStatus(key)).toBe(200)
    const [old] = await listKeys({ db: app.services.db, accountId: owner.account.id })
    const minutesLeft = (Number(old?.expiresAt) - Date.now()) / 60_000
    expect(minutesLeft).toBeGreaterThan(30)
    expect(minutesLeft).toBeLessThanOrEqual(60)
  })

  test('expire after the overlap of a rotation', async ({
    make,
    cli: { brevisJson, requestStatus, findOnlyKeyId },
  }) => {
    const owner = await make.owner()
    const id = await findOnlyKeyId(owner)
    const { key } = await brevisJson(
      accountArguments('key rotate', owner, '--id', id, '--overlap', '1'),
    )
    await vi.waitUntil(async () => (await requestStatus(owner.key)) === 401, { timeout: 60_000 })
    expect(await requestStatus(key)).toBe(200)
  })

  test('expire immediately when rotated without an overlap', async ({
    make,
    cli: { brevisJson, requestStatus, findOnlyKeyId },
  }) => {
    const owner = await make.owner()
    const { key } = await brevisJson(
      accountArguments('key rotate', owner, '--id', await findOnlyKeyId(owner)),
    )
    expect(await requestStatus(owner.key)).toBe(401)
    expect(await requestStatus(key)).toBe(200)
  })

  test('can get an expiration and lose it again', async ({
    make,
    cli: { brevisJson, requestStatus, findOnlyKeyId },
  }) => {
    const owner = await make.owner()
    const expire = accountArguments('key expire', owner, '--id', await findOnlyKeyId(owner), '--at')
    expect(await brevisJson([...expire, '2999-01-31'])).toMatchObject({
      expires: '2999-01-31 23:59:59',
    })
    expect(await requestStatus(owner.key)).toBe(200)
    expect(await brevisJson([...expire, 'never'])).toMatchObject({ expires: null })
  })

  test('of another account cannot be changed', async ({
    make,
    cli: { settings, requestStatus, findOnlyKeyId },
  }) => {
    const owner = await make.owner()
    const otherOwner = await make.owner()
    const args = accountArguments('key revoke', otherOwner, '--id', await findOnlyKeyId(owner))
    const { code, stderr } = await runCommand(args, { env: settings() })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^brevis: The account has no valid key \d+\.\n$/)
    expect(await requestStatus(owner.key)).toBe(200)
  })
})

describe('rotating a key', () => {
  test("never extends the old key's validity", async ({ app, make }) => {
    const { account } = await make.owner()
    const soon = new Date(app.clock().getTime() + 60_000)
    const expiringKey = await createKey(scopeOf(app.services, account.id), {
      expiresAt: soon,
    })
    await rotateKey(scopeOf(app.services, account.id), expiringKey.id, 3_600_000)
    const stored = (await listKeys({ db: app.services.db, accountId: account.id })).find(
      ({ id }) => id === expiringKey.id,
    )
    expect(stored?.expiresAt).toEqual(soon)
  })

  test('rejects an expired key', async ({ app, make }) => {
    const { account } = await make.owner()
    const expiredKey = await createKey(scopeOf(app.services, account.id), {
      expiresAt: new Date(app.clock().getTime() - 1),
    })
    await expect(
      rotateKey(scopeOf(app.services, account.id), expiredKey.id, 3_600_000),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

import { verify } from 'argon2'
import { describe, expect, vi } from 'vitest'
import { commandLine, owned, runCommand } from '../support/command.ts'
import { postForm } from '../support/forms.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('given', { scope: 'file' }, ({ app, request }) => {
  const { brevis, brevisJson, settings } = commandLine(app)
  /** The status of a request with this key on the running app. */
  async function statusOf(key: string): Promise<number> {
    const headers = { authorization: `Bearer ${key}` }
    return (await request({ url: '/api/account', headers })).statusCode
  }
  async function onlyKeyOf({ account }: Owner): Promise<string> {
    const [key] = await app.services.keys.list(account.id)
    return String(key?.id)
  }
  return { brevisJson, statusOf, brevis, onlyKeyOf, settings }
})

describe('account create', () => {
  test('makes an account whose key works at once', async ({
    app,
    given: { brevisJson, statusOf },
  }) => {
    const created = await brevisJson([
      ...['account', 'create', '--email', 'New@Example.com', '--username', 'new'],
      ...['--password', 'correct horse', '--plan', 'pro'],
    ])
    const account = await app.services.accounts.byEmail('new@example.com')
    expect(created).toEqual({
      id: account.id,
      email: 'New@Example.com',
      username: 'new',
      key: expect.stringMatching(/^brv_/),
    })
    expect(account.plan).toBe('pro')
    expect(await statusOf(created.key)).toBe(200)
  })

  test('reads the password from the standard input and shows the key to people', async ({
    app,
    given: { brevis, statusOf },
  }) => {
    const args = ['account', 'create', '--email', 'in@example.com', '--username', 'stdin']
    const shown = await brevis([...args, '--password', '-'], 'a password typed\nand more\n')
    const [, key = ''] = /^key +(\S+)$/m.exec(shown) ?? []
    expect(await statusOf(key)).toBe(200)
    const { password_hash } = await app.services.database.db
      .selectFrom('accounts')
      .select('password_hash')
      .where('email', '=', 'in@example.com')
      .executeTakeFirstOrThrow()
    expect(await verify(password_hash, 'a password typed')).toBe(true)
  })
})

describe('accounts', () => {
  test('are listed with what belongs to them', async ({ make, given: { brevis, brevisJson } }) => {
    const { account } = await make.owner()
    const { accounts } = await brevisJson(['account', 'list'])
    expect(accounts).toContainEqual({
      id: account.id,
      email: account.email,
      username: account.username,
      plan: 'free',
      expires: null,
      suspended: false,
      admin: false,
      registered: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    })
    const shown = await brevis(['account', 'list'])
    expect(shown).toMatch(/^id +email +username +plan +expires +suspended +admin +registered\n/)
    expect(shown).toMatch(new RegExp(`^${account.id} +${account.email} +.* free +- +no +`, 'm'))
  })

  test('are suspended and resumed from the next request on', async ({
    make,
    given: { brevis, brevisJson, statusOf },
  }) => {
    const { account, key } = await make.owner()
    expect(await statusOf(key)).toBe(200)
    await brevis(['account', 'suspend', '--email', account.email])
    expect(await statusOf(key)).toBe(403)
    const resumed = await brevisJson(['account', 'resume', '--email', account.email])
    expect(resumed).toMatchObject({ id: account.id, suspended: false })
    expect(await statusOf(key)).toBe(200)
  })

  test('get another plan, for a time or for good', async ({
    make,
    request,
    given: { brevis, brevisJson },
  }) => {
    const { account, headers } = await make.owner()
    const shown = async () => (await request({ url: '/api/account', headers })).json().data
    const plan = ['account', 'plan', '--email', account.email, '--plan']
    const timed = await brevisJson([...plan, 'pro', '--expires', '2999-01-31'])
    expect(timed).toMatchObject({ plan: 'pro', expires: '2999-01-31 23:59:59' })
    expect(await shown()).toMatchObject({ status: 'pro', expires: '2999-01-31 23:59:59' })
    await brevis([...plan, 'free'])
    expect(await shown()).toMatchObject({ status: 'free', expires: '9999-12-31 23:59:59' })
  })
})

describe('keys', () => {
  test('are made and listed without their secret', async ({
    make,
    given: { brevis, brevisJson, statusOf },
  }) => {
    const owner = await make.owner()
    const made = await brevisJson(owned('key create', owner, '--expires', '2999-01-31 10:00:00'))
    expect(made).toMatchObject({ id: expect.any(Number), expires: '2999-01-31 10:00:00' })
    expect(await statusOf(made.key)).toBe(200)
    const { keys } = await brevisJson(owned('key list', owner))
    expect(keys).toHaveLength(2)
    expect(keys[1]).toEqual({
      id: made.id,
      prefix: made.key.slice(0, 10),
      created: expect.any(String),
      expires: '2999-01-31 10:00:00',
      revoked: null,
      lastUsed: expect.any(String),
    })
    expect(await brevis(owned('key list', owner))).not.toContain(made.key)
  })

  test('are revoked from the next request on', async ({
    make,
    given: { brevis, statusOf, onlyKeyOf },
  }) => {
    const owner = await make.owner()
    expect(await statusOf(owner.key)).toBe(200)
    await brevis(owned('key revoke', owner, '--id', await onlyKeyOf(owner)))
    expect(await statusOf(owner.key)).toBe(401)
  })

  test('are rotated, both being valid for the overlap', async ({
    app,
    make,
    given: { brevisJson, statusOf, onlyKeyOf },
  }) => {
    const owner = await make.owner()
    const id = await onlyKeyOf(owner)
    const { key } = await brevisJson(owned('key rotate', owner, '--id', id, '--overlap', '1h'))
    expect(await statusOf(owner.key)).toBe(200)
    expect(await statusOf(key)).toBe(200)
    const [old] = await app.services.keys.list(owner.account.id)
    const minutesLeft = (Number(old?.expiresAt) - Date.now()) / 60_000
    expect(minutesLeft).toBeGreaterThan(30)
    expect(minutesLeft).toBeLessThanOrEqual(60)
  })

  test('that are rotated end after the overlap', async ({
    make,
    given: { brevisJson, statusOf, onlyKeyOf },
  }) => {
    const owner = await make.owner()
    const id = await onlyKeyOf(owner)
    const { key } = await brevisJson(owned('key rotate', owner, '--id', id, '--overlap', '1'))
    await vi.waitUntil(async () => (await statusOf(owner.key)) === 401, { timeout: 10_000 })
    expect(await statusOf(key)).toBe(200)
  })

  test('that are rotated without an overlap end at once', async ({
    make,
    given: { brevisJson, statusOf, onlyKeyOf },
  }) => {
    const owner = await make.owner()
    const { key } = await brevisJson(owned('key rotate', owner, '--id', await onlyKeyOf(owner)))
    expect(await statusOf(owner.key)).toBe(401)
    expect(await statusOf(key)).toBe(200)
  })

  test('are given an end, and lose it', async ({
    make,
    given: { brevisJson, statusOf, onlyKeyOf },
  }) => {
    const owner = await make.owner()
    const expire = owned('key expire', owner, '--id', await onlyKeyOf(owner), '--at')
    expect(await brevisJson([...expire, '2999-01-31'])).toMatchObject({
      expires: '2999-01-31 23:59:59',
    })
    expect(await statusOf(owner.key)).toBe(200)
    expect(await brevisJson([...expire, 'never'])).toMatchObject({ expires: null })
  })

  test('of another account cannot be touched', async ({
    make,
    given: { settings, statusOf, onlyKeyOf },
  }) => {
    const [owner, stranger] = [await make.owner(), await make.owner()]
    const args = owned('key revoke', stranger, '--id', await onlyKeyOf(owner))
    const { code, stderr } = await runCommand(args, { env: settings() })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^brevis: The account has no key \d+ that is in force\.\n$/)
    expect(await statusOf(owner.key)).toBe(200)
  })
})

describe('rotating a key', () => {
  test('never lets it live longer than it would have', async ({ app, make }) => {
    const { keys } = app.services
    const { account } = await make.owner()
    const soon = new Date(app.clock().getTime() + 60_000)
    const ending = await keys.create(account.id, soon)
    await keys.rotate(account.id, ending.id, 3_600_000)
    const stored = (await keys.list(account.id)).find(({ id }) => id === ending.id)
    expect(stored?.expiresAt).toEqual(soon)
  })

  test('refuses one that is over', async ({ app, make }) => {
    const { keys } = app.services
    const { account } = await make.owner()
    const over = await keys.create(account.id, new Date(app.clock().getTime() - 1))
    await expect(keys.rotate(account.id, over.id, 3_600_000)).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('link disable and enable', () => {
  test('stop and let through the visitors of anybody’s link, within a second', async ({
    make,
    request,
    given: { brevis, brevisJson },
  }) => {
    const owner = await make.owner()
    await make.domain(owner, { domain: 'https://shop.example' })
    const links = [
      await make.link(owner),
      await make.link(owner, { domain: 'shop.example', alias: 'größe' }),
    ]
    for (const { id, alias, shortUrl, url } of links) {
      const { host } = new URL(shortUrl)
      const visit = () => request({ url: `/${encodeURIComponent(alias)}`, headers: { host } })
      const status = async () => (await visit()).statusCode
      const shown = { id, account: owner.account.email, shorturl: shortUrl, longurl: url }
      expect(await status()).toBe(302)
      expect(await brevisJson(['link', 'disable', shortUrl])).toEqual({
        ...shown,
        status: 'disabled',
        changed: true,
      })
      await vi.waitUntil(async () => (await status()) === 410, { timeout: 1000 })
      const again = await brevisJson(['link', 'disable', shortUrl.replace(/^https?:../, '')])
      expect(again).toEqual({ ...shown, status: 'disabled', changed: false })
      expect(await brevis(['link', 'enable', shortUrl])).toMatch(/^status +active$/m)
      await vi.waitUntil(async () => (await status()) === 302, { timeout: 1000 })
    }
  })

  test('leave the owner no way to enable what the operator has disabled', async ({
    app,
    make,
    request,
    given: { brevisJson },
  }) => {
    const owner = await make.owner()
    const { id, shortUrl } = await make.link(owner)
    const { links } = app.services
    await links.setStatus(owner.account.id, id, 'disabled')
    await links.setStatus(owner.account.id, id, 'active')
    await brevisJson(['link', 'disable', shortUrl, '--reason', ' <b>Phishing</b> '])
    const call = Buffer.from(shortUrl).toString('base64url')
    const enable = () =>
      request({ url: `/api/v1/${owner.key}/shorturl/enable/short_url/${call}.json` })
    const refused = await enable()
    expect(refused.statusCode).toBe(403)
    expect(refused.json().data.message).toBe(
      'The operator has disabled this link. Only the operator can enable it.',
    )
    await links.setStatus(owner.account.id, id, 'disabled')
    await links.update(owner.account.id, id, { url: 'https://example.com/other' })
    expect((await enable()).statusCode).toBe(403)
    expect(await links.get(owner.account.id, id)).toMatchObject({
      status: 'disabled',
      block: { at: expect.any(Date), reason: '<b>Phishing</b>' },
    })
    await brevisJson(['link', 'enable', shortUrl])
    expect(await links.get(owner.account.id, id)).toMatchObject({ status: 'active', block: null })
    await links.setStatus(owner.account.id, id, 'disabled')
    expect((await enable()).statusCode).toBe(200)
  })

  test.for([
    ['http://brev.test/nothing', 'There is no link at http://brev.test/nothing.'],
    ['http://unknown.example/x', 'There is no link at http://unknown.example/x.'],
    ['not a URL', 'url must be a short URL'],
  ] as const)(
    'say of %s on one line what is wrong',
    async ([url, message], { given: { settings } }) => {
      const outcome = await runCommand(['link', 'disable', url], { env: settings() })
      expect(outcome).toEqual({ code: 1, stdout: '', stderr: `brevis: ${message}\n` })
    },
  )
})

test('link guesses shows how the password of anybody’s link is guessed at', async ({
  app,
  make,
  given: { brevisJson, settings },
}) => {
  const owner = await make.owner()
  const { id, alias, shortUrl } = await make.link(owner, { password: 'open sesame' })
  const shown = { id, account: owner.account.email, shorturl: shortUrl }
  const none = { ...shown, wrong: 0, waitsuntil: null, known: 0 }
  expect(await brevisJson(['link', 'guesses', shortUrl])).toEqual(none)
  await postForm(app, `/${alias}`, { password: 'open sesame' })
  await postForm(app, `/${alias}`, { password: 'wrong' })
  expect(await brevisJson(['link', 'guesses', shortUrl])).toEqual({ ...none, wrong: 1, known: 1 })
  await app.services.database.pool.query(
    `update link_guesses set wrong = 33, waits_until = '2099-01-31 12:00:00Z'`,
  )
  expect(await brevisJson(['link', 'guesses', shortUrl])).toMatchObject({
    wrong: 33,
    waitsuntil: '2099-01-31 12:00:00',
  })
  const outcome = await runCommand(['link', 'guesses', `${shortUrl}x`], { env: settings() })
  expect(outcome.stderr).toBe(`brevis: There is no link at ${shortUrl}x.\n`)
})

import { describe, expect } from 'vitest'
import { countAccounts } from '../../src/identity/account.service.ts'
import { apiClient } from '../support/api-client.ts'
import { testApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { callLegacyApi } from '../support/legacy-api.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

const LIMIT = 5
const LIMIT_REACHED = { error: 1, message: 'This account has reached its maximum number of links.' }

let registrations = 0

const test = appTest({
  env: {
    LINKS_PER_ACCOUNT: String(LIMIT),
    BIO_PAGES_PER_ACCOUNT: String(LIMIT),
    REGISTRATIONS_PER_DAY: '3',
  },
}).extend('api', { scope: 'file' }, ({ app, owner, request }) => {
  const send = apiClient({ app, owner })
  const add = (caller: Owner, fields: object = {}) =>
    send('POST', '/api/url/add', { ...body, ...fields }, caller)
  const countLinks = async (caller: Owner): Promise<number> =>
    (await send('GET', '/api/urls', undefined, caller)).json().data.result
  async function register(address: string, overrides: Record<string, string> = {}) {
    registrations += 1
    const { cookie, csrf } = formOf(await request({ url: '/register' }))
    const username = `newcomer${registrations}`
    const fields = { csrf, email: `${username}@example.com`, username, password: 'long enough' }
    return postForm(app, '/register', { ...fields, ...overrides }, { cookie, address })
  }
  return { send, add, countLinks, register }
})

const body = { url: 'https://example.com/' }

describe('an account with a limit of links', () => {
  test('can create LINKS_PER_ACCOUNT links, and a new one for each that it deletes', async ({
    app,
    make,
    owner,
    api: { send, add, countLinks },
  }) => {
    const caller = await make.owner()
    const created = []
    for (let n = 0; n < LIMIT; n += 1) created.push((await add(caller)).json())
    const rejected = await add(caller)
    expect([rejected.statusCode, rejected.json()]).toEqual([403, LIMIT_REACHED])
    const url = Buffer.from(body.url).toString('base64url')
    const legacy = await callLegacyApi(app, caller.key, `create/url/${url}.json`)
    expect([legacy.statusCode, legacy.json().data.message]).toEqual([403, LIMIT_REACHED.message])
    expect(await countLinks(caller)).toBe(LIMIT)
    await send('DELETE', `/api/url/${created[0].id}/delete`, undefined, caller)
    expect((await add(caller)).statusCode).toBe(200)
    expect((await add(caller)).statusCode).toBe(403)
    expect((await add(owner)).statusCode).toBe(200)
  })

  test('can still change existing links', async ({ make, api: { send, add } }) => {
    const caller = await make.owner()
    const created = []
    for (let n = 0; n < LIMIT; n += 1) created.push((await add(caller)).json())
    const payload = { url: 'https://example.com/changed' }
    const reply = await send('PUT', `/api/url/${created[0].id}/update`, payload, caller)
    expect(reply.statusCode).toBe(200)
  })

  test('creates the links of a batch up to the limit and rejects the rest', async ({
    make,
    api: { send, add, countLinks },
  }) => {
    const caller = await make.owner()
    await add(caller)
    const urls = [body, { url: 'nonsense' }, ...Array(5).fill(body)]
    const { results } = (await send('POST', '/api/urls/add', { urls }, caller)).json()
    expect(results.map(({ error }: { error: number }) => error)).toEqual([0, 1, 0, 0, 0, 1, 1])
    expect(results[1].message).toMatch(/^url must be/)
    expect(results.slice(5)).toEqual([LIMIT_REACHED, LIMIT_REACHED])
    expect(await countLinks(caller)).toBe(LIMIT)
  })

  test('creates exactly LINKS_PER_ACCOUNT links with concurrent requests', async ({
    make,
    api: { add, countLinks },
  }) => {
    const caller = await make.owner()
    const replies = await Promise.all(Array.from({ length: 20 }, () => add(caller)))
    expect(replies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(LIMIT)
    expect(replies.filter(({ statusCode }) => statusCode === 403)).toHaveLength(20 - LIMIT)
    expect(await countLinks(caller)).toBe(LIMIT)
  })

  test('does not use up quota with repeated and rejected requests', async ({
    make,
    request,
    api: { add },
  }) => {
    const caller = await make.owner()
    const headers = { ...caller.headers, 'idempotency-key': 'once' }
    for (let n = 0; n < 3; n += 1) {
      const reply = await request({ method: 'POST', url: '/api/url/add', headers, payload: body })
      expect(reply.statusCode).toBe(200)
    }
    for (let n = 0; n < 3; n += 1) {
      expect((await add(caller, { url: 'nonsense' })).statusCode).toBe(400)
    }
    const statuses = []
    for (let n = 0; n < LIMIT; n += 1) statuses.push((await add(caller)).statusCode)
    expect(statuses).toEqual([...Array(LIMIT - 1).fill(200), 403])
  })

  test('can create as many QR codes in addition to its links', async ({
    make,
    api: { send, add },
  }) => {
    const caller = await make.owner()
    const addCode = (n: number) =>
      send(
        'POST',
        '/api/qr/add',
        n % 2 ? { type: 'text', data: 'hello' } : { type: 'link', data: body.url },
        caller,
      )
    const statuses = []
    for (let n = 0; n <= LIMIT; n += 1) statuses.push((await addCode(n)).statusCode)
    expect(statuses).toEqual([...Array(LIMIT).fill(200), 403])
    expect((await addCode(0)).json().message).toBe(
      'This account has as many QR codes as it may have.',
    )
    expect((await add(caller)).statusCode).toBe(200)
    const { data } = (await send('GET', '/api/qr', undefined, caller)).json()
    expect(data.result).toBe(LIMIT)
  })
})

describe('BIO_PAGES_PER_ACCOUNT', () => {
  test('limits the bio pages of an account, also with concurrent requests', async ({
    app,
    make,
    owner,
    api: { send },
  }) => {
    const caller = await make.owner()
    const links = [{ url: 'https://example.com/' }, { url: 'https://example.org/' }]
    const add = (alias: string, from = caller) =>
      send('POST', '/api/bio/add', { alias, title: 'Anna', links }, from)
    const aliases = Array.from({ length: 20 }, (_, index) => `anna${index}`)
    const replies = await Promise.all(aliases.map((alias) => add(alias)))
    const created = replies.filter(({ statusCode }) => statusCode === 200)
    expect(created).toHaveLength(LIMIT)
    const rejected = replies.find(({ statusCode }) => statusCode !== 200)
    expect([rejected?.statusCode, rejected?.json()]).toEqual([
      403,
      { error: 1, message: 'This account has as many bio pages as it may have.' },
    ])
    const { db } = app.services
    const count = async (table: 'links' | 'bio_pages') => {
      const rows = db.selectFrom(table).where('account_id', '=', caller.account.id).select('id')
      return (await rows.execute()).length
    }
    expect([await count('bio_pages'), await count('links')]).toEqual([LIMIT, 2 * LIMIT])

    await send('DELETE', `/api/bio/${created[0]?.json().id}/delete`, undefined, caller)
    expect((await add('again')).statusCode).toBe(200)
    expect((await add('too-many')).statusCode).toBe(403)
    expect((await add('of-another', owner)).statusCode).toBe(200)
  })

  test("is reported by the console's form", async ({ app, make }) => {
    const caller = await make.owner()
    for (let n = 0; n < LIMIT; n += 1) await make.bio(caller)
    const person = await signIn(app, caller.account.email)
    const fields = { title: 'Anna', alias: 'one-more' }
    const reply = await person.send('/console/bios', fields)
    expect([reply.statusCode, reply.body]).toEqual([
      403,
      expect.stringContaining('This account has reached its maximum number of bio pages.'),
    ])
  })
})

test('an account with a high limit, whose links are rarely counted, never exceeds it', async () => {
  const app = await testApp({ env: { LINKS_PER_ACCOUNT: '1003' } })
  try {
    const caller = await app.make.owner()
    const headers = caller.headers
    const urls = Array(100).fill(body)
    const batch = () =>
      app.request({ method: 'POST', url: '/api/urls/add', headers, payload: { urls } })
    const replies = await Promise.all(Array.from({ length: 12 }, batch))
    const created = replies
      .flatMap((reply) => reply.json().results)
      .filter(({ error }) => error === 0)
    expect(created).toHaveLength(1003)
  } finally {
    await app.close()
  }
})

describe('registration', () => {
  test('allows a limited number of accounts per day and IP address, and returns a Retry-After header', async ({
    app,
    owner,
    api: { register },
  }) => {
    const address = '198.51.100.20'
    expect((await register(address, { email: 'nonsense' })).statusCode).toBe(400)
    expect((await register(address, { username: owner.account.username })).statusCode).toBe(409)
    const statuses = []
    for (let n = 0; n < 4; n += 1) statuses.push((await register(address)).statusCode)
    expect(statuses).toEqual([303, 303, 303, 429])
    const before = await countAccounts(app.services.db)
    const rejected = await register(address)
    expect(rejected.body).toContain('Too many accounts were created from your network today.')
    const wait = Number(rejected.headers['retry-after'])
    expect(wait).toBeGreaterThan(86_000)
    expect(wait).toBeLessThanOrEqual(86_400)
    expect(await countAccounts(app.services.db)).toBe(before)
    expect((await register('198.51.100.21')).statusCode).toBe(303)
  })

  test('counts an IPv6 /64 as one IP address', async ({ api: { register } }) => {
    const statuses = []
    for (let n = 1; n <= 4; n += 1) statuses.push((await register(`2001:db8:7:7::${n}`)).statusCode)
    expect(statuses).toEqual([303, 303, 303, 429])
    expect((await register('2001:db8:7:8::1')).statusCode).toBe(303)
  })

  test('enforces the limit for concurrent requests', async ({ api: { register } }) => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, () =>
        register('198.51.100.22').then(({ statusCode }) => statusCode),
      ),
    )
    expect(replies.filter((status) => status === 303).length).toBeLessThanOrEqual(3)
    expect(replies.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5)
  })
})

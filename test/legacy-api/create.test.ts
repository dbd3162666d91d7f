import { describe, expect } from 'vitest'
import { formatTimestamp } from '../../src/http/timestamp.ts'
import { listLinks } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { base64, legacyApiClient, readXml } from '../support/legacy-api.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner, request }) => {
  const { call, create, getInfo } = legacyApiClient({ app, owner })
  const now = () => formatTimestamp(app.clock())
  const visit = (shortUrl: string) => request({ url: new URL(shortUrl).pathname })
  return { call, now, create, getInfo, visit }
})

const destination = 'https://example.com/target'

describe('create', () => {
  test('shortens a URL', async ({ api: { call, now, visit } }) => {
    const reply = await call(`create/url/${base64(destination)}.json`)
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    const { data } = reply.json()
    expect(reply.json()).toEqual({
      code: 200,
      data: {
        url_id: expect.stringMatching(/^[1-9]\d*$/),
        short_url: `http://brev.test/${data.short_url_part}`,
        short_url_part: expect.stringMatching(/^[A-Za-z2-9]{7}$/),
        original_url: destination,
        date_time: now(),
      },
    })
    expect((await visit(data.short_url)).headers.location).toBe(destination)
  })

  test('returns the same fields in XML', async ({ app, api: { call, now } }) => {
    const reply = await call(
      `create/custom_url/in-xml/url/${base64(`${destination}?a=1&b=<2>`)}.xml`,
    )
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toBe('text/xml; charset=utf-8')
    const { url_id, ...data } = readXml(reply.body).data
    expect(url_id).toMatch(/^[1-9]\d*$/)
    expect({ ...readXml(reply.body), data }).toEqual({
      client: '203.0.113.7',
      time: String(Math.floor(app.clock().getTime() / 1000)),
      code: '200',
      data: {
        short_url: 'http://brev.test/in-xml',
        short_url_part: 'in-xml',
        original_url: `${destination}?a=1&b=%3C2%3E`,
        date_time: now(),
      },
    })
  })

  test('accepts all options in any order and stores them', async ({
    app,
    make,
    owner,
    api: { create, getInfo },
  }) => {
    await make.domain(owner, { domain: 'https://go.example' })
    const data = await create(
      `password/a%2Fb..%20c/base_domain/go.example/url/${base64(destination)}/expiry_date/2099-12-31/custom_url/Gr%C3%B6%C3%9Fe`,
    )
    expect(data).toMatchObject({
      short_url: 'https://go.example/Gr%C3%B6%C3%9Fe',
      short_url_part: 'Größe',
      original_url: destination,
    })
    const row = await app.services.database.db
      .selectFrom('links')
      .selectAll()
      .where('id', '=', Number(data.url_id))
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      account_id: owner.account.id,
      alias: 'Größe',
      url: destination,
      status: 'active',
      redirect: 'direct',
      expires_at: new Date('2099-12-31T23:59:59.999Z'),
    })
    const { visits } = app.services.passwords
    expect(await visits.verify('', row.password_hash ?? '', 'a/b.. c')).toBe(true)
    expect(await getInfo(data.short_url)).toMatchObject({
      has_password: true,
      expiry_date: '2099-12-31 23:59:59',
    })
  })

  test('accepts the service itself as a base domain', async ({ api: { create } }) => {
    const data = await create(`base_domain/brev.test/custom_url/own/url/${base64(destination)}`)
    expect(data.short_url).toBe('http://brev.test/own')
  })

  test('creates a new link for a known URL', async ({ api: { create } }) => {
    const first = await create(`url/${base64(destination)}`)
    const second = await create(`url/${base64(destination)}`)
    expect(first.url_id).not.toBe(second.url_id)
  })

  // The base64 form of this URL contains `+`, `/` and two `=`.
  const urlWithSymbols = 'https://example.com/~~~???>>'
  const standard = base64(urlWithSymbols)
  const urlSafe = standard.replaceAll('+', '-').replaceAll('/', '_')
  test.for([
    ['standard', standard],
    ['standard without padding', standard.replaceAll('=', '')],
    ['percent-encoded', encodeURIComponent(standard)],
    ['percent-encoded without padding', encodeURIComponent(standard.replaceAll('=', ''))],
    ['URL-safe', urlSafe],
    ['URL-safe without padding', urlSafe.replaceAll('=', '')],
  ] as const)('reads base64 that is %s', async ([_name, spelling], { api: { create } }) => {
    expect(standard).toMatch(/^(?=.*\+)(?=.*\/).*==$/)
    const data = await create(`url/${spelling}`)
    expect(data.original_url).toBe(new URL(urlWithSymbols).href)
    expect((await create(`url/${spelling}/password/x`)).original_url).toBe(data.original_url)
  })

  test('accepts URLs of up to 8,192 bytes in every encoding', async ({
    api: { call, create, now },
  }) => {
    const long = `${destination}?${'~?~'.repeat(4000)}`.slice(0, 8192)
    for (const spelling of [base64(long), encodeURIComponent(base64(long))]) {
      expect((await create(`url/${spelling}`)).original_url).toBe(new URL(long).href)
    }
    const reply = await call(`create/url/${base64(`${long}x`)}.json`)
    expect(reply.json()).toEqual({
      code: 400,
      data: { message: 'url must be at most 8192 bytes', date_time: now() },
    })
  })

  test.for([
    ['create', 'url is required'],
    ['create/custom_url/x', 'url is required'],
    ['create/url', 'url must not be empty'],
    [`create/url/${base64(destination)}/url/${base64(destination)}`, 'url must appear only once'],
    [`create/password/a/password/b/url/${base64(destination)}`, 'password must appear only once'],
    [`create/password//url/${base64(destination)}`, 'password must not be empty'],
    [
      `create/title/x/url/${base64(destination)}`,
      'path must contain only these parameters: url, custom_url, password, expiry_date, base_domain',
    ],
    ['create/url/!!!', 'url must be base64-encoded UTF-8 text'],
    ['create/url/_w', 'url must be base64-encoded UTF-8 text'],
    [`create/url/${base64('javascript:alert(1)')}`, 'url must be a valid http or https URL'],
    [
      `create/url/${base64('http://brev.test/x')}`,
      'url must not lead to the short-link service itself',
    ],
    [
      `create/custom_url/a%20b/url/${base64(destination)}`,
      'custom_url must be 1 to 64 letters, digits, hyphens or underscores',
    ],
    [
      `create/custom_url/a%EF%B8%8F/url/${base64(destination)}`,
      'custom_url must not contain the invisible character U+FE0F',
    ],
    [`create/custom_url/Api/url/${base64(destination)}`, 'custom_url is a reserved word'],
    [
      `create/expiry_date/2020-01-01/url/${base64(destination)}`,
      'expiry_date must be in the future',
    ],
    [
      `create/expiry_date/2099-02-29/url/${base64(destination)}`,
      'expiry_date is not a date that exists',
    ],
    [
      `create/expiry_date/2099-01-01%2012:00:00/url/${base64(destination)}`,
      'expiry_date must have the form YYYY-MM-DD',
    ],
    [
      `create/expiry_date/31.12.2099/url/${base64(destination)}`,
      'expiry_date must have the form YYYY-MM-DD',
    ],
    [
      `create/base_domain/nowhere.example/url/${base64(destination)}`,
      'base_domain is not a domain of this account',
    ],
    [
      `create/password/${'x'.repeat(201)}/url/${base64(destination)}`,
      'password must be at most 200 characters long',
    ],
    [`create/password/a%00/url/${base64(destination)}`, 'password must not contain NUL characters'],
  ] as const)('rejects %s: %s', async ([path, message], { app, owner, api: { call, now } }) => {
    const before = await listLinks(scopeOf(app.services, owner.account.id), {
      order: 'date',
      limit: 1,
      offset: 0,
    })
    const reply = await call(`${path}.json`)
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ code: 400, data: { message, date_time: now() } })
    const xml = await call(`${path}.xml`)
    expect(xml.statusCode).toBe(400)
    expect(readXml(xml.body)).toMatchObject({ code: '400', data: { message, date_time: now() } })
    const after = await listLinks(scopeOf(app.services, owner.account.id), {
      order: 'date',
      limit: 1,
      offset: 0,
    })
    expect(after.total).toBe(before.total)
  })

  test('rejects the domain of another account', async ({ make, api: { call } }) => {
    const otherOwner = await make.owner()
    await make.domain(otherOwner, { domain: 'https://theirs.example' })
    const reply = await call(`create/base_domain/theirs.example/url/${base64(destination)}.json`)
    expect(reply.json().data.message).toBe('base_domain is not a domain of this account')
  })

  test('rejects a taken alias', async ({ api: { call, create, now } }) => {
    await create(`custom_url/taken/url/${base64(destination)}`)
    const reply = await call(`create/custom_url/taken/url/${base64(destination)}.json`)
    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toEqual({
      code: 409,
      data: { message: 'That alias is taken. Please choose another one.', date_time: now() },
    })
  })

  test('accepts today as the expiration, until the end of the day', async ({
    api: { create, getInfo, now, visit },
  }) => {
    const today = now().slice(0, 10)
    const { short_url } = await create(`expiry_date/${today}/url/${base64(destination)}`)
    expect((await getInfo(short_url)).expiry_date).toBe(`${today} 23:59:59`)
    expect((await visit(short_url)).statusCode).toBe(302)
  })
})

import { describe, expect } from 'vitest'
import { formatTimestamp } from '../../src/http/timestamp.ts'
import { asText, base64, legacyApiClient, readXml } from '../support/legacy-api.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner, request }) => {
  const { call, create, getInfo } = legacyApiClient({ app, owner })
  const now = () => formatTimestamp(app.clock())
  const visit = (shortUrl: string) => request({ url: new URL(shortUrl).pathname })
  return { call, create, getInfo, now, visit }
})

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
const destination = 'https://example.com/target'

describe('disable and enable', () => {
  test('take effect immediately for visitors', async ({
    api: { call, create, getInfo, now, visit },
  }) => {
    const { short_url, url_id } = await create(`url/${base64(destination)}`)
    for (const [operation, status, visitStatus] of [
      ['disable', 'disabled', 410],
      ['disable', 'disabled', 410],
      ['enable', 'active', 302],
      ['enable', 'active', 302],
    ] as const) {
      const path = `${operation}/short_url/${base64(short_url)}`
      const reply = await call(`${path}.json`)
      const data = { url_id, status, short_url, date_time: now() }
      expect(reply.json()).toEqual({ code: 200, data })
      expect((await visit(short_url)).statusCode).toBe(visitStatus)
      expect((await getInfo(short_url)).status).toBe(status)
      const xml = await call(`${path}.xml`)
      expect(readXml(xml.body)).toMatchObject({ code: '200', data })
    }
  })

  test('accept a short URL without its scheme or on a branded domain', async ({
    make,
    owner,
    api: { call, create },
  }) => {
    await make.domain(owner, { domain: 'https://short.example' })
    const { short_url } = await create(`base_domain/short.example/url/${base64(destination)}`)
    for (const spelling of [short_url, short_url.replace('https://', ''), `${short_url}/`]) {
      const reply = await call(`disable/short_url/${base64(spelling)}.json`)
      expect(reply.json()).toMatchObject({ code: 200, data: { short_url } })
    }
  })
})

describe('info', () => {
  test('shows a link, with empty strings for unset times', async ({
    api: { call, create, now },
  }) => {
    const created = await create(`url/${base64(destination)}`)
    const reply = await call(`info/short_url/${base64(created.short_url)}.json`)
    expect(reply.json()).toEqual({
      code: 200,
      data: {
        ...created,
        date_created: timestamp,
        last_accessed: '',
        total_visits: 0,
        has_password: false,
        expiry_date: '',
        status: 'active',
        date_time: now(),
      },
    })
  })

  test('returns the same fields in XML', async ({ api: { call, create, getInfo } }) => {
    const { short_url } = await create(
      `custom_url/%C3%BC-1/password/p/url/${base64(`${destination}?a&b='"`)}`,
    )
    const xml = await call(`info/short_url/${base64(short_url)}.xml`)
    expect(readXml(xml.body).data).toEqual(asText(await getInfo(short_url)))
  })

  test('counts visits and returns the last one', async ({
    app,
    api: { create, getInfo, now, visit },
  }) => {
    const { short_url } = await create(`url/${base64(destination)}`)
    await visit(short_url)
    app.clock.advance(90)
    await visit(short_url)
    await app.importClicks()
    expect(await getInfo(short_url)).toMatchObject({ total_visits: 2, last_accessed: now() })
  })
})

describe('disable, enable and info', () => {
  test.for(['disable', 'enable', 'info'])(
    "find neither an unknown link nor another account's link: %s",
    async (operation, { make, api: { call, create, getInfo, now } }) => {
      const otherOwner = await make.owner()
      const foreignLink = await create(`url/${base64(destination)}`, otherOwner)
      const replies = []
      for (const short of [
        foreignLink.short_url,
        'http://brev.test/no-such-link',
        'http://elsewhere.example/x',
        'nonsense',
        ' ',
      ]) {
        const reply = await call(`${operation}/short_url/${base64(short)}.json`)
        expect(reply.statusCode).toBe(404)
        replies.push(reply.body)
      }
      expect(new Set(replies)).toEqual(
        new Set([
          `{"code":404,"data":{"message":"The requested resource was not found.","date_time":"${now()}"}}`,
        ]),
      )
      expect((await getInfo(foreignLink.short_url, otherOwner)).status).toBe('active')
    },
  )

  test.for([
    ['info', 'short_url is required'],
    ['info/short_url/!', 'short_url must be base64-encoded UTF-8 text'],
    [`enable/url/${base64(destination)}`, 'path must contain only these parameters: short_url'],
    [`disable/short_url/YQ/short_url/YQ`, 'short_url must appear only once'],
  ] as const)('reject %s: %s', async ([path, message], { api: { call, now } }) => {
    expect((await call(`${path}.json`)).json()).toEqual({
      code: 400,
      data: { message, date_time: now() },
    })
  })
})

describe('the JSON API', () => {
  test('shows links of the legacy API', async ({ owner, request, api: { create } }) => {
    const { url_id, short_url, short_url_part } = await create(`url/${base64(destination)}`)
    const reply = await request({ url: `/api/url/${url_id}`, headers: owner.headers })
    expect(reply.json().details).toMatchObject({
      shorturl: short_url,
      alias: short_url_part,
      longurl: destination,
    })
  })

  test('creates links that the legacy API shows', async ({
    owner,
    request,
    api: { call, getInfo },
  }) => {
    const reply = await request({
      method: 'POST',
      url: '/api/url/add',
      headers: owner.headers,
      payload: { url: destination, expiry: '2099-05-06 07:08:09', password: 'x' },
    })
    const { id, shorturl } = reply.json()
    expect(await getInfo(shorturl)).toMatchObject({
      url_id: String(id),
      original_url: destination,
      has_password: true,
      expiry_date: '2099-05-06 07:08:09',
    })
    await call(`disable/short_url/${base64(shorturl)}.json`)
    const details = await request({ url: `/api/url/${id}`, headers: owner.headers })
    expect(details.json().details.status).toBe('disabled')
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from './support/app.ts'
import type { Owner } from './support/make.ts'

let t: TestApp
let owner: Owner

beforeAll(async () => {
  t = await testApp()
  owner = await t.make.owner()
})
afterAll(() => t.close())

const send = (
  method: 'POST' | 'PUT' | 'DELETE' | 'GET',
  url: string,
  payload?: object,
  by = owner,
) => t.request({ method, url, headers: by.headers, ...(payload && { payload }) })
const add = (payload: object, by = owner) => send('POST', '/api/url/add', payload, by)
const details = async (id: number, by = owner) =>
  (await send('GET', `/api/url/${id}`, undefined, by)).json()

const target = 'https://example.com/target'
const none = {
  clicks: 0,
  uniqueClicks: 0,
  topCountries: 0,
  topReferrers: 0,
  topBrowsers: 0,
  topOs: 0,
  socialCount: { facebook: 0, twitter: 0, instagram: 0 },
}

describe('POST /api/url/add', () => {
  test('makes a link with a random alias', async () => {
    const reply = await add({ url: target })
    expect(reply.statusCode).toBe(200)
    const { id } = reply.json()
    expect(reply.json()).toEqual({
      error: 0,
      id: expect.any(Number),
      shorturl: expect.stringMatching(/^http:\/\/brev\.test\/[A-Za-z2-9]{7}$/),
    })
    const alias = reply.json().shorturl.slice(-7)
    expect(await details(id)).toEqual({
      error: 0,
      details: {
        id,
        alias,
        shorturl: `http://brev.test/${alias}`,
        longurl: target,
        title: 'example.com',
        description: '',
        location: {},
        device: {},
        language: {},
        parameters: [],
        type: 'direct',
        password: false,
        status: 'active',
        expiry: null,
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      },
      data: none,
    })
  })

  test('takes every field', async () => {
    const splash = await t.make.splash(owner)
    const pixel = await t.make.pixel(owner)
    const reply = await add({
      url: 'HTTPS://Example.com/a b',
      custom: 'Everything',
      type: String(splash.id),
      password: 'secret',
      domain: 'http://brev.test/',
      expiry: '2099-12-31 23:59:59',
      geotarget: [
        { location: 'Germany', link: 'https://example.com/de' },
        { location: 'fr', link: 'https://example.com/fr' },
      ],
      devicetarget: [{ device: 'iPhone', link: 'https://example.com/ios' }],
      languagetarget: [{ language: 'en-GB', link: 'https://example.com/en' }],
      parameters: [{ name: 'ref', value: 'a b' }, { name: '', value: 'x' }, { name: 'empty' }],
      metatitle: 'A title',
      metadescription: 'A description',
      metaimage: 'https://example.com/image.png',
      pixels: [pixel.id],
      unknown: 'ignored',
    })
    expect(reply.json()).toMatchObject({ error: 0, shorturl: 'http://brev.test/Everything' })
    const { details: stored } = await details(reply.json().id)
    expect(stored).toMatchObject({
      longurl: 'https://example.com/a%20b',
      title: 'A title',
      description: 'A description',
      location: { germany: 'https://example.com/de', france: 'https://example.com/fr' },
      device: { iphone: 'https://example.com/ios' },
      language: { 'en-gb': 'https://example.com/en' },
      parameters: [
        { name: 'ref', value: 'a b' },
        { name: 'empty', value: '' },
      ],
      type: String(splash.id),
      password: true,
      expiry: '2099-12-31 23:59:59',
    })
    const row = await t.services.database.db
      .selectFrom('links')
      .selectAll()
      .where('id', '=', reply.json().id)
      .executeTakeFirstOrThrow()
    expect(row.password_hash).toMatch(/^\$argon2id\$/)
    expect(JSON.stringify(row)).not.toContain('ignored')
  })

  test('treats null, "" and false in optional fields as absent', async () => {
    for (const nothing of [null, '', false]) {
      const fields = ['custom', 'type', 'password', 'domain', 'expiry', 'geotarget', 'devicetarget']
      const more = [
        'languagetarget',
        'parameters',
        'metatitle',
        'metadescription',
        'metaimage',
        'pixels',
      ]
      const payload = Object.fromEntries([...fields, ...more].map((name) => [name, nothing]))
      expect((await add({ url: target, ...payload })).json()).toMatchObject({ error: 0 })
    }
  })

  test('never makes one link of two requests', async () => {
    const [first, second] = [await add({ url: target }), await add({ url: target })]
    expect(first.json().id).not.toBe(second.json().id)
  })

  const long = 'x'.repeat(9000)
  const link = 'https://example.com/'
  test.each([
    [{}, 'url is required'],
    [{ url: null }, 'url is required'],
    [{ url: '' }, 'url is required'],
    [{ url: 5 }, 'url must be a string'],
    [{ url: ['https://example.com'] }, 'url must be a string'],
    [{ url: 'example.com' }, 'url must be a valid http or https URL'],
    [{ url: 'java\nscript:alert(1)' }, 'url must be a valid http or https URL'],
    [{ url: 'https://a:b@example.com' }, 'url must not contain a user name or password'],
    [{ url: `https://example.com/${long}` }, 'url must be at most 8192 bytes'],
    [{ url: 'http://brev.test/x' }, 'url must not lead to the short-link service itself'],
    [
      { url: 'https://example.com/\u0000' },
      'url must be text without NUL characters or broken surrogates',
    ],
    [{ custom: 'a b' }, 'custom must be 1 to 64 letters, digits, hyphens or underscores'],
    [{ custom: 'API' }, 'custom is a reserved word'],
    [{ custom: 7 }, 'custom must be a string'],
    [{ custom: 'x'.repeat(65) }, 'custom must be 1 to 64 letters, digits, hyphens or underscores'],
    [
      { type: 'nonsense' },
      'type must be direct, frame, splash, the id of a splash page or overlay-<id>',
    ],
    [{ type: 12 }, 'type must be a string'],
    [{ type: '999999' }, 'type names a splash page that does not exist'],
    [{ type: 'overlay-999999' }, 'type names an overlay that does not exist'],
    [{ password: 5 }, 'password must be a string'],
    [{ password: 'x'.repeat(201) }, 'password must not have more than 200 characters'],
    [{ domain: 'unknown.example' }, 'domain is not a domain of this account'],
    [{ domain: {} }, 'domain must be a string'],
    [{ expiry: 'tomorrow' }, 'expiry must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD'],
    [{ expiry: '2020-01-01' }, 'expiry must be in the future'],
    [{ expiry: 1 }, 'expiry must be a string'],
    [{ geotarget: 'DE' }, 'geotarget must be an array'],
    [
      { geotarget: [{ location: 'Atlantis', link }] },
      'geotarget[0].location is not a known location: Atlantis',
    ],
    [
      {
        geotarget: [
          { location: 'DE', link },
          { location: 'Germany', link },
        ],
      },
      'geotarget[1].location is listed twice: Germany',
    ],
    [{ geotarget: [{ location: 'DE' }] }, 'geotarget[0].link is required'],
    [{ geotarget: [{ link }] }, 'geotarget[0].location is required'],
    [
      { geotarget: [{ location: 'DE', link: 'x' }] },
      'geotarget[0].link must be a valid http or https URL',
    ],
    [{ geotarget: ['DE'] }, 'geotarget[0] must be an object'],
    [
      { devicetarget: [{ device: 'toaster', link }] },
      'devicetarget[0].device is not a known device: toaster',
    ],
    [{ devicetarget: [{ device: 'ipad', link: 5 }] }, 'devicetarget[0].link must be a string'],
    [
      { languagetarget: [{ language: 'xx-yy-zz', link }] },
      'languagetarget[0].language is not a known language: xx-yy-zz',
    ],
    [{ languagetarget: {} }, 'languagetarget must be an array'],
    [{ parameters: 'a=b' }, 'parameters must be an array'],
    [{ parameters: [{ name: 5, value: 'x' }] }, 'parameters[0].name must be a string'],
    [
      { parameters: Array.from({ length: 101 }, () => ({ name: 'a' })) },
      'parameters must not have more than 100 items',
    ],
    [{ metatitle: 5 }, 'metatitle must be a string'],
    [{ metatitle: 'x'.repeat(513) }, 'metatitle must not have more than 512 characters'],
    [
      { metadescription: '\ud800' },
      'metadescription must be text without NUL characters or broken surrogates',
    ],
    [{ metaimage: 'data:image/png,x' }, 'metaimage must be a valid http or https URL'],
    [{ pixels: [0] }, 'pixels[0] must be >= 1'],
    [{ pixels: ['a'] }, 'pixels[0] must be an integer'],
    [{ pixels: [999_999] }, 'pixels names a pixel that does not exist'],
  ])('%j: %s', async (fields, message) => {
    const reply = await add(Object.keys(fields).length === 0 ? {} : { url: target, ...fields })
    expect(reply.json()).toEqual({ error: 1, message })
    expect(reply.statusCode).toBe(400)
  })

  test('refuses splash pages, overlays, pixels and domains of another account', async () => {
    const other = await t.make.owner()
    const [splash, overlay, pixel, domain] = [
      await t.make.splash(other),
      await t.make.overlay(other),
      await t.make.pixel(other),
      await t.make.domain(other, { domain: 'https://other.example' }),
    ]
    for (const [fields, message] of [
      [{ type: String(splash.id) }, 'type names a splash page that does not exist'],
      [{ type: `overlay-${overlay.id}` }, 'type names an overlay that does not exist'],
      [{ pixels: [pixel.id] }, 'pixels names a pixel that does not exist'],
      [{ domain: domain.host }, 'domain is not a domain of this account'],
    ] as const) {
      const reply = await add({ url: target, ...fields })
      expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
    }
  })

  test('gives an alias that 50 want at once to exactly one of them', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => add({ url: target, custom: 'contested' })),
    )
    const won = replies.filter(({ statusCode }) => statusCode === 200)
    const lost = replies.filter(({ statusCode }) => statusCode === 409)
    expect([won.length, lost.length]).toEqual([1, 49])
    expect(lost[0]?.json()).toEqual({
      error: 1,
      message: 'That alias is taken. Please choose another one.',
    })
  })

  test('tells aliases apart by case', async () => {
    expect((await add({ url: target, custom: 'Case' })).statusCode).toBe(200)
    expect((await add({ url: target, custom: 'case' })).statusCode).toBe(200)
    expect((await add({ url: target, custom: 'Case' })).statusCode).toBe(409)
  })

  test('gives one alias out on every domain, and prints the domain in its short URL', async () => {
    const domain = await t.make.domain(owner, { domain: 'https://go.example' })
    const reply = await add({ url: target, custom: 'Case', domain: domain.host })
    expect(reply.json()).toMatchObject({ error: 0, shorturl: 'https://go.example/Case' })
  })
})

describe('PUT /api/url/{id}/update', () => {
  const full = {
    url: target,
    type: 'frame',
    password: 'secret',
    expiry: '2099-01-01',
    geotarget: [{ location: 'DE', link: 'https://example.com/de' }],
    devicetarget: [{ device: 'mac', link: 'https://example.com/mac' }],
    languagetarget: [{ language: 'fr', link: 'https://example.com/fr' }],
    parameters: [{ name: 'a', value: 'b' }],
    metatitle: 'Title',
    metadescription: 'Description',
  }

  test('changes what is given and leaves what is absent or null', async () => {
    const { id } = (await add(full)).json()
    const before = (await details(id)).details
    const reply = await send('PUT', `/api/url/${id}/update`, {
      url: 'https://example.com/new',
      metatitle: 'New',
      password: null,
      geotarget: null,
      expiry: null,
    })
    expect(reply.json()).toEqual({ error: 0, id, short: before.shorturl })
    expect((await details(id)).details).toEqual({
      ...before,
      longurl: 'https://example.com/new',
      title: 'New',
    })
  })

  test('clears what is given as "" or []', async () => {
    const { id } = (await add(full)).json()
    const payload = {
      url: target,
      type: '',
      password: '',
      expiry: '',
      geotarget: [],
      devicetarget: '',
      languagetarget: [],
      parameters: [],
      metatitle: '',
      metadescription: '',
      custom: '',
    }
    expect((await send('PUT', `/api/url/${id}/update`, payload)).statusCode).toBe(200)
    expect((await details(id)).details).toMatchObject({
      type: 'direct',
      password: false,
      expiry: null,
      location: {},
      device: {},
      language: {},
      parameters: [],
      title: 'example.com',
      description: '',
    })
  })

  test('moves a link to another alias: the new one works at once, the old one is free', async () => {
    const { id } = (await add({ url: target, custom: 'before' })).json()
    expect((await t.request({ url: '/before' })).statusCode).toBe(302)
    const reply = await send('PUT', `/api/url/${id}/update`, { url: target, custom: 'after' })
    expect(reply.json()).toEqual({ error: 0, id, short: 'http://brev.test/after' })
    expect((await t.request({ url: '/before' })).statusCode).toBe(404)
    expect((await t.request({ url: '/after' })).statusCode).toBe(302)
    expect((await add({ url: target, custom: 'before' })).statusCode).toBe(200)
  })

  test('refuses an alias that is taken and changes nothing', async () => {
    await add({ url: target, custom: 'occupied' })
    const { id } = (await add(full)).json()
    const before = await details(id)
    const reply = await send('PUT', `/api/url/${id}/update`, {
      url: 'https://example.com/lost',
      custom: 'occupied',
    })
    expect(reply.statusCode).toBe(409)
    expect(await details(id)).toEqual(before)
  })

  test.each([
    [{}, 'url is required'],
    [{ url: '' }, 'url is required'],
    [{ url: 'nonsense' }, 'url must be a valid http or https URL'],
    [{ url: target, expiry: '2000-01-01' }, 'expiry must be in the future'],
    [{ url: target, geotarget: 'x' }, 'geotarget must be an array'],
    [{ url: target, metatitle: 5 }, 'metatitle must be a string'],
  ])('%j: %s', async (payload, message) => {
    const { id } = (await add(full)).json()
    const reply = await send('PUT', `/api/url/${id}/update`, payload)
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
  })
})

describe('DELETE /api/url/{id}/delete', () => {
  test('deletes the link, its clicks and its place in lists', async () => {
    const by = await t.make.owner()
    const { id, alias } = await t.make.link(by)
    await t.request({ url: `/${alias}` })
    await t.importClicks()
    expect((await details(id, by)).data.clicks).toBe(1)
    const reply = await send('DELETE', `/api/url/${id}/delete`, undefined, by)
    expect(reply.json()).toEqual({ error: 0, message: 'Link has been deleted successfully.' })
    expect((await t.request({ url: `/${alias}` })).statusCode).toBe(404)
    const list = await send('GET', '/api/urls', undefined, by)
    expect(list.json().data).toMatchObject({ result: 0, urls: [] })
    const { db } = t.services.database
    for (const table of [
      'click_totals',
      'click_days',
      'click_labels',
      'click_visitors',
      'clicks',
    ] as const) {
      expect(
        await db.selectFrom(table).where('link_id', '=', id).select('link_id').execute(),
      ).toEqual([])
    }
  })

  test('of one link by many at once succeeds once', async () => {
    const by = await t.make.owner()
    const { id } = await t.make.link(by)
    const replies = await Promise.all([
      ...Array.from({ length: 8 }, () => send('DELETE', `/api/url/${id}/delete`, undefined, by)),
      ...Array.from({ length: 8 }, () => send('PUT', `/api/url/${id}/update`, { url: target }, by)),
    ])
    const statuses = replies.map(({ statusCode }) => statusCode)
    expect(statuses.slice(0, 8).filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.every((status) => status === 200 || status === 404)).toBe(true)
  })
})

describe('GET /api/urls', () => {
  test('pages through the account’s own links, newest first', async () => {
    const by = await t.make.owner()
    const made = []
    for (let index = 0; index < 17; index += 1) made.push(await t.make.link(by))
    const ids = made.map(({ id }) => id).reverse()
    const first = (await send('GET', '/api/urls', undefined, by)).json()
    expect(first).toMatchObject({
      error: '0',
      data: { result: 17, perpage: 15, currentpage: 1, nextpage: 2, maxpage: 2 },
    })
    expect(first.data.urls.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, 15))
    expect(first.data.urls[0]).toEqual({
      id: ids[0],
      alias: made[16]?.alias,
      shorturl: made[16]?.shortUrl,
      longurl: target,
      clicks: 0,
      title: 'example.com',
      description: '',
      date: expect.stringMatching(/^\d{4}-/),
    })
    const pages = []
    for (let page = 1; page <= 6; page += 1) {
      const { data } = (await send('GET', `/api/urls?limit=3&page=${page}`, undefined, by)).json()
      expect(data).toMatchObject({ perpage: 3, nextpage: Math.min(page + 1, 6), maxpage: 6 })
      pages.push(...data.urls.map(({ id }: { id: number }) => id))
    }
    expect(pages).toEqual(ids)
    const past = (await send('GET', '/api/urls?page=99', undefined, by)).json()
    expect(past.data).toEqual({
      result: 17,
      perpage: 15,
      currentpage: 99,
      nextpage: 2,
      maxpage: 2,
      urls: [],
    })
  })

  test('orders by clicks, then newest', async () => {
    const by = await t.make.owner()
    const links: { id: number; alias: string }[] = []
    for (let index = 0; index < 5; index += 1) links.push(await t.make.link(by))
    for (const [index, visits] of [2, 0, 5, 2, 0].entries()) {
      for (let visit = 0; visit < visits; visit += 1)
        await t.request({ url: `/${links[index]?.alias}` })
    }
    await t.importClicks()
    const order = [2, 3, 0, 4, 1].map((index) => links[index]?.id ?? 0)
    const all = (await send('GET', '/api/urls?order=click', undefined, by)).json().data.urls
    expect(all.map(({ id }: { id: number }) => id)).toEqual(order)
    expect(all.map(({ clicks }: { clicks: number }) => clicks)).toEqual([5, 2, 2, 0, 0])
    for (let page = 1; page <= 5; page += 1) {
      const url = `/api/urls?order=click&limit=1&page=${page}`
      expect((await send('GET', url, undefined, by)).json().data.urls[0].id).toBe(order[page - 1])
    }
    const other = (await send('GET', '/api/urls?order=nonsense', undefined, by)).json().data.urls
    expect(other[0].id).toBe(links[4]?.id)
  })

  test('caps the limit at 1000 and refuses what is no positive integer', async () => {
    const capped = (await send('GET', '/api/urls?limit=5000')).json()
    expect(capped.data.perpage).toBe(1000)
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=-1', 'limit'],
      ['limit=abc', 'limit'],
      ['limit=1.5', 'limit'],
      ['page=0', 'page'],
      ['page=1e3', 'page'],
      ['page=99999999999999999999', 'page'],
    ]) {
      const reply = await send('GET', `/api/urls?${query}`)
      expect([reply.statusCode, reply.json()]).toEqual([
        400,
        { error: 1, message: `${field} must be a positive integer` },
      ])
    }
    expect((await send('GET', '/api/urls?limit=&page=')).statusCode).toBe(200)
    expect((await send('GET', '/api/urls?page=999999999999999')).json().data.urls).toEqual([])
  })

  test('finds one link by its short URL, with its clicks', async () => {
    const by = await t.make.owner()
    const link = await t.make.link(by, { custom: 'märz' })
    await t.make.link(by)
    await t.request({ url: `/${encodeURIComponent('märz')}` })
    await t.importClicks()
    for (const short of [
      'http://brev.test/m%C3%A4rz',
      'brev.test/märz',
      'https://BREV.test/märz',
    ]) {
      const { data } = (
        await send('GET', `/api/urls?short=${encodeURIComponent(short)}`, undefined, by)
      ).json()
      expect(data).toMatchObject({
        result: 1,
        maxpage: 1,
        clicks: 1,
        urls: [{ id: link.id, clicks: 1 }],
      })
    }
    for (const short of ['brev.test/none', 'other.example/märz', 'nonsense', 'brev.test/']) {
      const { data } = (await send('GET', `/api/urls?short=${short}`, undefined, by)).json()
      expect(data).toEqual({
        result: 0,
        perpage: 15,
        currentpage: 1,
        nextpage: 1,
        maxpage: 1,
        urls: [],
      })
    }
    const foreign = await send('GET', '/api/urls?short=brev.test/märz')
    expect(foreign.json().data.urls).toEqual([])
  })
})

test('ids of another account, of a deleted link and of nothing are the same 404 and do nothing', async () => {
  const other = await t.make.owner()
  const foreign = await t.make.link(other)
  const deleted = await t.make.link(owner)
  await t.services.links.delete(owner.account.id, deleted.id)
  const before = await details(foreign.id, other)
  for (const [method, path, payload] of [
    ['GET', '', undefined],
    ['PUT', '/update', { url: 'https://example.com/stolen' }],
    ['DELETE', '/delete', undefined],
  ] as const) {
    const bodies = []
    for (const id of [
      foreign.id,
      deleted.id,
      987_654_321,
      '0',
      '-1',
      '1.5',
      'x',
      '9007199254740993',
    ]) {
      const reply = await send(method, `/api/url/${id}${path}`, payload)
      expect(reply.statusCode).toBe(404)
      bodies.push(reply.body)
    }
    expect(new Set(bodies).size).toBe(1)
  }
  expect(await details(foreign.id, other)).toEqual(before)
})

describe('POST /api/urls/add', () => {
  test('makes many links in one request and says of each what became of it', async () => {
    const reply = await send('POST', '/api/urls/add', {
      urls: [
        { url: target },
        { url: 'nonsense' },
        { url: target, custom: 'batched' },
        5,
        { url: target, custom: 'batched' },
      ],
    })
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({
      error: 0,
      results: [
        { error: 0, id: expect.any(Number), shorturl: expect.any(String) },
        { error: 1, message: 'url must be a valid http or https URL' },
        { error: 0, id: expect.any(Number), shorturl: 'http://brev.test/batched' },
        { error: 1, message: 'The request body must be a JSON object.' },
        { error: 1, message: 'That alias is taken. Please choose another one.' },
      ],
    })
  })

  test.each([
    [{}, 'urls is required'],
    [{ urls: [] }, 'urls must not have fewer than 1 items'],
    [{ urls: 'x' }, 'urls must be an array'],
    [
      { urls: Array.from({ length: 101 }, () => ({ url: target })) },
      'urls must not have more than 100 items',
    ],
  ])('refuses %j', async (payload, message) => {
    const reply = await send('POST', '/api/urls/add', payload)
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
  })
})

describe('Idempotency-Key', () => {
  const once = (key: string, payload: object, by = owner, url = '/api/url/add') =>
    t.request({ method: 'POST', url, headers: { ...by.headers, 'idempotency-key': key }, payload })

  test('replays the first reply to the same request', async () => {
    const first = await once('one', { url: target })
    const again = await once('one', { url: target })
    expect(again.statusCode).toBe(200)
    expect(again.json()).toEqual(first.json())
  })

  test('makes one thing of ten that come at the same moment', async () => {
    const by = await t.make.owner()
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => once('two', { url: target }, by)),
    )
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
    expect((await send('GET', '/api/urls', undefined, by)).json().data.result).toBe(1)
  })

  test('refuses another request under the same key', async () => {
    await once('three', { url: target })
    for (const reply of [
      await once('three', { url: 'https://example.com/other' }),
      await once('three', { urls: [{ url: target }] }, owner, '/api/urls/add'),
    ]) {
      expect(reply.statusCode).toBe(409)
      expect(reply.json().message).toBe(
        'This Idempotency-Key was already used for another request.',
      )
    }
  })

  test('is each account’s own, and a refused request may be sent again', async () => {
    const other = await t.make.owner()
    const mine = await once('four', { url: target })
    const theirs = await once('four', { url: target }, other)
    expect(theirs.json().id).not.toBe(mine.json().id)
    expect((await once('five', { url: 'nonsense' })).statusCode).toBe(400)
    expect((await once('five', { url: target })).statusCode).toBe(200)
  })

  test('has 1 to 255 characters', async () => {
    expect((await once('x'.repeat(255), { url: target })).statusCode).toBe(200)
    for (const key of ['', 'x'.repeat(256)]) {
      const reply = await once(key, { url: target })
      expect([reply.statusCode, reply.json().message]).toEqual([
        400,
        'Idempotency-Key must be 1 to 255 characters long',
      ])
    }
  })

  test('is forgotten after a day', async () => {
    const first = await once('six', { url: target })
    await t.services.database.db
      .updateTable('idempotency_keys')
      .set({ created_at: new Date(Date.now() - 86_401_000) })
      .where('key', '=', 'six')
      .execute()
    const next = await once('six', { url: 'https://example.com/other' })
    expect(next.statusCode).toBe(200)
    expect(next.json().id).not.toBe(first.json().id)
  })
})

test('LIST_ERROR=number sends the integer 0 on lists', async () => {
  const numbers = await testApp({ env: { LIST_ERROR: 'number' } })
  const { headers } = await numbers.make.owner()
  const reply = await numbers.request({ url: '/api/urls', headers })
  await numbers.close()
  expect(reply.json().error).toBe(0)
})

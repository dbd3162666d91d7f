import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../src/db/listen.ts'
import { type TestApp, testApp } from './support/app.ts'
import type { Owner } from './support/make.ts'
import { readCode } from './support/read-code.ts'

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
const add = (payload: object, by = owner) => send('POST', '/api/qr/add', payload, by)
const update = (id: number, payload: object, by = owner) =>
  send('PUT', `/api/qr/${id}/update`, payload, by)
const details = async (id: number, by = owner) =>
  (await send('GET', `/api/qr/${id}`, undefined, by)).json()
const made = async (payload: object, by = owner): Promise<{ id: number; link: string }> => {
  const reply = await add(payload, by)
  expect([reply.statusCode, reply.body]).toEqual([200, reply.body])
  return reply.json()
}
/** What the picture of a code says. */
const scan = async (link: string) => {
  const reply = await t.request({ url: new URL(link).pathname })
  expect(reply.statusCode).toBe(200)
  return readCode(reply.rawPayload)
}
/** The answer to a visitor who scanned a dynamic code. */
const follow = async (link: string) =>
  t.request({ url: new URL((await scan(link)) ?? '').pathname })
const rowOf = (id: number) =>
  t.services.database.db
    .selectFrom('qr_codes')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const traces = async (linkId: number | null) => {
  const { db } = t.services.database
  const rows = [
    ...(await db.selectFrom('links').select('id').where('id', '=', linkId).execute()),
    ...(await db
      .selectFrom('click_totals')
      .select('link_id')
      .where('link_id', '=', linkId)
      .execute()),
    ...(await db.selectFrom('clicks').select('link_id').where('link_id', '=', linkId).execute()),
  ]
  return rows.length
}

const target = 'https://example.com/menu'
const imageUrl = /^http:\/\/brev\.test\/qr\/[A-Za-z2-9]{7}$/
const shortUrl = /^http:\/\/brev\.test\/[A-Za-z2-9]{7}$/
const timestamp = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const none = {
  clicks: 0,
  uniqueClicks: 0,
  topCountries: 0,
  topReferrers: 0,
  topBrowsers: 0,
  topOs: 0,
  socialCount: { facebook: 0, twitter: 0, instagram: 0 },
}

describe('POST /api/qr/add', () => {
  test.each([
    ['text', 'Hello\nworld', 'Hello\nworld'],
    [
      'email',
      { email: 'jo@example.com', subject: 'Hi there' },
      'mailto:jo@example.com?subject=Hi%20there',
    ],
    ['email', 'jo@example.com', 'mailto:jo@example.com'],
    ['phone', '+49 30 1234', 'tel:+49301234'],
    ['phone', 491234, 'tel:491234'],
    ['phone', [{ phone: '+491234' }], 'tel:+491234'],
    ['sms', { phone: '+491234', message: 'Hi' }, 'SMSTO:+491234:Hi'],
    [
      'wifi',
      { ssid: 'a;b', encryption: 'wpa', password: 'secret12' },
      'WIFI:T:WPA;S:a\\;b;P:secret12;;',
    ],
    [
      'vcard',
      'BEGIN:VCARD\nVERSION:3.0\nFN:Jo\nEND:VCARD',
      'BEGIN:VCARD\nVERSION:3.0\nFN:Jo\nEND:VCARD',
    ],
    [
      'vcard',
      { fname: 'Jo', lname: 'Doe' },
      'BEGIN:VCARD\r\nVERSION:3.0\r\nN:Doe;Jo;;;\r\nFN:Jo Doe\r\nEND:VCARD\r\n',
    ],
  ])('makes a static code of a %s', async (type, data, payload) => {
    const reply = await add({ type, data, unknown: 'ignored' })
    const { id, link } = reply.json()
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      { error: 0, id: expect.any(Number), link: expect.stringMatching(imageUrl) },
    ])
    expect(await scan(link)).toBe(payload)
    expect(await details(id)).toEqual({
      error: 0,
      details: {
        id,
        link,
        scans: 0,
        name: `QR code ${id}`,
        date: expect.stringMatching(timestamp),
      },
      data: none,
    })
    expect(await rowOf(id)).toMatchObject({
      account_id: owner.account.id,
      type,
      payload,
      link_id: null,
      foreground: null,
      background: null,
      logo: null,
    })
  })

  test('makes a dynamic code of a link, through a link that no list shows', async () => {
    const by = await t.make.owner()
    const { id, link } = await made({ type: 'link', data: 'HTTPS://Example.com/menu' }, by)
    expect(await scan(link)).toMatch(shortUrl)
    const visit = await follow(link)
    expect([visit.statusCode, visit.headers.location]).toEqual([302, target])
    const { link_id: linkId } = await rowOf(id)
    expect((await send('GET', '/api/urls', undefined, by)).json().data).toMatchObject({
      result: 0,
      urls: [],
    })
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', '/delete'],
    ] as const) {
      const reply = await send(method, `/api/url/${linkId}${path}`, undefined, by)
      expect(reply.statusCode).toBe(404)
    }
  })

  test('takes every field', async () => {
    const { id, link } = await made({
      type: 'text',
      data: 'colourful',
      name: '  Door sign ',
      background: 'rgb( 255, 250,240 )',
      foreground: 'RGB(10,20,30)',
    })
    expect(await rowOf(id)).toMatchObject({
      name: 'Door sign',
      background: 'rgb(255,250,240)',
      foreground: 'rgb(10,20,30)',
    })
    const svg = (await t.request({ url: `${new URL(link).pathname}.svg` })).body
    expect(svg).toContain('fill="rgb(255,250,240)"')
    expect(svg).toContain('fill="rgb(10,20,30)"')
    expect(await scan(link)).toBe('colourful')
  })

  test('treats null, "" and false in optional fields as absent', async () => {
    for (const nothing of [null, '', false]) {
      const optional = { name: nothing, background: nothing, foreground: nothing, logo: nothing }
      const { id } = await made({ type: 'text', data: 'x', ...optional })
      expect(await rowOf(id)).toMatchObject({ name: `QR code ${id}`, background: null, logo: null })
    }
  })

  test('leads a code to a short link of the service, also of a branded domain', async () => {
    await t.make.domain(owner, { domain: 'https://qr.brand.test' })
    const { shortUrl: own } = await t.make.link(owner)
    const { shortUrl: branded } = await t.make.link(owner, { domain: 'qr.brand.test' })
    for (const data of [own, branded]) {
      const { link } = await made({ type: 'link', data })
      expect((await follow(link)).headers.location).toBe(data)
    }
  })

  test('leads no code to a code, which could go round in a circle', async () => {
    const { link } = await made({ type: 'link', data: target })
    const inner = (await scan(link)) ?? ''
    for (const data of [inner, `${inner}?a=b#c`, inner.replace('http:', 'HTTPS:'), `${inner}/`]) {
      const reply = await add({ type: 'link', data })
      expect([reply.statusCode, reply.json().message]).toEqual([
        400,
        'data must not be the address that a QR code leads through',
      ])
    }
    expect((await add({ type: 'link', data: link })).statusCode).toBe(200)
  })

  const long = 'x'.repeat(9000)
  test.each([
    [{ data: 'x' }, 'type is required'],
    [{ type: '', data: 'x' }, 'type is required'],
    [{ type: null, data: 'x' }, 'type is required'],
    [{ type: 5, data: 'x' }, 'type must be a string'],
    [{ type: 'TEXT', data: 'x' }, 'type must be one of text, vcard, link, email, phone, sms, wifi'],
    [{ type: 'text' }, 'data is required'],
    [{ type: 'text', data: '' }, 'data is required'],
    [{ type: 'text', data: null }, 'data is required'],
    [{ type: 'text', data: false }, 'data is required'],
    [{ type: 'text', data: '  ' }, 'data is required'],
    [{ type: 'text', data: true }, 'data must be a string'],
    [{ type: 'text', data: 1.5 }, 'data must be a string'],
    [{ type: 'text', data: {} }, 'data must be a string'],
    [{ type: 'text', data: [] }, 'data must be a string'],
    [{ type: 'text', data: ['a', 'b'] }, 'data must be a string'],
    [{ type: 'text', data: 'a\u0000b' }, 'data must not contain control characters'],
    [{ type: 'text', data: '\ud800' }, 'data must be valid Unicode text'],
    [{ type: 'text', data: long }, 'data must have at most 7089 characters'],
    [{ type: 'text', data: long.slice(0, 3000) }, 'data is too long for a QR code'],
    [{ type: 'link', data: 'nonsense' }, 'data must be an http or https URL'],
    [{ type: 'link', data: 'java\nscript:alert(1)' }, 'data must not contain control characters'],
    [{ type: 'link', data: 'ftp://example.com/' }, 'data must be an http or https URL'],
    [
      { type: 'link', data: 'https://a:b@example.com/' },
      'data must not contain a user name or password',
    ],
    [
      { type: 'link', data: `https://example.com/${long}` },
      'data must have at most 8192 characters',
    ],
    [
      { type: 'link', data: `https://example.com/${'ä'.repeat(4000)}` },
      'data must be at most 8192 bytes',
    ],
    [{ type: 'email', data: 'nobody' }, 'data must be an e-mail address'],
    [{ type: 'email', data: { subject: 'x' } }, 'data.email is required'],
    [{ type: 'phone', data: 'call me' }, 'data must be a phone number'],
    [{ type: 'sms', data: { phone: '1', message: {} } }, 'data.message must be a string'],
    [
      { type: 'wifi', data: 'x' },
      'data must be an object with ssid, encryption, password and hidden',
    ],
    [{ type: 'wifi', data: { ssid: 'x', encryption: 'wpa' } }, 'data.password is required'],
    [
      { type: 'wifi', data: { ssid: 'x', encryption: 'rot13' } },
      'data.encryption must be wpa, wep or none',
    ],
    [{ type: 'vcard', data: {} }, 'data.fname is required'],
    [
      { type: 'vcard', data: 'x' },
      'data must be an object of contact fields or text beginning BEGIN:VCARD',
    ],
    [{ type: 'text', data: 'x', name: 5 }, 'name must be a string'],
    [{ type: 'text', data: 'x', name: ' ' }, 'name must not be empty'],
    [
      { type: 'text', data: 'x', name: 'n'.repeat(201) },
      'name must not have more than 200 characters',
    ],
    [
      { type: 'text', data: 'x', name: '\u0000' },
      'name must be text without NUL characters or broken surrogates',
    ],
    [
      { type: 'text', data: 'x', foreground: 'red' },
      'foreground must be a color in the form rgb(R,G,B)',
    ],
    [
      { type: 'text', data: 'x', background: '#ffffff' },
      'background must be a color in the form rgb(R,G,B)',
    ],
    [
      { type: 'text', data: 'x', background: 'rgb(256,0,0)' },
      'background must have values from 0 to 255',
    ],
    [{ type: 'text', data: 'x', background: [] }, 'background must be a string'],
    [{ type: 'text', data: 'x', foreground: 7 }, 'foreground must be a string'],
    [
      { type: 'text', data: 'x', foreground: 'rgb(250,250,250)' },
      'foreground has too little contrast to background for the code to be scanned',
    ],
    [
      { type: 'text', data: 'x', background: 'rgb(9,9,9)' },
      'background has too little contrast to foreground for the code to be scanned',
    ],
    [
      { type: 'text', data: 'x', foreground: 'rgb(255,255,255)', background: 'rgb(0,0,0)' },
      'foreground must be darker than background',
    ],
    [{ type: 'text', data: 'x', logo: {} }, 'logo must be a string'],
  ])('refuses %j', async (payload, message) => {
    const before = await send('GET', '/api/qr')
    const reply = await add(payload)
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
    expect((await send('GET', '/api/qr')).body).toBe(before.body)
  })

  test('is done once for one Idempotency-Key', async () => {
    const by = await t.make.owner()
    const headers = { ...by.headers, 'idempotency-key': 'code' }
    const payload = { type: 'link', data: target }
    const replies = await Promise.all(
      [1, 2, 3].map(() => t.request({ method: 'POST', url: '/api/qr/add', headers, payload })),
    )
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
    expect((await send('GET', '/api/qr', undefined, by)).json().data.result).toBe(1)
    expect((await follow(replies[0]?.json().link)).headers.location).toBe(target)
  })
})

describe('GET /api/qr', () => {
  test('lists pages of codes, newest first, with their scans', async () => {
    const by = await t.make.owner()
    const codes = []
    for (let index = 0; index < 7; index += 1) {
      codes.unshift(await made({ type: 'link', data: target, name: `Code ${index}` }, by))
    }
    await made({ type: 'text', data: 'of another account' })
    await follow(codes[0]?.link ?? '')
    await t.importClicks()
    const first = (await send('GET', '/api/qr?limit=3', undefined, by)).json()
    expect(first).toEqual({
      error: '0',
      data: {
        result: 7,
        perpage: 3,
        currentpage: 1,
        nextpage: 2,
        maxpage: 3,
        qrs: codes.slice(0, 3).map(({ id, link }, index) => ({
          id,
          link,
          scans: index === 0 ? 1 : 0,
          name: `Code ${6 - index}`,
          date: expect.stringMatching(timestamp),
        })),
      },
    })
    const ids = []
    for (const page of [1, 2, 3]) {
      const { data } = (await send('GET', `/api/qr?limit=3&page=${page}`, undefined, by)).json()
      ids.push(...data.qrs.map(({ id }: { id: number }) => id))
    }
    expect(ids).toEqual(codes.map(({ id }) => id))
    await send('DELETE', `/api/qr/${ids[0]}/delete`, undefined, by)
    const past = (await send('GET', '/api/qr?limit=3&page=9', undefined, by)).json()
    expect(past.data).toEqual({
      result: 6,
      perpage: 3,
      currentpage: 9,
      nextpage: 2,
      maxpage: 2,
      qrs: [],
    })
    expect((await send('GET', '/api/qr?limit=x')).json().message).toMatch(/^limit must be/)
  })
})

describe('a dynamic code', () => {
  test('counts its scans', async () => {
    const { id, link } = await made({ type: 'link', data: target })
    const { pathname } = new URL((await scan(link)) ?? '')
    const headers = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.36' }
    await t.request({ url: pathname, headers })
    await t.request({
      url: pathname,
      headers: { ...headers, referer: 'https://www.facebook.com/' },
    })
    await t.request({ url: pathname, headers, remoteAddress: '203.0.113.8' })
    await t.request({ url: pathname, method: 'HEAD', headers })
    await t.importClicks()
    const reply = await details(id)
    expect(reply.details.scans).toBe(3)
    expect(reply.data).toMatchObject({
      clicks: 3,
      uniqueClicks: 2,
      topReferrers: { 'Direct, email and other': '2', 'facebook.com': '1' },
      socialCount: { facebook: 1, twitter: 0, instagram: 0 },
    })
  })

  test('keeps its picture and its scans when its target changes', async () => {
    const { id, link } = await made({ type: 'link', data: target })
    const before = await scan(link)
    expect((await follow(link)).headers.location).toBe(target)
    const reply = await update(id, { data: 'https://example.com/other' })
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      { error: 0, message: 'QR code has been updated successfully.' },
    ])
    expect(await scan(link)).toBe(before)
    expect((await follow(link)).headers.location).toBe('https://example.com/other')
    await t.importClicks()
    expect((await details(id)).details.scans).toBe(2)
  })

  test('tells the other processes of its new target', async () => {
    const { id, link } = await made({ type: 'link', data: target })
    const alias = new URL((await scan(link)) ?? '').pathname.slice(1)
    const heard: string[] = []
    const listener = listen({
      url: t.databaseUrl,
      onChange: (change) => heard.push(JSON.stringify(change)),
      onLost: () => {},
      onRestored: () => {},
    })
    await expect.poll(() => listener.connected).toBe(true)
    const change = JSON.stringify({ kind: 'link', domainId: null, alias })
    await update(id, { data: 'https://example.com/other' })
    await expect.poll(() => heard).toEqual([change])
    await update(id, { type: 'text', data: 'static' })
    await expect.poll(() => heard).toEqual([change, change])
    await listener.close()
  })

  test('does not come to lead to itself', async () => {
    const { id, link } = await made({ type: 'link', data: target })
    const reply = await update(id, { data: await scan(link) })
    expect([reply.statusCode, reply.json().message]).toEqual([
      400,
      'data must not be the address that a QR code leads through',
    ])
    expect((await follow(link)).headers.location).toBe(target)
  })
})

describe('PUT /api/qr/{id}/update', () => {
  test('changes what a static code says and keeps the rest', async () => {
    const { id, link } = await made({
      type: 'text',
      data: 'one',
      name: 'Sign',
      foreground: 'rgb(0,0,90)',
      background: 'rgb(255,255,200)',
    })
    const before = await rowOf(id)
    for (const nothing of [undefined, null, false]) {
      const fields = { name: nothing, foreground: nothing, background: nothing, type: nothing }
      expect((await update(id, { data: 'two', ...fields })).statusCode).toBe(200)
      expect(await rowOf(id)).toEqual({ ...before, payload: 'two' })
    }
    expect(await scan(link)).toBe('two')
  })

  test('clears by "" the name, the colours and not the type', async () => {
    const fields = { name: 'Sign', foreground: 'rgb(0,0,90)', background: 'rgb(255,255,200)' }
    const { id } = await made({ type: 'text', data: 'one', ...fields })
    const payload = { data: 'one', name: '', foreground: '', background: '', logo: '', type: '' }
    expect((await update(id, payload)).statusCode).toBe(200)
    expect(await rowOf(id)).toMatchObject({
      type: 'text',
      name: `QR code ${id}`,
      foreground: null,
      background: null,
      logo: null,
    })
  })

  test('turns a static code into a dynamic one and back, with nothing left of its clicks', async () => {
    const { id, link } = await made({ type: 'text', data: 'one' })
    await update(id, { type: 'link', data: target })
    const scanned = await scan(link)
    expect(scanned).toMatch(shortUrl)
    expect((await follow(link)).headers.location).toBe(target)
    await t.importClicks()
    expect((await details(id)).data.clicks).toBe(1)
    const { link_id: linkId } = await rowOf(id)
    expect(await traces(linkId)).toBe(3)
    await update(id, { type: 'phone', data: '+491234' })
    expect(await scan(link)).toBe('tel:+491234')
    expect(await details(id)).toMatchObject({ details: { scans: 0 }, data: none })
    expect(await traces(linkId)).toBe(0)
    expect((await t.request({ url: new URL(scanned ?? '').pathname })).statusCode).toBe(404)
  })

  test('holds new colours against those that stay', async () => {
    const { id } = await made({ type: 'text', data: 'x', background: 'rgb(150,150,150)' })
    for (const [payload, field] of [
      [{ foreground: 'rgb(120,120,120)' }, 'foreground has'],
      [{ foreground: 'rgb(255,255,255)' }, 'foreground must be darker'],
      [{ background: 'rgb(1,1,1)' }, 'background has'],
    ] as const) {
      const reply = await update(id, { data: 'x', ...payload })
      expect([reply.statusCode, reply.json().message]).toEqual([
        400,
        expect.stringContaining(field),
      ])
    }
    expect(await rowOf(id)).toMatchObject({ background: 'rgb(150,150,150)', foreground: null })
  })

  test.each([
    [{}, 'data is required'],
    [{ data: '' }, 'data is required'],
    [{ data: null }, 'data is required'],
    [{ data: {} }, 'data must be a string'],
    [{ data: true }, 'data must be a string'],
    [
      { data: 'x', type: 'nonsense' },
      'type must be one of text, vcard, link, email, phone, sms, wifi',
    ],
    [{ data: 'x', type: 'link' }, 'data must be an http or https URL'],
    [{ data: 'x', name: 5 }, 'name must be a string'],
    [{ data: 'x', name: 'n'.repeat(201) }, 'name must not have more than 200 characters'],
    [{ data: 'x', background: 'blue' }, 'background must be a color in the form rgb(R,G,B)'],
    [{ data: 'x', foreground: 'rgb(1,2)' }, 'foreground must be a color in the form rgb(R,G,B)'],
    [{ data: 'y'.repeat(3000) }, 'data is too long for a QR code'],
  ])('refuses %j and leaves the code as it was', async (payload, message) => {
    const { id } = await made({ type: 'text', data: 'before' })
    const before = await rowOf(id)
    const reply = await update(id, payload)
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
    expect(await rowOf(id)).toEqual(before)
  })
})

describe('DELETE /api/qr/{id}/delete', () => {
  test('deletes a dynamic code with its link and its clicks', async () => {
    const { id, link } = await made({ type: 'link', data: target })
    const { pathname } = new URL((await scan(link)) ?? '')
    await t.request({ url: pathname })
    await t.importClicks()
    const { link_id: linkId } = await rowOf(id)
    expect(await traces(linkId)).toBe(3)
    const reply = await send('DELETE', `/api/qr/${id}/delete`)
    expect([reply.statusCode, reply.json()]).toEqual([
      200,
      { error: 0, message: 'QR code has been deleted successfully.' },
    ])
    expect(await traces(linkId)).toBe(0)
    expect((await t.request({ url: pathname })).statusCode).toBe(404)
    expect((await t.request({ url: new URL(link).pathname })).statusCode).toBe(404)
  })

  test('deletes a static code', async () => {
    const { id } = await made({ type: 'text', data: 'x' })
    expect((await send('DELETE', `/api/qr/${id}/delete`)).statusCode).toBe(200)
    expect((await send('GET', `/api/qr/${id}`)).statusCode).toBe(404)
  })
})

test('ids of another account, of a deleted code and of nothing are the same 404 and do nothing', async () => {
  const other = await t.make.owner()
  const foreign = await made({ type: 'link', data: target }, other)
  const deleted = await made({ type: 'text', data: 'x' })
  await send('DELETE', `/api/qr/${deleted.id}/delete`)
  const before = await rowOf(foreign.id)
  for (const [method, path, payload] of [
    ['GET', '', undefined],
    ['PUT', '/update', { data: 'https://example.com/stolen' }],
    ['DELETE', '/delete', undefined],
  ] as const) {
    const bodies = []
    for (const id of [foreign.id, deleted.id, 987_654_321, 0, -1, 1.5, 'x', '9007199254740993']) {
      const reply = await send(method, `/api/qr/${id}${path}`, payload)
      expect(reply.statusCode).toBe(404)
      bodies.push(reply.body)
    }
    expect(new Set(bodies).size).toBe(1)
  }
  expect(await rowOf(foreign.id)).toEqual(before)
  expect((await follow(foreign.link)).headers.location).toBe(target)
})

test('updates and deletions that meet leave the code or nothing of it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { id } = await made({ type: 'link', data: target })
    const { link_id: linkId } = await rowOf(id)
    const replies = await Promise.all([
      update(id, { data: 'https://example.com/a' }),
      update(id, { data: 'static', type: 'text' }),
      send('DELETE', `/api/qr/${id}/delete`),
      update(id, { data: 'https://example.com/b', type: 'link' }),
      send('DELETE', `/api/qr/${id}/delete`),
    ])
    const deleted = [replies[2], replies[4]].map((reply) => reply?.statusCode)
    expect(deleted.toSorted()).toEqual([200, 404])
    for (const { statusCode } of replies) expect([200, 404]).toContain(statusCode)
    expect(await traces(linkId)).toBe(0)
  }
  const { db } = t.services.database
  const orphans = await db
    .selectFrom('links')
    .leftJoin('qr_codes', 'qr_codes.link_id', 'links.id')
    .select('links.id')
    .where('links.kind', '=', 'qr')
    .where('qr_codes.id', 'is', null)
    .execute()
  expect(orphans).toEqual([])
})

import { describe, expect } from 'vitest'
import { NO_CLICKS } from '../support/no-clicks.ts'
import { qrClient } from '../support/qr-client.ts'
import { expectRejection } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner }) => {
  const { send, add, details, create, scan, follow, getRow } = qrClient({ app, owner })
  return { send, create, scan, follow, getRow, add, details }
})

const target = 'https://example.com/menu'
const imageUrl = /^http:\/\/brev\.test\/qr\/[A-Za-z2-9]{7}$/
const shortUrl = /^http:\/\/brev\.test\/[A-Za-z2-9]{7}$/
const timestamp = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

describe('POST /api/qr/add', () => {
  test.for([
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
  ] as const)(
    'creates a static code of the type %s',
    async ([type, data, payload], { owner, api: { add, details, scan, getRow } }) => {
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
        data: NO_CLICKS,
      })
      expect(await getRow(id)).toMatchObject({
        account_id: owner.account.id,
        type,
        payload,
        link_id: null,
        foreground: null,
        background: null,
        logo: null,
      })
    },
  )

  test('creates a dynamic code with a link that is not listed', async ({
    make,
    api: { send, create, scan, follow, getRow },
  }) => {
    const caller = await make.owner()
    const { id, link } = await create({ type: 'link', data: 'HTTPS://Example.com/menu' }, caller)
    expect(await scan(link)).toMatch(shortUrl)
    const visit = await follow(link)
    expect([visit.statusCode, visit.headers.location]).toEqual([302, target])
    const { link_id: linkId } = await getRow(id)
    expect((await send('GET', '/api/urls', undefined, caller)).json().data).toMatchObject({
      result: 0,
      urls: [],
    })
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', '/delete'],
    ] as const) {
      const reply = await send(method, `/api/url/${linkId}${path}`, undefined, caller)
      expect(reply.statusCode).toBe(404)
    }
  })

  test('accepts every field', async ({ request, api: { create, scan, getRow } }) => {
    const { id, link } = await create({
      type: 'text',
      data: 'colorful',
      name: '  Door sign ',
      background: 'rgb( 255, 250,240 )',
      foreground: 'RGB(10,20,30)',
    })
    expect(await getRow(id)).toMatchObject({
      name: 'Door sign',
      background: 'rgb(255,250,240)',
      foreground: 'rgb(10,20,30)',
    })
    const svg = (await request({ url: `${new URL(link).pathname}.svg` })).body
    expect(svg).toContain('fill="rgb(255,250,240)"')
    expect(svg).toContain('fill="rgb(10,20,30)"')
    expect(await scan(link)).toBe('colorful')
  })

  test('treats null, "" and false in optional fields as absent', async ({
    api: { create, getRow },
  }) => {
    for (const empty of [null, '', false]) {
      const optional = { name: empty, background: empty, foreground: empty, logo: empty }
      const { id } = await create({ type: 'text', data: 'x', ...optional })
      expect(await getRow(id)).toMatchObject({
        name: `QR code ${id}`,
        background: null,
        logo: null,
      })
    }
  })

  test("rejects another code's link as the destination, which could form a loop", async ({
    api: { add, create, scan },
  }) => {
    const { link } = await create({ type: 'link', data: target })
    const inner = (await scan(link)) ?? ''
    for (const data of [inner, `${inner}?a=b#c`, inner.replace('http:', 'HTTPS:'), `${inner}/`]) {
      const reply = await add({ type: 'link', data })
      expect([reply.statusCode, reply.json().message]).toEqual([
        400,
        'data must not be the URL in another QR code',
      ])
    }
    expect((await add({ type: 'link', data: link })).statusCode).toBe(200)
  })

  const long = 'x'.repeat(9000)
  test.for([
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
    [{ type: 'email', data: 'not an address' }, 'data must be an email address'],
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
  ] as const)('rejects %j', async ([payload, message], { api: { send, add } }) => {
    const before = await send('GET', '/api/qr')
    expectRejection(await add(payload), message)
    expect((await send('GET', '/api/qr')).body).toBe(before.body)
  })

  test('creates one code per Idempotency-Key', async ({ make, request, api: { send, follow } }) => {
    const caller = await make.owner()
    const headers = { ...caller.headers, 'idempotency-key': 'code' }
    const payload = { type: 'link', data: target }
    const replies = await Promise.all(
      [1, 2, 3].map(() => request({ method: 'POST', url: '/api/qr/add', headers, payload })),
    )
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
    expect((await send('GET', '/api/qr', undefined, caller)).json().data.result).toBe(1)
    expect((await follow(replies[0]?.json().link)).headers.location).toBe(target)
  })
})

import { describe, expect } from 'vitest'
import { resourceClient } from '../support/api-client.ts'
import { NO_CLICKS } from '../support/no-clicks.ts'
import { expectRejection } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner }) => {
  const { add, details } = resourceClient({ app, owner }, 'url')
  return { add, details }
})

const target = 'https://example.com/target'

describe('POST /api/url/add', () => {
  test('creates a link with a random alias', async ({ api: { add, details } }) => {
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
        tags: [],
        password: false,
        status: 'active',
        expiry: null,
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      },
      data: NO_CLICKS,
    })
  })

  test('accepts every field', async ({ app, make, owner, api: { add, details } }) => {
    const splash = await make.splash(owner)
    const pixel = await make.pixel(owner)
    const reply = await add({
      url: 'HTTPS://Example.com/a b',
      custom: 'Everything',
      type: String(splash.id),
      password: 'secret',
      domain: 'http://brev.test/',
      expiry: '2099-12-31T23:59:59.000Z',
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
    const row = await app.services.database.db
      .selectFrom('links')
      .selectAll()
      .where('id', '=', reply.json().id)
      .executeTakeFirstOrThrow()
    expect(row.password_hash).toMatch(/^\$argon2id\$/)
    expect(JSON.stringify(row)).not.toContain('ignored')
  })

  test('treats null, "" and false in optional fields as absent', async ({ api: { add } }) => {
    for (const emptyValue of [null, '', false]) {
      const optionalFields = [
        'custom',
        'type',
        'password',
        'domain',
        'expiry',
        'geotarget',
        'devicetarget',
        'languagetarget',
        'parameters',
        'metatitle',
        'metadescription',
        'metaimage',
        'pixels',
      ]
      const payload = Object.fromEntries(optionalFields.map((name) => [name, emptyValue]))
      expect((await add({ url: target, ...payload })).json()).toMatchObject({ error: 0 })
    }
  })

  test('creates a new link for each request', async ({ api: { add } }) => {
    const first = await add({ url: target })
    const second = await add({ url: target })
    expect(first.json().id).not.toBe(second.json().id)
  })

  const long = 'x'.repeat(9000)
  const link = 'https://example.com/'
  test.for([
    [{}, 'url is required'],
    [{ url: null }, 'url is required'],
    [{ url: '' }, 'url is required'],
    [{ url: 5 }, 'url must be a string'],
    [{ url: ['https://example.com'] }, 'url must be a string'],
    [{ url: 'example.com' }, 'url must be a valid http or https URL'],
    [{ url: 'java\nscript:alert(1)' }, 'url must be a valid http or https URL'],
    [{ url: 'https://a:b@example.com' }, 'url must not contain a user name or password'],
    [{ url: `https://example.com/${long}` }, 'url must be at most 8192 bytes'],
    [{ url: `https://example.com/${'é'.repeat(2000)}` }, 'url must be at most 8192 bytes'],
    [
      { rules: [{ when: { country: 'DE' }, to: `https://example.com/${'é'.repeat(2000)}` }] },
      expect.stringMatching(/^rules.*must be at most 8192 bytes$/),
    ],
    [{ url: 'http://brev.test/x' }, 'url must not lead to the short-link service itself'],
    [
      { url: 'https://example.com/\u0000' },
      'url must be text without NUL characters or broken surrogates',
    ],
    [{ custom: 'a b' }, 'custom must be 1 to 64 letters, digits, hyphens or underscores'],
    [{ custom: 'a\u200bb' }, 'custom must not contain the invisible character U+200B'],
    [{ custom: '\u3164' }, 'custom must not contain the invisible character U+3164'],
    [{ custom: 'o\u0338' }, 'custom must not contain the combining mark U+0338 in this position'],
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
  ] as const)('rejects %j: %s', async ([fields, message], { api: { add } }) => {
    const reply = await add(Object.keys(fields).length === 0 ? {} : { url: target, ...fields })
    expect(reply.json()).toEqual({ error: 1, message })
    expect(reply.statusCode).toBe(400)
  })

  test('rejects splash pages, overlays, pixels and domains of another account', async ({
    make,
    api: { add },
  }) => {
    const otherOwner = await make.owner()
    const splash = await make.splash(otherOwner)
    const overlay = await make.overlay(otherOwner)
    const pixel = await make.pixel(otherOwner)
    const domain = await make.domain(otherOwner, { domain: 'https://other.example' })
    for (const [fields, message] of [
      [{ type: String(splash.id) }, 'type names a splash page that does not exist'],
      [{ type: `overlay-${overlay.id}` }, 'type names an overlay that does not exist'],
      [{ pixels: [pixel.id] }, 'pixels names a pixel that does not exist'],
      [{ domain: domain.host }, 'domain is not a domain of this account'],
    ] as const) {
      const reply = await add({ url: target, ...fields })
      expectRejection(reply, message)
    }
  })

  test('accepts an alias for exactly one of 50 concurrent requests', async ({ api: { add } }) => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => add({ url: target, custom: 'contested' })),
    )
    const accepted = replies.filter(({ statusCode }) => statusCode === 200)
    const rejected = replies.filter(({ statusCode }) => statusCode === 409)
    expect([accepted.length, rejected.length]).toEqual([1, 49])
    expect(rejected[0]?.json()).toEqual({
      error: 1,
      message: 'That alias is taken. Please choose another one.',
    })
  })

  test('distinguishes aliases by case', async ({ api: { add } }) => {
    expect((await add({ url: target, custom: 'Case' })).statusCode).toBe(200)
    expect((await add({ url: target, custom: 'case' })).statusCode).toBe(200)
    expect((await add({ url: target, custom: 'Case' })).statusCode).toBe(409)
  })

  test('allows an alias that is taken on another domain, and returns a short URL on the domain', async ({
    make,
    owner,
    api: { add },
  }) => {
    const domain = await make.domain(owner, { domain: 'https://go.example' })
    await make.link(owner, { alias: 'on-two-domains' })
    const reply = await add({ url: target, custom: 'on-two-domains', domain: domain.host })
    expect(reply.json()).toMatchObject({ error: 0, shorturl: 'https://go.example/on-two-domains' })
  })
})

import sharp from 'sharp'
import { describe, expect } from 'vitest'
import { getQrLogo } from '../../src/qr/qr.service.ts'
import { baseStyle, codesTest, decodePreview, getQrRows } from '../support/codes.ts'
import { signedIn } from '../support/console.ts'

const test = codesTest()

async function createRedSquare(side = 40): Promise<Blob> {
  const picture = sharp({ create: { width: side, height: side, channels: 3, background: '#f00' } })
  return new Blob([new Uint8Array(await picture.png().toBuffer())], { type: 'image/png' })
}

describe('colors', () => {
  test.for([
    ['#000000', '#ffffff', '✓ Easy to scan'],
    ['#ff0000', '#ffffff', 'Low contrast: some phones may not scan this code.'],
    ['#808080', '#ffffff', 'Has too little contrast'],
    ['#ffffff', '#000000', 'Must be darker than the background'],
    ['red', '#ffffff', 'Must be a color in the form #rrggbb'],
  ] as const)(
    '%s on %s show "%s" in the preview',
    async ([foreground, background, message], { person }) => {
      const fields = { type: 'text', text: 'Hello', foreground, background }
      const reply = await person.send('/console/codes/preview', fields)
      expect([reply.statusCode, reply.body]).toEqual([200, expect.stringContaining(message)])
    },
  )

  test('that cannot be scanned are rejected with an error next to the field', async ({
    owner,
    app,
    person,
  }) => {
    const before = await getQrRows(app, owner.account.id)
    const fields = { type: 'text', text: 'Hello', foreground: '#eeeeee', background: '#ffffff' }
    const reply = await person.send('/console/codes', fields)
    expect([reply.statusCode, reply.body]).toEqual([
      422,
      expect.stringContaining('id="foreground-error"'),
    ])
    expect(await getQrRows(app, owner.account.id)).toEqual(before)
  })
})

describe('a logo', () => {
  const fields = { ...baseStyle, type: 'text', text: 'Hello' }

  test('is uploaded, shown in previews, preserved by changes and removed', async ({
    app,
    make,
  }) => {
    const owner = await make.owner()
    const person = await signedIn(app, owner)
    const logo = await createRedSquare()
    const preview = await person.send('/console/codes/preview', { ...fields, logo })
    expect(preview.statusCode).toBe(200)
    expect(await decodePreview(preview.body)).toBe('Hello')
    const created = await person.send('/console/codes', { ...fields, logo })
    const path = String(created.headers.location)
    const id = Number(path.split('/').at(-1))
    const stored = await getQrLogo({ db: app.services.db, accountId: owner.account.id }, id)
    expect([created.statusCode, Buffer.isBuffer(stored)]).toEqual([303, true])

    const emptyFile = new Blob([])
    await person.send(path, { ...fields, text: 'Hi', logo: emptyFile })
    expect(await getQrLogo({ db: app.services.db, accountId: owner.account.id }, id)).toEqual(
      stored,
    )
    const withLogo = await person.send(`${path}/preview`, fields)
    const withoutLogo = await person.send(`${path}/preview`, { ...fields, removeLogo: 'on' })
    expect(withLogo.body.length).toBeGreaterThan(withoutLogo.body.length)
    await person.send(path, { ...fields, removeLogo: 'on' })
    expect(await getQrLogo({ db: app.services.db, accountId: owner.account.id }, id)).toBeNull()
  })

  test.for([
    ['not an image', () => new Blob(['GIF89a']), 422, 'Must be a PNG or JPEG image.'],
    ['too large', () => new Blob([Buffer.alloc(1_048_577)]), 422, 'Must be at most 1 MiB.'],
    ['far too large', () => new Blob([Buffer.alloc(3_000_000)]), 413, 'too large'],
  ] as const)(
    'that is %s is rejected',
    async ([, logo, status, message], { app, person, owner }) => {
      const before = await getQrRows(app, owner.account.id)
      const reply = await person.send('/console/codes', { ...fields, logo: logo() })
      expect([reply.statusCode, reply.body]).toEqual([status, expect.stringContaining(message)])
      expect(await getQrRows(app, owner.account.id)).toEqual(before)
    },
  )

  test('that is a URL is not fetched for a preview', async ({ person }) => {
    const logoAddress = 'https://example.com/logo.png'
    const reply = await person.send('/console/codes/preview', { ...fields, logoAddress })
    expect([reply.statusCode, reply.body]).toEqual([
      200,
      expect.stringContaining('The logo loads when you save.'),
    ])
  })

  test('is accepted only in a valid form of a signed-in user', async ({ app, person }) => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const { cookie } = person
    const malformed = { method: 'POST', url: '/console/codes', payload: 'nothing' } as const
    expect((await app.request({ ...malformed, headers: { ...headers, cookie } })).statusCode).toBe(
      400,
    )
    expect((await app.request({ ...malformed, headers })).statusCode).toBe(303)
    const field = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'
    // Forms may have 64 fields.
    const tooManyFields = { ...malformed, payload: `${field.repeat(65)}--x--\r\n` }
    expect(
      (await app.request({ ...tooManyFields, headers: { ...headers, cookie } })).statusCode,
    ).toBe(400)
    // This form is valid, but has no token.
    const maxFields = { ...malformed, payload: `${field.repeat(64)}--x--\r\n` }
    expect((await app.request({ ...maxFields, headers: { ...headers, cookie } })).statusCode).toBe(
      403,
    )
    // Forms without files do not accept this content type.
    const otherForm = { ...malformed, url: '/console/campaigns', headers: { ...headers, cookie } }
    expect((await app.request(otherForm)).statusCode).toBe(415)
  })
})

import sharp from 'sharp'
import { describe, expect } from 'vitest'
import { getQrCode } from '../../src/qr/qr.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { readCode } from '../support/read-code.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('images', { scope: 'file' }, ({ owner, request }) => {
  const requestImage = (alias: string, query = '', headers = {}) =>
    request({ url: `/qr/${alias}${query}`, headers })
  const update = (id: number, payload: object) =>
    request({ method: 'PUT', url: `/api/qr/${id}/update`, headers: owner.headers, payload })
  return { requestImage, update }
})

describe('GET /qr/{alias}', () => {
  test('returns a PNG of 300 pixels, or the requested format and size', async ({
    make,
    owner,
    images: { requestImage },
  }) => {
    const { alias } = await make.qr(owner, { type: 'text', data: 'Hello' })
    for (const [file, query, type, format, size] of [
      ['', '', 'image/png', 'png', 300],
      ['.png', '', 'image/png', 'png', 300],
      ['', '?size=', 'image/png', 'png', 300],
      ['.png', '?size=100', 'image/png', 'png', 100],
      ['', '?size=2000', 'image/png', 'png', 2000],
      ['.svg', '', 'image/svg+xml', 'svg', 300],
      ['.svg', '?size=777', 'image/svg+xml', 'svg', 777],
    ] as const) {
      const reply = await requestImage(alias + file, query)
      expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, type])
      expect(reply.headers).toMatchObject({
        'cache-control': 'public, max-age=300',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; img-src data:",
        etag: expect.stringMatching(/^"[\w-]{43}"$/),
      })
      const meta = await sharp(reply.rawPayload).metadata()
      expect(meta).toMatchObject({ format, width: size, height: size })
      expect(await readCode(reply.rawPayload)).toBe('Hello')
    }
  })

  test.for(['99', '2001', '0', '-300', '300.5', '3e2', 'large', '0300px', '300&size=400'])(
    'rejects size=%s',
    async (size, { make, owner, images: { requestImage } }) => {
      const { alias } = await make.qr(owner)
      const reply = await requestImage(alias, `?size=${size}`)
      expect(reply.statusCode).toBe(400)
      expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(reply.body).toBe('size must be a whole number from 100 to 2000\n')
    },
  )

  test.for([
    'unknown',
    'unknown.png',
    '%00',
    '..%2f..',
    '%F0%9F%91%8D',
    'a.b.png',
    '.png',
    'x'.repeat(5000),
  ])('returns 404 for %s', async (file, { images: { requestImage } }) => {
    const reply = await requestImage(file)
    expect(reply.statusCode).toBe(404)
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
  })

  test('returns 404 for other extensions and hosts', async ({
    make,
    owner,
    images: { requestImage },
  }) => {
    const { alias } = await make.qr(owner)
    expect((await requestImage(`${alias}.gif`)).statusCode).toBe(404)
    expect((await requestImage(`${alias}.PNG`)).statusCode).toBe(404)
    expect((await requestImage(alias, '', { host: 'elsewhere.test' })).statusCode).toBe(404)
  })

  test('responds to HEAD like GET without the image', async ({
    make,
    owner,
    request,
    images: { requestImage },
  }) => {
    const { alias } = await make.qr(owner)
    const { headers } = await requestImage(alias)
    const head = await request({ method: 'HEAD', url: `/qr/${alias}` })
    expect([head.statusCode, head.body]).toEqual([200, ''])
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
      expect(head.headers[name]).toBe(headers[name])
    }
  })

  test('returns 304 until the code changes', async ({
    make,
    owner,
    images: { requestImage, update },
  }) => {
    const { id, alias } = await make.qr(owner, { type: 'text', data: 'one' })
    const { etag = '' } = (await requestImage(alias)).headers
    for (const etags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await requestImage(alias, '', { 'if-none-match': etags })
      expect([reply.statusCode, reply.body, reply.headers.etag]).toEqual([304, '', etag])
      expect(reply.headers['cache-control']).toBe('public, max-age=300')
    }
    const otherImages = [`${alias}.svg`, `${alias}?size=301`]
    for (const image of otherImages) {
      expect((await requestImage(image, '', { 'if-none-match': etag })).statusCode).toBe(200)
    }
    await update(id, { data: 'two' })
    const changed = await requestImage(alias, '', { 'if-none-match': etag })
    expect(changed.statusCode).toBe(200)
    expect(await readCode(changed.rawPayload)).toBe('two')
  })

  test('serves other visitors during a flood of requests from one network', async ({
    make,
    owner,
    request,
  }) => {
    const { alias } = await make.qr(owner, { type: 'text', data: 'flooded' })
    const completed: string[] = []
    const call = async (size: number, remoteAddress: string, source: string) => {
      const reply = await request({ url: `/qr/${alias}?size=${size}`, remoteAddress })
      expect(reply.statusCode).toBe(200)
      completed.push(source)
    }
    const flood = Array.from({ length: 64 }, (_, index) =>
      call(1900 + index, index % 2 ? '2001:db8::1' : '2001:db8::2', 'flood'),
    )
    const otherRequests = ['198.51.100.1', '198.51.100.2', '2001:db8:1::1'].map((address, index) =>
      call(500 + index, address, 'other'),
    )
    await Promise.all([...flood, ...otherRequests])
    expect(completed).toHaveLength(67)
    expect(completed.lastIndexOf('other')).toBeLessThan(32)
  })

  test('draws codes without a logo before queued codes with logos', async ({
    make,
    owner,
    request,
    app,
  }) => {
    const logo = await sharp({
      create: { width: 400, height: 400, channels: 3, background: '#c00' },
    })
      .png()
      .toBuffer()
    const codeWithLogo = await make.qr(owner)
    await app.services.database.db
      .updateTable('qr_codes')
      .set({ logo })
      .where('id', '=', codeWithLogo.id)
      .execute()
    const { alias } = await make.qr(owner)
    const completed: string[] = []
    const call = async (path: string, size: number, remoteAddress: string, source: string) => {
      const reply = await request({ url: `/qr/${path}?size=${size}`, remoteAddress })
      expect(reply.statusCode).toBe(200)
      expect((await sharp(reply.rawPayload).metadata()).width).toBe(size)
      completed.push(source)
    }
    const flood = Array.from({ length: 40 }, (_, index) =>
      call(codeWithLogo.alias, 1500 + index, `203.0.113.${index}`, 'flood'),
    )
    const otherRequests = [1, 2, 3, 4].map((n) => call(alias, 500 + n, `198.51.100.${n}`, 'other'))
    await Promise.all([...flood, ...otherRequests])
    expect(completed).toHaveLength(44)
    expect(completed.lastIndexOf('other')).toBeLessThan(22)
  })

  test('serves many concurrent requests without counting scans', async ({
    app,
    make,
    owner,
    images: { requestImage },
  }) => {
    const { id, alias } = await make.qr(owner)
    const replies = await Promise.all(Array.from({ length: 40 }, () => requestImage(alias)))
    expect(
      new Set(replies.map(({ statusCode, headers }) => `${statusCode} ${headers.etag}`)).size,
    ).toBe(1)
    expect(replies[0]?.statusCode).toBe(200)
    await app.importClicks()
    expect(await getQrCode(scopeOf(app.services, owner.account.id), id)).toMatchObject({
      scans: 0,
    })
  })
})

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { describe, expect, onTestFinished } from 'vitest'
import { startServer } from '../fixtures/loopback-servers.ts'
import { testApp } from '../support/app.ts'
import { readCode } from '../support/read-code.ts'
import { appTest } from '../support/test.ts'

const logoDir = await mkdtemp(join(tmpdir(), 'brevis-logos-'))

const test = appTest({ env: { OUTBOUND_ALLOW: '127.0.0.1/32', LOGO_DIR: logoDir } }).extend(
  'api',
  { scope: 'file' },
  ({ app, owner, request }, { onCleanup }) => {
    const getImage = (alias: string, query = '', headers = {}) =>
      request({ url: `/qr/${alias}${query}`, headers })
    const addCode = (logo: unknown, fields = {}) =>
      request({
        method: 'POST',
        url: '/api/qr/add',
        headers: owner.headers,
        payload: { type: 'text', data: 'with a logo', logo, ...fields },
      })
    const update = (id: number, payload: object) =>
      request({ method: 'PUT', url: `/api/qr/${id}/update`, headers: owner.headers, payload })
    const readLogo = async (id: number) =>
      (
        await app.services.database.db
          .selectFrom('qr_codes')
          .select('logo')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).logo
    onCleanup(async () => {
      await rm(logoDir, { recursive: true })
    })
    return { getImage, addCode, update, readLogo }
  },
)

const createImage = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#e01b24' } })

describe('a logo', () => {
  test('from a URL is fetched once, stored as a PNG and drawn into a readable code', async ({
    make,
    owner,
    api: { getImage, addCode, update, readLogo },
  }) => {
    const bytes = await createImage(800, 200).jpeg().toBuffer()
    let fetchCount = 0
    const { url } = await startServer((_request, response) => {
      fetchCount += 1
      response.end(bytes)
    })
    const withoutLogo = await make.qr(owner, { type: 'text', data: 'with a logo' })
    const reply = await addCode(`${url}logo.jpg`)
    expect(reply.statusCode).toBe(200)
    const { id, link } = reply.json()
    const stored = (await readLogo(id)) ?? Buffer.alloc(0)
    expect(await sharp(stored).metadata()).toMatchObject({ format: 'png', width: 400, height: 100 })
    const { pathname } = new URL(link)
    const alias = pathname.slice('/qr/'.length)
    for (const file of [alias, `${alias}.svg`, `${alias}?size=700`]) {
      expect(await readCode((await getImage(file)).rawPayload)).toBe('with a logo')
    }
    expect((await getImage(`${alias}.svg`)).body).toContain(stored.toString('base64'))
    const withLogo = (await getImage(alias)).rawPayload
    expect(await countRedPixels(withLogo)).toBeGreaterThan(100)
    expect(await countRedPixels((await getImage(withoutLogo.alias)).rawPayload)).toBe(0)
    expect(fetchCount).toBe(1)

    await update(id, { data: 'changed' })
    expect(await readLogo(id)).toEqual(stored)
    await update(id, { data: 'changed', logo: '' })
    expect(await readLogo(id)).toBeNull()
    expect(await countRedPixels((await getImage(alias)).rawPayload)).toBe(0)
    await update(id, { data: 'changed', logo: url })
    expect(await readLogo(id)).toEqual(stored)
    expect(fetchCount).toBe(2)
  })

  test('may be a file in the logo folder', async ({ api: { addCode, readLogo } }) => {
    await writeFile(join(logoDir, 'brand.png'), await createImage(64, 64).png().toBuffer())
    await writeFile(join(logoDir, 'Märke 2.JPG'), await createImage(64, 64).jpeg().toBuffer())
    for (const name of ['brand.png', 'Märke 2.JPG']) {
      const reply = await addCode(name)
      expect(reply.statusCode).toBe(200)
      const meta = await sharp((await readLogo(reply.json().id)) ?? undefined).metadata()
      expect(meta).toMatchObject({ format: 'png', width: 64, height: 64 })
    }
  })

  test('cannot be a file outside of the logo folder', async ({ api: { addCode } }) => {
    await writeFile(join(logoDir, '.hidden.png'), await createImage(8, 8).png().toBuffer())
    await writeFile(join(logoDir, 'notes.txt'), 'notes')
    for (const name of [
      '../brand.png',
      '..',
      '/etc/passwd',
      `${logoDir}/brand.png`,
      'a/../brand.png',
      `${'../'.repeat(40)}etc/logo.png`,
      '..\\brand.png',
      '..png',
      './brand.png',
      'brand.png/',
      '/dev/zero',
      '/proc/self/root/etc/logo.png',
      'C:brand.png',
      '.hidden.png',
      'notes.txt',
      'brand.png\u0007.png',
      'file:///etc/logo.png',
      'data:image/png;base64,AAAA.png',
      'ftp://127.0.0.1/logo.png',
    ]) {
      const reply = await addCode(name)
      expect([reply.statusCode, reply.json()]).toEqual([
        400,
        {
          error: 1,
          message: 'logo must be an http or https URL, or the name of a logo of this service',
        },
      ])
    }
  })

  test('may be a symbolic link to a file inside the folder only', async ({ api: { addCode } }) => {
    const outside = await mkdtemp(join(tmpdir(), 'brevis-outside-'))
    onTestFinished(() => rm(outside, { recursive: true }))
    const png = await createImage(16, 16).png().toBuffer()
    await writeFile(join(outside, 'secret.png'), png)
    await mkdir(join(logoDir, '..data'))
    await writeFile(join(logoDir, '..data', 'mounted.png'), png)
    await symlink(join('..data', 'mounted.png'), join(logoDir, 'mounted.png'))
    expect((await addCode('mounted.png')).statusCode).toBe(200)

    await symlink(join(outside, 'secret.png'), join(logoDir, 'absolute.png'))
    await symlink(relative(logoDir, join(outside, 'secret.png')), join(logoDir, 'relative.png'))
    await symlink('absolute.png', join(logoDir, 'chained.png'))
    await symlink('/dev/zero', join(logoDir, 'device.png'))
    await symlink('/proc/self/mem', join(logoDir, 'memory.png'))
    await symlink('round.png', join(logoDir, 'round.png'))
    await symlink('nowhere', join(logoDir, 'dangling.png'))
    await promisify(execFile)('mkfifo', [join(logoDir, 'pipe.png')])
    for (const name of [
      'absolute.png',
      'relative.png',
      'chained.png',
      'device.png',
      'memory.png',
      'round.png',
      'dangling.png',
      'pipe.png',
    ]) {
      const reply = await addCode(name)
      expect([name, reply.statusCode, reply.json().message]).toEqual([
        name,
        400,
        'logo names a file that does not exist',
      ])
    }
  })

  test('must exist, be small enough and be an image', async ({ api: { addCode } }) => {
    await writeFile(join(logoDir, 'huge.png'), Buffer.alloc(1_048_577))
    await writeFile(join(logoDir, 'text.png'), 'no picture')
    await symlink(logoDir, join(logoDir, 'folder.png'))
    for (const [name, message] of [
      ['missing.png', 'logo names a file that does not exist'],
      ['folder.png', 'logo names a file that does not exist'],
      [`${'x'.repeat(196)}.png`, 'logo names a file that does not exist'],
      ['huge.png', 'logo must be at most 1 MiB'],
      ['brand\u0000.png', 'logo must be text without NUL characters or broken surrogates'],
      ['text.png', 'logo must be a png or jpg image'],
      [`${'x'.repeat(8192)}.png`, 'logo must not have more than 8192 characters'],
    ]) {
      const reply = await addCode(name)
      expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
    }
  })

  test('that cannot be fetched is rejected without revealing why', async ({ api: { addCode } }) => {
    const server = await startServer((request, response) => {
      if (request.url === '/404') response.writeHead(404)
      if (request.url === '/inside') response.writeHead(302, { location: 'http://10.0.0.1/' })
      if (request.url === '/large') response.write(Buffer.alloc(1_048_577))
      response.end('secret')
    })
    const closed = await startServer(() => {})
    await closed.close()
    for (const url of [
      `${server.url}404`,
      `${server.url}inside`,
      `${server.url}large`,
      closed.url,
      'http://10.0.0.1/logo.png',
      'http://[::1]/logo.png',
      'http://127.0.0.1:22/logo.png',
      'http://user:password@127.0.0.1/logo.png',
      'https://',
    ]) {
      const reply = await addCode(url)
      expect([reply.statusCode, reply.json()]).toEqual([
        400,
        { error: 1, message: 'logo could not be fetched' },
      ])
    }
    const reply = await addCode(server.url)
    expect([reply.statusCode, reply.json()]).toEqual([
      400,
      { error: 1, message: 'logo must be a png or jpg image' },
    ])
  })

  test('is not fetched for an otherwise invalid code', async ({ api: { addCode, update } }) => {
    const server = await startServer((_request, response) => response.end('x'))
    for (const fields of [{ data: '' }, { type: 'nonsense' }, { foreground: 'red' }]) {
      expect((await addCode(server.url, fields)).statusCode).toBe(400)
    }
    expect((await update(987_654, { data: 'x', logo: server.url })).statusCode).toBe(404)
    expect(server.connections()).toBe(0)
  })

  test('leaves less capacity for content', async ({ make, owner, api: { addCode, update } }) => {
    await writeFile(join(logoDir, 'small.png'), await createImage(8, 8).png().toBuffer())
    // One byte more than fits with the error correction that codes with a logo need.
    const data = 'x'.repeat(1274)
    const message = 'data is too long for a QR code with a logo'
    const rejected = await addCode('small.png', { data })
    expect([rejected.statusCode, rejected.json().message]).toEqual([400, message])
    const { id } = await make.qr(owner, { type: 'text', data })
    const lateUpdate = await update(id, { data, logo: 'small.png' })
    expect([lateUpdate.statusCode, lateUpdate.json().message]).toEqual([400, message])
    const fitting = await make.qr(owner, { type: 'text', data: 'x', logo: 'small.png' })
    const longer = await update(fitting.id, { data })
    expect([longer.statusCode, longer.json().message]).toEqual([400, message])
    expect((await update(fitting.id, { data, logo: '' })).statusCode).toBe(200)
  })
})

test('without LOGO_DIR, logo files are rejected', async () => {
  const appWithoutLogos = await testApp()
  const { headers } = await appWithoutLogos.make.owner()
  const payload = { type: 'text', data: 'x', logo: 'brand.png' }
  const reply = await appWithoutLogos.request({
    method: 'POST',
    url: '/api/qr/add',
    headers,
    payload,
  })
  await appWithoutLogos.close()
  expect([reply.statusCode, reply.json().message]).toEqual([
    400,
    'logo must be an http or https URL, or the name of a logo of this service',
  ])
})

async function countRedPixels(png: Buffer): Promise<number> {
  const { data } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  let count = 0
  for (let offset = 0; offset < data.length; offset += 3) {
    const [red = 0, green = 0] = [data[offset], data[offset + 1]]
    if (red - green > 100) count += 1
  }
  return count
}

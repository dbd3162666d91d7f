import sharp from 'sharp'
import { expect } from 'vitest'
import { getBrand } from '../../src/domains/brand.service.ts'
import { formOf } from '../support/forms.ts'
import { linkListTest } from '../support/link-list.ts'

const test = linkListTest()

test('sets the logo, color and footer of a domain', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const domain = await make.domain(owner, { domain: 'https://own.test' })
  const path = `/console/domains/${domain.id}`
  const page = await person.open(path)
  expect(page.body).toContain('Not checked')
  const send = async (fields: Record<string, string | Buffer>) => {
    const body = new FormData()
    body.append('csrf', formOf(page).csrf)
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') body.append(name, value)
      else body.append(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), 'logo.png')
    }
    // Encodes the body and its content type.
    const encoded = new Response(body)
    return request({
      method: 'POST',
      url: `${path}/brand`,
      headers: { cookie: person.cookie, 'content-type': encoded.headers.get('content-type') ?? '' },
      payload: Buffer.from(await encoded.arrayBuffer()),
    })
  }
  const readBrand = () => getBrand({ db: app.services.db, accountId: owner.account.id }, domain.id)
  const logo = await sharp({
    create: { width: 50, height: 20, channels: 3, background: '#123456' },
  })
    .png()
    .toBuffer()
  const saved = await send({ logo, hasAccent: 'on', accent: '#AA3300' })
  expect([saved.statusCode, saved.headers.location]).toEqual([303, path])
  expect(await readBrand()).toMatchObject({ accent: '#aa3300', footer: false })
  // The signature of PNG files in base64.
  expect((await readBrand()).logo).toMatch(/^iVBOR/)
  expect((await person.open(path)).body).toContain('data:image/png;base64,iVBOR')
  await send({ footer: 'on' })
  expect((await readBrand()).logo).toMatch(/^iVBOR/)
  await send({ footer: 'on', removeLogo: 'on' })
  expect(await readBrand()).toEqual({ accent: null, footer: true, logo: null })
  const rejected = await send({ logo: Buffer.from('nothing') })
  expect([rejected.statusCode, rejected.body]).toEqual([422, expect.stringContaining('logo-error')])
})

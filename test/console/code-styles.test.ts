import { expect } from 'vitest'
import { getQrDetails } from '../../src/qr/qr.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { baseStyle, codesTest, getQrRows } from '../support/codes.ts'
import { signedIn } from '../support/console.ts'
import { readCode } from '../support/read-code.ts'

const test = codesTest()

test('offers shapes, a frame and files in three formats', async ({ app, make }) => {
  const owner = await make.owner()
  const person = await signedIn(app, owner)
  const form = { type: 'link', source: 'new', url: 'example.com/menu', ...baseStyle }
  const style = { dots: 'rounded', eyes: 'circle', caption: 'Scan me' }
  const rejected = await person.send('/console/codes', { ...form, ...style, caption: '日本' })
  expect([rejected.statusCode, rejected.body]).toEqual([
    422,
    expect.stringContaining('caption-error'),
  ])
  const created = await person.send('/console/codes', { ...form, ...style })
  expect(created.statusCode).toBe(303)
  const [row] = await getQrRows(app, owner.account.id)
  expect(row).toMatchObject(style)
  const { shortUrl } = await getQrDetails(scopeOf(app.services, owner.account.id), Number(row?.id))
  const png = await app.request({ url: `/qr/${row?.alias}.png?size=400` })
  expect(await readCode(png.rawPayload)).toBe(shortUrl)
  // The frame makes the image taller than wide. A PNG has its width at byte 16, its height at byte 20.
  expect(png.rawPayload.readUInt32BE(20)).toBeGreaterThan(png.rawPayload.readUInt32BE(16))
  const pdf = await app.request({ url: `/qr/${row?.alias}.pdf` })
  expect(pdf.headers['content-type']).toBe('application/pdf')
  expect(pdf.rawPayload.subarray(0, 5).toString()).toBe('%PDF-')
  const edit = await person.open(`/console/codes/${row?.id}/edit`)
  expect(edit.body).toContain('<option value="rounded" selected>')
  expect(edit.body).toContain('value="Scan me"')
  await person.send(`/console/codes/${row?.id}`, { ...form, ...style, dots: 'dots', caption: '' })
  expect((await getQrRows(app, owner.account.id))[0]).toMatchObject({ dots: 'dots', caption: null })
})

test('shows the code of a link on the link’s page', async ({ app, make }) => {
  const owner = await make.owner()
  const person = await signedIn(app, owner)
  const link = await make.link(owner, { alias: `menu-${owner.account.id}` })
  const newForm = await person.open(`/console/codes/new?link=${link.id}`)
  expect(newForm.body).toContain('value="existing" checked')
  expect(newForm.body).toContain(`value="${link.shortUrl}"`)
  const form = { type: 'link', source: 'existing', ...baseStyle, url: 'https://ignored.example/' }
  for (const text of ['', 'nothing-here', 'https://example.com/']) {
    const reply = await person.send('/console/codes', { ...form, link: text })
    expect([reply.statusCode, reply.body]).toEqual([422, expect.stringContaining('link-error')])
  }
  const foreignLink = await make.link(await make.owner())
  const foreign = await person.send('/console/codes', { ...form, link: foreignLink.shortUrl })
  expect(foreign.statusCode).toBe(422)
  await person.send('/console/codes', { ...form, link: `brev.test/${link.alias}` })
  const rows = await getQrRows(app, owner.account.id)
  expect(rows).toMatchObject([{ link_id: link.id, own_link_id: null }])
  const links = await app.request({ url: '/api/urls', headers: owner.headers })
  expect(links.json().data.result).toBe(1)
  const page = await person.open(`/console/links/${link.id}`)
  expect(page.body).toContain(`src="/qr/${rows[0]?.alias}.svg"`)
  expect(page.body).toContain(`href="/console/codes/${rows[0]?.id}/edit"`)
  // Entering the short URL as a new URL creates an equal code.
  await person.send('/console/codes', { ...form, source: 'new', url: link.shortUrl })
  expect((await getQrRows(app, owner.account.id))[1]).toMatchObject({ own_link_id: null })
})

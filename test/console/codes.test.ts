import { describe, expect } from 'vitest'
import { getQrDetails } from '../../src/qr/qr.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { baseStyle, codesTest, decodePreview, getQrRows, HOSTILE_NAME } from '../support/codes.ts'
import { signedIn } from '../support/console.ts'
import { postForm } from '../support/forms.ts'

const test = codesTest()

/**
 * The form of each type: its `fields`, the content of the code (`payload`), a text on its page
 * (`shownText`), and invalid fields with their error message. A link's code has no stored content.
 */
const CODE_TYPES = [
  {
    type: 'text',
    fields: { text: `${HOSTILE_NAME}\r\nmore` },
    payload: `${HOSTILE_NAME}\nmore`,
    shownText: 'Shows text',
    invalidFields: { text: ' ' },
    message: 'Is required.',
  },
  {
    type: 'wifi',
    fields: { ssid: 'a;b', encryption: 'wpa', password: 'p"w', hidden: 'on' },
    payload: 'WIFI:T:WPA;S:a\\;b;P:p\\"w;H:true;;',
    shownText: 'Hidden network',
    invalidFields: { password: '' },
    message: 'Is required.',
  },
  {
    type: 'vcard',
    fields: { fname: 'Ann', lname: 'B', website: 'https://a.example/' },
    payload:
      'BEGIN:VCARD\r\nVERSION:3.0\r\nN:B;Ann;;;\r\nFN:Ann B\r\nURL:https://a.example/\r\nEND:VCARD\r\n',
    shownText: 'https://a.example/',
    invalidFields: { website: 'javascript:alert(1)' },
    message: 'Must be an http or https URL.',
  },
  {
    type: 'email',
    fields: { email: 'a@example.com', subject: HOSTILE_NAME, message: '' },
    payload: `mailto:a@example.com?subject=${encodeURIComponent(HOSTILE_NAME)}`,
    shownText: 'Starts an email',
    invalidFields: { email: 'not-an-email' },
    message: 'Must be an email address.',
  },
  {
    type: 'phone',
    fields: { phone: '+1 555' },
    payload: 'tel:+1555',
    shownText: '+1555',
    invalidFields: { phone: 'x' },
    message: 'Must be a phone number.',
  },
  {
    type: 'sms',
    fields: { phone: '555', message: 'Hi: you' },
    payload: 'SMSTO:555:Hi: you',
    shownText: 'Hi: you',
    invalidFields: { phone: '' },
    message: 'Is required.',
  },
  {
    type: 'link',
    fields: { url: 'https://example.com/menu' },
    payload: null,
    shownText: 'https://example.com/menu',
    invalidFields: { url: 'ftp://example.com' },
    message: 'Must be an http or https URL.',
  },
] as const

describe.for(CODE_TYPES)(
  'a code of the type $type',
  ({ type, fields, payload, shownText, invalidFields, message }) => {
    test('is created, shown, changed and deleted by its form, with errors next to fields', async ({
      app,
      make,
    }) => {
      const owner = await make.owner()
      const person = await signedIn(app, owner)
      const otherPerson = await signedIn(app, await make.owner())
      const getRows = () => getQrRows(app, owner.account.id)
      const form = { type, ...baseStyle, ...fields }
      const [field = ''] = Object.keys(invalidFields)

      const empty = await person.open('/console/codes')
      expect([empty.statusCode, empty.body]).toEqual([200, expect.stringContaining('Create one')])
      const newForm = await person.open(`/console/codes/new?type=${type}`)
      for (const name of Object.keys(fields)) expect(newForm.body).toContain(`name="${name}"`)
      const rejected = await person.send('/console/codes', { ...form, ...invalidFields })
      expect([rejected.statusCode, rejected.body]).toEqual([422, expect.stringContaining(message)])
      expect(rejected.body).toContain(`id="${field}-error"`)
      expect(await getRows()).toEqual([])

      const created = await person.send('/console/codes', form)
      const [row] = await getRows()
      const path = `/console/codes/${row?.id}`
      expect([created.statusCode, created.headers.location]).toEqual([303, path])
      expect(row).toMatchObject({
        type,
        payload,
        name: HOSTILE_NAME,
        foreground: 'rgb(20,60,90)',
        background: null,
      })
      const list = await person.open('/console/codes')
      expect(list.body).toContain(`/qr/${row?.alias}.svg?size=100`)
      const codePage = await person.open(path)
      expect([codePage.statusCode, codePage.body]).toEqual([
        200,
        expect.stringContaining(shownText),
      ])
      const edit = await person.open(`${path}/edit`)
      expect(edit.body).toContain('value="#143c5a"')
      for (const page of [list, codePage, edit]) expect(page.body).not.toContain('<b>')

      const preview = await person.send(`${path}/preview`, form)
      expect([preview.statusCode, preview.body]).toEqual([200, expect.stringContaining(shownText)])
      expect(preview.headers['content-security-policy']).toContain('sandbox')
      const { shortUrl } = await getQrDetails(
        scopeOf(app.services, owner.account.id),
        Number(row?.id),
      )
      expect(await decodePreview(preview.body)).toBe(payload ?? shortUrl)
      const stored = await person.open(`${path}/preview`)
      expect(await decodePreview(stored.body)).toBe(payload ?? shortUrl)

      for (const url of [path, `${path}/edit`, `${path}/delete`, `${path}/preview`]) {
        expect([url, (await otherPerson.open(url)).statusCode]).toEqual([url, 404])
        const signedOut = await app.request({ url })
        expect([url, signedOut.statusCode]).toEqual([url, 303])
      }
      for (const url of [path, `${path}/delete`, `${path}/preview`]) {
        expect([url, (await otherPerson.send(url, form)).statusCode]).toEqual([url, 404])
        const forged = await postForm(app, url, form, { cookie: person.cookie })
        expect([url, forged.statusCode]).toEqual([url, 403])
      }
      expect(await getRows()).toEqual([row])

      const rejectedForm = await person.send(path, { ...form, ...invalidFields })
      expect([rejectedForm.statusCode, await getRows()]).toEqual([422, [row]])
      const changed = await person.send(path, { ...form, name: 'Menu', background: '#ffff00' })
      expect([changed.statusCode, changed.headers.location]).toEqual([303, path])
      expect(await getRows()).toEqual([{ ...row, name: 'Menu', background: 'rgb(255,255,0)' }])
      expect((await person.send(`${path}/delete`)).headers.location).toBe('/console/codes')
      expect(await getRows()).toEqual([])
    })
  },
)

test("a code's type can be changed by the form of another type", async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id } = await make.qr(owner, { name: 'Menu' })
  const edit = await person.open(`/console/codes/${id}/edit?type=sms`)
  expect(edit.body).toContain('name="message"')
  expect(edit.body).toContain('value="Menu"')
  await person.send(`/console/codes/${id}`, {
    ...baseStyle,
    type: 'sms',
    phone: '1',
    message: 'Hi',
  })
  const code = await getQrDetails(scopeOf(app.services, owner.account.id), id)
  expect(code).toMatchObject({
    type: 'sms',
    linkId: null,
    content: { kind: 'static', payload: 'SMSTO:1:Hi' },
  })
  expect((await person.open('/console/codes/new?type=nothing')).statusCode).toBe(200)
})

test('preserves vCard content that the form does not show', async ({
  app,
  make,
  owner,
  person,
}) => {
  const card = 'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ann\r\nNOTE:x\r\nEND:VCARD\r\n'
  const { id } = await make.qr(owner, { type: 'vcard', data: card })
  expect((await person.open(`/console/codes/${id}/edit`)).body).toContain('VERSION:4.0')
  const reply = await person.send(`/console/codes/${id}`, { ...baseStyle, type: 'vcard', card })
  expect(reply.statusCode).toBe(303)
  const { content } = await getQrDetails(scopeOf(app.services, owner.account.id), id)
  expect(content).toEqual({ kind: 'static', payload: card })
})

describe('the page of a code', () => {
  test('shows scans and exports them', async ({ app, make, owner, person, otherPerson }) => {
    const { id } = await make.qr(owner, { name: 'Menu' })
    const { shortUrl } = await getQrDetails(scopeOf(app.services, owner.account.id), id)
    await app.request({
      url: new URL(shortUrl ?? '').pathname,
      headers: { referer: 'https://a.example/' },
    })
    await app.importClicks()
    const page = await person.open(`/console/codes/${id}`)
    expect(page.body).toContain(`${shortUrl}`)
    expect(page.body).toContain('a.example')
    const csv = await person.open(`/console/codes/${id}/referrers.csv`)
    expect([csv.statusCode, csv.body]).toEqual([200, expect.stringContaining('a.example')])
    for (const suffix of ['referrers', 'referrers.csv', 'timeline.csv']) {
      expect((await otherPerson.open(`/console/codes/${id}/${suffix}`)).statusCode).toBe(404)
    }
    expect((await person.open('/console/codes')).body).toMatch(/data-label="Scans"><bdi>1</)
  })

  test('of a link has only the scans among the clicks on that link, which its page tells apart', async ({
    app,
    make,
    owner,
    person,
  }) => {
    const { id: linkId, alias, shortUrl } = await make.link(owner, { alias: 'scanned' })
    const { id } = await make.qr(owner, { data: shortUrl })
    for (const path of ['', '?qr', '?qr', '']) await app.request({ url: `/${alias}${path}` })
    await app.importClicks()
    const code = await person.open(`/console/codes/${id}`)
    expect(code.body).toMatch(/>Scans<\/span>\s*<strong class="figure">2</)
    expect(code.body).toContain('All time: 2 clicks')
    expect(code.body).not.toContain('left out')
    expect((await person.open('/console/codes')).body).toMatch(/data-label="Scans"><bdi>2</)
    const page = await person.open(`/console/links/${linkId}`)
    expect(page.body).toMatch(/>Clicks<\/span>\s*<strong class="figure">4</)
    expect(page.body).toContain(
      `<a href="/console/links/${linkId}?source=QR+code">2 clicks came from QR codes.</a>`,
    )
    expect(page.body).toContain('>QR codes</a>')
    const filtered = await person.open(`/console/links/${linkId}?source=qr+code`)
    expect(filtered.body).toMatch(/>Clicks<\/span>\s*<strong class="figure">2</)
    expect(filtered.body).toContain('Remove filter Source: QR code')
    const csv = await person.open(`/console/links/${linkId}/sources.csv`)
    expect(csv.body).toContain('QR code,2')
    await person.send('/console/settings', { language: 'de', timeZone: 'UTC' })
    const german = await person.open(`/console/links/${linkId}`)
    expect(german.body).toContain('2 Klicks kamen von QR-Codes.')
    expect((await person.open(`/console/links/${linkId}?source=QR-Code`)).body).toMatch(
      /<strong class="figure">2</,
    )
    await person.send('/console/settings', { language: 'en', timeZone: 'UTC' })
  })

  test('explains that scans of a link’s code count as its clicks', async ({
    make,
    owner,
    person,
  }) => {
    const { id, shortUrl } = await make.link(owner, { alias: 'speisekarte-ä' })
    const form = { ...baseStyle, type: 'link', url: 'brev.test/speisekarte-ä' }
    const preview = await person.send('/console/codes/preview', form)
    expect(await decodePreview(preview.body)).toBe(`${shortUrl}?qr`)
    expect(preview.body).not.toContain('Preview only.')
    const created = await person.send('/console/codes', form)
    expect(created.statusCode).toBe(303)
    const path = String(created.headers.location)
    const { body } = await person.open(path)
    expect(body).toContain(
      `Scans count as clicks on <a href="/console/links/${id}"><bdi>brev.test/speisekarte-ä</bdi></a>.`,
    )
    expect(body).toContain('<bdi>brev.test/speisekarte-ä?qr</bdi>')
    expect((await person.open(`${path}/edit`)).body).toContain(`value="${shortUrl}"`)
    const updated = await person.send(path, { ...form, url: shortUrl })
    expect([updated.statusCode, updated.headers.location]).toEqual([303, path])
    expect(await decodePreview((await person.open(`${path}/preview`)).body)).toBe(`${shortUrl}?qr`)
  })

  test('offers its image in the requested size', async ({ make, owner, person }) => {
    const { id, alias } = await make.qr(owner)
    const page = await person.open(`/console/codes/${id}?size=900`)
    expect(page.body).toContain(`href="/qr/${alias}.png?size=900" download="qr-code-${id}.png"`)
    const rejected = await person.open(`/console/codes/${id}?size=9`)
    expect([rejected.statusCode, rejected.body]).toEqual([
      422,
      expect.stringContaining('Must be a whole number from 100 to 2000.'),
    ])
    expect((await person.open('/console/codes/x')).statusCode).toBe(404)
  })
})

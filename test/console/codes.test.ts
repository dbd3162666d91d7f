import sharp from 'sharp'
import { describe, expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { personWith } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import type { Owner } from '../support/make.ts'
import { readCode } from '../support/read-code.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('given', { scope: 'file' }, async ({ app, make, owner }) => ({
  person: await begin(app, owner),
  stranger: await begin(app, await make.owner()),
}))

const HOSTILE = '<b>"\'&;:,\\\u202E</b>'

/** The form of each type: what is typed, what the code then says, and what is wrong with a change. */
const kinds = [
  {
    type: 'text',
    fields: { text: `${HOSTILE}\r\nmore` },
    payload: `${HOSTILE}\nmore`,
    words: 'The phone shows a text.',
    wrong: { text: ' ' },
    says: 'Is required.',
  },
  {
    type: 'wifi',
    fields: { ssid: 'a;b', encryption: 'wpa', password: 'p"w', hidden: 'on' },
    payload: 'WIFI:T:WPA;S:a\\;b;P:p\\"w;H:true;;',
    words: 'The network does not show its name',
    wrong: { password: '' },
    says: 'Is required.',
  },
  {
    type: 'vcard',
    fields: { fname: 'Ann', lname: 'B', website: 'https://a.example/' },
    payload:
      'BEGIN:VCARD\r\nVERSION:3.0\r\nN:B;Ann;;;\r\nFN:Ann B\r\nURL:https://a.example/\r\nEND:VCARD\r\n',
    words: 'https://a.example/',
    wrong: { website: 'javascript:alert(1)' },
    says: 'Must be an http or https URL.',
  },
  {
    type: 'email',
    fields: { email: 'a@example.com', subject: HOSTILE, message: '' },
    payload: `mailto:a@example.com?subject=${encodeURIComponent(HOSTILE)}`,
    words: 'The phone begins an e-mail.',
    wrong: { email: 'nobody' },
    says: 'Must be an e-mail address.',
  },
  {
    type: 'phone',
    fields: { phone: '+1 555' },
    payload: 'tel:+1555',
    words: '+1555',
    wrong: { phone: 'x' },
    says: 'Must be a phone number.',
  },
  {
    type: 'sms',
    fields: { phone: '555', message: 'Hi: you' },
    payload: 'SMSTO:555:Hi: you',
    words: 'Hi: you',
    wrong: { phone: '' },
    says: 'Is required.',
  },
  {
    type: 'link',
    fields: { url: 'https://example.com/menu' },
    payload: null,
    words: 'https://example.com/menu',
    wrong: { url: 'ftp://example.com' },
    says: 'Must be an http or https URL.',
  },
] as const

const look = { name: HOSTILE, foreground: '#143c5a', background: '#ffffff' }

/** Somebody who is signed in; people of one address may not try so often. */
async function begin(app: TestApp, owner: Owner) {
  return personWith(app, `brevis_session=${await app.services.sessions.begin(owner.account.id)}`)
}

function rowsOf(app: TestApp, accountId: number) {
  const { db } = app.services.database
  return db.selectFrom('qr_codes').selectAll().where('account_id', '=', accountId).execute()
}

/** Sends a form as a browser does that may carry a file. */
async function sendMultipart(
  app: TestApp,
  cookie: string,
  url: string,
  fields: Record<string, string | Blob>,
) {
  const page = await app.request({ url: '/console', headers: { cookie } })
  const form = new FormData()
  for (const [name, value] of Object.entries({ csrf: formOf(page).csrf, ...fields })) {
    form.set(name, value)
  }
  const encoded = new Response(form)
  return app.request({
    method: 'POST',
    url,
    headers: { cookie, 'content-type': encoded.headers.get('content-type') ?? '' },
    payload: Buffer.from(await encoded.arrayBuffer()),
  })
}

/** What a reader finds in the picture of a preview. */
async function scanned(body: string): Promise<string | undefined> {
  const picture = /data:image\/svg\+xml;base64,([^"]+)"/.exec(body)?.[1] ?? ''
  return readCode(await sharp(Buffer.from(picture, 'base64'), { density: 144 }).png().toBuffer())
}

async function redSquare(side = 40): Promise<Blob> {
  const picture = sharp({ create: { width: side, height: side, channels: 3, background: '#f00' } })
  return new Blob([new Uint8Array(await picture.png().toBuffer())], { type: 'image/png' })
}

describe.for(kinds)('a code of the type $type', ({ type, fields, payload, words, wrong, says }) => {
  test('is made, shown, changed and deleted by its own form, each refusal beside its field', async ({
    app,
    make,
  }) => {
    const owner = await make.owner()
    const person = await begin(app, owner)
    const stranger = await begin(app, await make.owner())
    const rows = () => rowsOf(app, owner.account.id)
    const form = { type, ...look, ...fields }
    const [field = ''] = Object.keys(wrong)

    const empty = await person.open('/console/codes')
    expect([empty.statusCode, empty.body]).toEqual([200, expect.stringContaining('Make the first')])
    const fresh = await person.open(`/console/codes/new?type=${type}`)
    for (const name of Object.keys(fields)) expect(fresh.body).toContain(`name="${name}"`)
    const refused = await person.send('/console/codes', { ...form, ...wrong })
    expect([refused.statusCode, refused.body]).toEqual([422, expect.stringContaining(says)])
    expect(refused.body).toContain(`id="${field}-error"`)
    expect(await rows()).toEqual([])

    const made = await person.send('/console/codes', form)
    const [row] = await rows()
    const path = `/console/codes/${row?.id}`
    expect([made.statusCode, made.headers.location]).toEqual([303, path])
    expect(row).toMatchObject({
      type,
      payload,
      name: HOSTILE,
      foreground: 'rgb(20,60,90)',
      background: null,
    })
    const list = await person.open('/console/codes')
    expect(list.body).toContain(`/qr/${row?.alias}.svg?size=100`)
    const shown = await person.open(path)
    expect([shown.statusCode, shown.body]).toEqual([200, expect.stringContaining(words)])
    const edit = await person.open(`${path}/edit`)
    expect(edit.body).toContain('value="#143c5a"')
    for (const page of [list, shown, edit]) expect(page.body).not.toContain('<b>')

    const preview = await person.send(`${path}/preview`, form)
    expect([preview.statusCode, preview.body]).toEqual([200, expect.stringContaining(words)])
    expect(preview.headers['content-security-policy']).toContain('sandbox')
    const alias = (await app.services.qrCodes.details(owner.account.id, Number(row?.id))).linkAlias
    expect(await scanned(preview.body)).toBe(payload ?? `http://brev.test/${alias}`)
    const stored = await person.open(`${path}/preview`)
    expect(await scanned(stored.body)).toBe(payload ?? `http://brev.test/${alias}`)

    for (const url of [path, `${path}/edit`, `${path}/delete`, `${path}/preview`]) {
      expect([url, (await stranger.open(url)).statusCode]).toEqual([url, 404])
      const unsigned = await app.request({ url })
      expect([url, unsigned.statusCode]).toEqual([url, 303])
    }
    for (const url of [path, `${path}/delete`, `${path}/preview`]) {
      expect([url, (await stranger.send(url, form)).statusCode]).toEqual([url, 404])
      const forged = await postForm(app, url, form, { cookie: person.cookie })
      expect([url, forged.statusCode]).toEqual([url, 403])
    }
    expect(await rows()).toEqual([row])

    const kept = await person.send(path, { ...form, ...wrong })
    expect([kept.statusCode, await rows()]).toEqual([422, [row]])
    const changed = await person.send(path, { ...form, name: 'Menu', background: '#ffff00' })
    expect([changed.statusCode, changed.headers.location]).toEqual([303, path])
    expect(await rows()).toEqual([{ ...row, name: 'Menu', background: 'rgb(255,255,0)' }])
    expect((await person.send(`${path}/delete`)).headers.location).toBe('/console/codes')
    expect(await rows()).toEqual([])
  })
})

test('a code can become one of another type by the form of that type', async ({
  app,
  make,
  owner,
  given: { person },
}) => {
  const { id } = await make.qr(owner, { name: 'Menu' })
  const edit = await person.open(`/console/codes/${id}/edit?type=sms`)
  expect(edit.body).toContain('name="message"')
  expect(edit.body).toContain('value="Menu"')
  await person.send(`/console/codes/${id}`, { ...look, type: 'sms', phone: '1', message: 'Hi' })
  const code = await app.services.qrCodes.details(owner.account.id, id)
  expect(code).toMatchObject({
    type: 'sms',
    linkId: null,
    content: { kind: 'static', payload: 'SMSTO:1:Hi' },
  })
  expect((await person.open('/console/codes/new?type=nothing')).statusCode).toBe(200)
})

test('a vCard that says more than its form is kept as it is', async ({
  app,
  make,
  owner,
  given: { person },
}) => {
  const card = 'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ann\r\nNOTE:x\r\nEND:VCARD\r\n'
  const { id } = await make.qr(owner, { type: 'vcard', data: card })
  expect((await person.open(`/console/codes/${id}/edit`)).body).toContain('VERSION:4.0')
  const reply = await person.send(`/console/codes/${id}`, { ...look, type: 'vcard', card })
  expect(reply.statusCode).toBe(303)
  const { content } = await app.services.qrCodes.details(owner.account.id, id)
  expect(content).toEqual({ kind: 'static', payload: card })
})

describe('colours', () => {
  test.for([
    ['#000000', '#ffffff', 'Contrast 21.0 to 1.'],
    ['#ff0000', '#ffffff', 'some phones will not read it'],
    ['#808080', '#ffffff', 'has too little contrast'],
    ['#ffffff', '#000000', 'must be darker than background'],
    ['red', '#ffffff', 'must be a color in the form #rrggbb'],
  ] as const)(
    '%s on %s: the preview says "%s"',
    async ([foreground, background, says], { given: { person } }) => {
      const fields = { type: 'text', text: 'Hello', foreground, background }
      const reply = await person.send('/console/codes/preview', fields)
      expect([reply.statusCode, reply.body]).toEqual([200, expect.stringContaining(says)])
    },
  )

  test('that cannot be scanned are refused beside their field', async ({
    owner,
    app,
    given: { person },
  }) => {
    const before = await rowsOf(app, owner.account.id)
    const fields = { type: 'text', text: 'Hello', foreground: '#eeeeee', background: '#ffffff' }
    const reply = await person.send('/console/codes', fields)
    expect([reply.statusCode, reply.body]).toEqual([
      422,
      expect.stringContaining('id="foreground-error"'),
    ])
    expect(await rowsOf(app, owner.account.id)).toEqual(before)
  })
})

describe('a logo', () => {
  const fields = { ...look, type: 'text', text: 'Hello' }

  test('is sent with the form, shown in previews, kept by changes and taken away', async ({
    app,
    make,
  }) => {
    const owner = await make.owner()
    const { cookie, ...person } = await begin(app, owner)
    const logo = await redSquare()
    const preview = await sendMultipart(app, cookie, '/console/codes/preview', { ...fields, logo })
    expect(preview.statusCode).toBe(200)
    expect(await scanned(preview.body)).toBe('Hello')
    const made = await sendMultipart(app, cookie, '/console/codes', { ...fields, logo })
    const path = String(made.headers.location)
    const id = Number(path.split('/').at(-1))
    const stored = await app.services.qrCodes.logo(owner.account.id, id)
    expect([made.statusCode, Buffer.isBuffer(stored)]).toEqual([303, true])

    const nothing = new Blob([])
    await sendMultipart(app, cookie, path, { ...fields, text: 'Hi', logo: nothing })
    expect(await app.services.qrCodes.logo(owner.account.id, id)).toEqual(stored)
    const kept = await person.send(`${path}/preview`, fields)
    const without = await person.send(`${path}/preview`, { ...fields, removeLogo: 'on' })
    expect(kept.body.length).toBeGreaterThan(without.body.length)
    await person.send(path, { ...fields, removeLogo: 'on' })
    expect(await app.services.qrCodes.logo(owner.account.id, id)).toBeNull()
  })

  test.for([
    ['no picture', () => new Blob(['GIF89a']), 422, 'Must be a png or jpg image.'],
    ['too large', () => new Blob([Buffer.alloc(1_048_577)]), 422, 'Must be at most 1 MiB.'],
    ['far too large', () => new Blob([Buffer.alloc(3_000_000)]), 413, 'too large'],
  ] as const)('that is %s is refused', async ([, logo, status, says], { app, given, owner }) => {
    const before = await rowsOf(app, owner.account.id)
    const { cookie } = given.person
    const reply = await sendMultipart(app, cookie, '/console/codes', { ...fields, logo: logo() })
    expect([reply.statusCode, reply.body]).toEqual([status, expect.stringContaining(says)])
    expect(await rowsOf(app, owner.account.id)).toEqual(before)
  })

  test('by an address is not fetched for a preview', async ({ given: { person } }) => {
    const logoAddress = 'https://example.com/logo.png'
    const reply = await person.send('/console/codes/preview', { ...fields, logoAddress })
    expect([reply.statusCode, reply.body]).toEqual([
      200,
      expect.stringContaining('The logo is fetched from its address when you save.'),
    ])
  })

  test('comes only in a form that can be read, of who is signed in', async ({ app, given }) => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const { cookie } = given.person
    const wrong = { method: 'POST', url: '/console/codes', payload: 'nothing' } as const
    expect((await app.request({ ...wrong, headers: { ...headers, cookie } })).statusCode).toBe(400)
    expect((await app.request({ ...wrong, headers })).statusCode).toBe(303)
    const field = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'
    const many = { ...wrong, payload: `${field.repeat(65)}--x--\r\n` }
    expect((await app.request({ ...many, headers: { ...headers, cookie } })).statusCode).toBe(400)
    // What can be read, and has no token.
    const few = { ...wrong, payload: `${field.repeat(64)}--x--\r\n` }
    expect((await app.request({ ...few, headers: { ...headers, cookie } })).statusCode).toBe(403)
    const other = { ...wrong, url: '/console/bios', headers: { ...headers, cookie } }
    expect((await app.request(other)).statusCode).toBe(415)
  })
})

describe('the page of a code', () => {
  test('shows who scanned it, and hands that out', async ({ app, make, owner, given }) => {
    const { person, stranger } = given
    const { id } = await make.qr(owner, { name: 'Menu' })
    const { linkAlias } = await app.services.qrCodes.details(owner.account.id, id)
    await app.request({ url: `/${linkAlias}`, headers: { referer: 'https://a.example/' } })
    await app.importClicks()
    const page = await person.open(`/console/codes/${id}`)
    expect(page.body).toContain(`http://brev.test/${linkAlias}`)
    expect(page.body).toContain('a.example')
    const csv = await person.open(`/console/codes/${id}/referrers.csv`)
    expect([csv.statusCode, csv.body]).toEqual([200, expect.stringContaining('a.example')])
    for (const rest of ['referrers', 'referrers.csv', 'timeline.csv']) {
      expect((await stranger.open(`/console/codes/${id}/${rest}`)).statusCode).toBe(404)
    }
    expect((await person.open('/console/codes')).body).toMatch(/data-label="Scans"><bdi>1</)
  })

  test('offers its picture in the size that is asked for', async ({ make, owner, given }) => {
    const { id, alias } = await make.qr(owner)
    const page = await given.person.open(`/console/codes/${id}?size=900`)
    expect(page.body).toContain(`href="/qr/${alias}.png?size=900" download="qr-code-${id}.png"`)
    const wrong = await given.person.open(`/console/codes/${id}?size=9`)
    expect([wrong.statusCode, wrong.body]).toEqual([
      422,
      expect.stringContaining('Must be a whole number from 100 to 2000.'),
    ])
    expect((await given.person.open('/console/codes/x')).statusCode).toBe(404)
  })
})

import { expect } from 'vitest'
import { editTest } from '../support/edit-test.ts'
import type { Fields } from '../support/forms.ts'
import { toRuleFields, valuesOf } from '../support/link-form.ts'

const test = editTest()

const destination = 'https://example.com/target'

test('every field of a link can be set, left unchanged, changed and cleared', async ({
  form,
  make,
  owner,
}) => {
  const { host } = await make.domain(owner)
  const splash = await make.splash(owner)
  const overlay = await make.overlay(owner)
  const firstPixel = await make.pixel(owner)
  const secondPixel = await make.pixel(owner, { tag: 'CD-2' })
  const created = await form.create({
    url: ` ${destination} `,
    alias: 'every-field',
    domain: host,
    tags: 'Spring, two words,, ',
    expiresDay: '2031-05-04',
    expiresTime: '03:02',
    ...toRuleFields(
      { country: 'Germany', to: `${destination}/de` },
      { country: '', to: '' },
      { country: 'fr', to: `${destination}/fr` },
      { device: 'iphone', to: `${destination}/app` },
      { language: 'French', to: `${destination}/f` },
      { language: 'en-GB', to: 'example.com/target/gb' },
    ),
    'parameter-name': ['utm_source', 'ref', ''],
    'parameter-value': ['mail & more', '', ''],
    type: String(splash.id),
    pixels: [String(secondPixel.id), String(firstPixel.id)],
    metaTitle: 'A “title” & <b>',
    metaDescription: 'One line\r\nand another',
    metaImage: 'https://example.com/a.png',
    password: 'open sesame',
  })
  const { id } = await form.getNewest()
  expect([created.statusCode, created.headers.location]).toEqual([303, `/console/links/${id}`])
  const storedFields = {
    url: destination,
    alias: 'every-field',
    domain: host,
    tags: ['Spring', 'two words'],
    shortUrl: `https://${host}/every-field`,
    expiresAt: new Date('2031-05-04T03:02:00Z'),
    geoTargets: [
      { location: 'DE', link: `${destination}/de` },
      { location: 'FR', link: `${destination}/fr` },
    ],
    deviceTargets: [{ device: 'iphone', link: `${destination}/app` }],
    languageTargets: [
      { language: 'fr', link: `${destination}/f` },
      { language: 'en-gb', link: `${destination}/gb` },
    ],
    parameters: [
      { name: 'utm_source', value: 'mail & more' },
      { name: 'ref', value: '' },
    ],
    type: String(splash.id),
    pixels: [secondPixel.id, firstPixel.id],
    metaTitle: 'A “title” & <b>',
    metaDescription: 'One line\nand another',
    metaImage: 'https://example.com/a.png',
    hasPassword: true,
  }
  expect(await form.getStored(id)).toMatchObject(storedFields)

  const formValues = await form.readValues(id)
  expect(formValues).toMatchObject({
    tags: ['Spring, two words'],
    'rule-0-country': ['Germany'],
    'rule-1-country': ['France'],
    'rule-2-device': ['iphone'],
    'rule-3-language': ['French'],
    'rule-4-language': ['en-gb'],
    expiresTime: ['03:02:00'],
    password: [''],
    pixels: [String(secondPixel.id), String(firstPixel.id)],
  })
  expect((await form.change(id, formValues)).statusCode).toBe(303)
  expect(await form.getStored(id)).toMatchObject(storedFields)
  const unchangedValues = Object.entries(formValues).filter(([name]) => !name.startsWith('rule'))
  const changed = await form.change(id, {
    ...Object.fromEntries(unchangedValues),
    alias: 'other-name',
    domain: '',
    tags: 'Autumn',
    url: `${destination}/2`,
    expiresDay: '2032-01-01',
    expiresTime: '',
    ...toRuleFields(
      { country: 'Austria', to: `${destination}/at` },
      { device: 'tablet', to: `${destination}/t` },
      { language: 'de', to: `${destination}/d` },
    ),
    utm_source: '',
    'parameter-name': ['a'],
    'parameter-value': ['b'],
    type: `overlay-${overlay.id}`,
    pixels: String(firstPixel.id),
    metaTitle: 'Other',
    metaDescription: 'Words',
    metaImage: 'https://example.com/b.jpg',
    password: 'another one',
  })
  expect(changed.statusCode).toBe(303)
  expect(await form.getStored(id)).toMatchObject({
    url: `${destination}/2`,
    alias: 'other-name',
    domain: null,
    tags: ['Autumn'],
    shortUrl: 'http://brev.test/other-name',
    expiresAt: new Date('2032-01-01T23:59:59.999Z'),
    geoTargets: [{ location: 'AT', link: `${destination}/at` }],
    deviceTargets: [{ device: 'tablet', link: `${destination}/t` }],
    languageTargets: [{ language: 'de', link: `${destination}/d` }],
    parameters: [{ name: 'a', value: 'b' }],
    type: `overlay-${overlay.id}`,
    pixels: [firstPixel.id],
    metaTitle: 'Other',
    metaDescription: 'Words',
    metaImage: 'https://example.com/b.jpg',
    hasPassword: true,
  })

  const cleared = await form.change(id, {
    url: destination,
    alias: 'other-name',
    type: 'direct',
    removePassword: 'yes',
  })
  expect(cleared.statusCode).toBe(303)
  expect(await form.getStored(id)).toMatchObject({
    alias: 'other-name',
    tags: [],
    expiresAt: null,
    geoTargets: [],
    deviceTargets: [],
    languageTargets: [],
    parameters: [],
    type: 'direct',
    pixels: [],
    metaTitle: null,
    metaDescription: null,
    metaImage: null,
    hasPassword: false,
  })
})

test.for([
  [{ url: '' }, 'url'],
  [{ url: 'javascript:alert(1)' }, 'url'],
  [{ url: 'http://brev.test/x' }, 'url'],
  [{ alias: 'no spaces' }, 'alias'],
  [{ alias: 'Console' }, 'alias'],
  [{ alias: 'taken' }, 'alias'],
  [{ domain: 'someone.test' }, 'domain'],
  [{ tags: `a, ${'x'.repeat(51)}` }, 'tags'],
  [{ tags: Array.from({ length: 21 }, (_, index) => `t${index}`).join() }, 'tags'],
  [{ expiresDay: '2020-01-01' }, 'expiresDay'],
  [{ expiresDay: 'soon' }, 'expiresDay'],
  [{ expiresTime: '10:00' }, 'expiresDay'],
  [{ expiresDay: '2031-02-30' }, 'expiresDay'],
  [toRuleFields({ country: 'Atlantis', to: destination }), 'rule-0-country'],
  [toRuleFields({ country: 'DE', to: '' }), 'rule-0-to'],
  [toRuleFields({ country: '', to: destination }), 'rule-0-country'],
  [toRuleFields({ to: destination }), 'rule-0-add'],
  [toRuleFields(...Array(51).fill({ country: 'DE', to: destination })), 'rules'],
  [toRuleFields({ device: 'toaster', to: destination }), 'rule-0-device'],
  [
    toRuleFields({ device: 'ipad', to: destination }, { os: 'Linux', to: 'ftp://a.test/' }),
    'rule-1-to',
  ],
  [toRuleFields({ language: 'Klingon', to: destination }), 'rule-0-language'],
  [toRuleFields({ browser: 'Mosaic 0.1', to: destination }), 'rule-0-browser'],
  [toRuleFields({ os: 'Beos', to: destination }), 'rule-0-os'],
  [toRuleFields({ query: '=x', to: destination }), 'rule-0-query'],
  [
    toRuleFields({ 'time-days': 'mon', 'time-zone': 'Mars/X', to: destination }),
    'rule-0-time-zone',
  ],
  [toRuleFields({ 'time-from': '9', 'time-zone': 'UTC', to: destination }), 'rule-0-time-from'],
  [toRuleFields({ 'time-days': '', 'time-zone': 'UTC', to: destination }), 'rule-0-time-days'],
  [{ 'parameter-name': ['a', ''], 'parameter-value': ['', 'lost'] }, 'parameter-1-name'],
  [{ 'parameter-name': 'x'.repeat(257), 'parameter-value': '' }, 'parameter-0-name'],
  [{ 'parameter-name': 'a', 'parameter-value': 'x'.repeat(2049) }, 'parameter-0-value'],
  [{ 'parameter-name': Array(101).fill('a'), 'parameter-value': '' }, 'parameter'],
  [{ type: 'sideways' }, 'type'],
  [{ type: '4711' }, 'type'],
  [{ type: 'overlay-4711' }, 'type'],
  [{ pixels: '4711' }, 'pixels'],
  [{ pixels: 'NaN' }, 'pixels'],
  [{ metaTitle: 'x'.repeat(513) }, 'metaTitle'],
  [{ metaTitle: 'a\0b' }, 'metaTitle'],
  [{ metaDescription: 'x'.repeat(2049) }, 'metaDescription'],
  [{ metaImage: 'javascript:alert(1)' }, 'metaImage'],
  [{ password: 'x'.repeat(201) }, 'password'],
] as [Fields, string][])(
  'the form with %j shows an error at the field %s and stores nothing',
  async ([values, fieldId], { form, make, owner }) => {
    // Fails if an earlier case has created this link.
    await make.link(owner, { alias: 'taken' }).catch(() => {})
    const { id } = await make.link(owner, { password: 'kept' })
    const before = [await form.getStored(id), (await form.getNewest()).total]
    const input = { url: destination, metaImage: 'https://example.com/entered.png', ...values }
    for (const reply of [await form.create(input), await form.change(id, input)]) {
      expect([fieldId, reply.statusCode]).toEqual([fieldId, 422])
      expect(reply.body.match(/ autofocus/g)).toHaveLength(1)
      expect(reply.body).toMatch(new RegExp(`id="${fieldId}"[^>]* autofocus`))
      expect(reply.body).toContain(`href="#${fieldId}"`)
      const position = reply.body.indexOf(`id="${fieldId}"`)
      const group = reply.body.lastIndexOf('<details class="panel group"', position)
      const isInSidePanel = position > reply.body.indexOf('<aside class="side"')
      if (group !== -1 && !isInSidePanel)
        expect(reply.body.slice(group, position)).toMatch(/^<details [^>]* open>/)
      const formValues = valuesOf(reply.body)
      for (const [name, value] of Object.entries(input)) {
        const enteredTexts = [value].flat().filter((text) => text !== '')
        expect(formValues[name]).toEqual(expect.arrayContaining(enteredTexts))
      }
    }
    expect([await form.getStored(id), (await form.getNewest()).total]).toEqual(before)
  },
)

test('rejects splash pages, overlays, pixels and domains of another account', async ({
  form,
  make,
}) => {
  const otherOwner = await make.owner()
  const secret = 'name-of-another-account'
  const { host } = await make.domain(otherOwner)
  const foreignValues: [Fields, string][] = [
    [{ type: String((await make.splash(otherOwner, { name: secret })).id) }, 'type'],
    [{ type: `overlay-${(await make.overlay(otherOwner, { name: secret })).id}` }, 'type'],
    [{ pixels: String((await make.pixel(otherOwner, { name: secret })).id) }, 'pixels'],
    [{ domain: host }, 'domain'],
  ]
  for (const [values, fieldId] of foreignValues) {
    const reply = await form.create({ url: destination, ...values })
    expect([reply.statusCode, reply.body.includes(secret)]).toEqual([422, false])
    expect(reply.body).toMatch(new RegExp(`id="${fieldId}"[^>]* autofocus`))
  }
})

test('returns 404 for foreign and unknown links', async ({ form, make, owner, person }) => {
  const foreignLink = await make.link(await make.owner(), { alias: 'theirs' })
  // The next id is that of the code's own link, which has no form.
  await make.qr(owner)
  for (const id of [
    foreignLink.id,
    foreignLink.id + 1,
    '0',
    'x',
    '9'.repeat(30),
    '1e3',
    '-1',
    '%00',
  ]) {
    const url = `/console/links/${id}/edit`
    const reply = await person.open(url)
    expect([id, reply.statusCode, reply.body.includes('theirs')]).toEqual([id, 404, false])
  }
  expect((await form.change(foreignLink.id, { url: destination })).statusCode).toBe(404)
})

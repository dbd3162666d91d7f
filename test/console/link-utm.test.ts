import { expect } from 'vitest'
import { signIn } from '../support/console.ts'
import { editTest } from '../support/edit-test.ts'
import { unescapeHtml } from '../support/forms.ts'
import { valuesOf } from '../support/link-form.ts'

const test = editTest()

const url = 'https://example.com/'
const saveTemplate = { more: 'utm:save', 'utm-name': 'Newsletter' }

/** Returns the ids of the templates on a page by name. */
function readTemplates(body: string): Record<string, string> {
  const select = /<select [^>]*name="utm-template"[\s\S]*?<\/select>/.exec(body)?.[0] ?? ''
  const options = [...select.matchAll(/value="(\d+)"[^>]*>([^<]*)</g)]
  return Object.fromEntries(options.map(([, id, name]) => [name, id]))
}

test('stores UTM fields before the other parameters', async ({ form }) => {
  await form.create({
    url,
    utm_campaign: ' spring ',
    utm_source: 'mail',
    utm_term: '',
    'parameter-name': ['ref', 'utm_medium'],
    'parameter-value': ['a', 'poster'],
  })
  const { id } = await form.getNewest()
  const parameters = [
    { name: 'utm_source', value: 'mail' },
    { name: 'utm_campaign', value: 'spring' },
    { name: 'ref', value: 'a' },
    { name: 'utm_medium', value: 'poster' },
  ]
  expect((await form.getStored(id)).parameters).toEqual(parameters)
  const formValues = await form.readValues(id)
  expect(formValues).toMatchObject({
    utm_source: ['mail'],
    utm_medium: ['poster'],
    utm_content: [''],
    'parameter-name': ['ref', ''],
  })
  const { utm_source: _, ...otherValues } = formValues
  await form.change(id, { ...otherValues, utm_medium: '' })
  expect((await form.getStored(id)).parameters).toEqual([parameters[1], parameters[2]])
})

test('saving an unchanged form keeps the order of parameters', async ({ form, make, owner }) => {
  const parameters = [
    { name: 'ref', value: 'a' },
    { name: 'utm_medium', value: 'b' },
    { name: 'utm_source', value: '' },
    { name: 'utm_medium', value: 'c' },
  ]
  const { id } = await make.link(owner, { parameters })
  expect((await form.change(id, await form.readValues(id))).statusCode).toBe(303)
  expect((await form.getStored(id)).parameters).toEqual(parameters)
})

test.for([
  [{ utm_term: 'x'.repeat(2049) }, 'utm_term'],
  [
    { utm_source: 'a', 'parameter-name': 'x'.repeat(257), 'parameter-value': 'b' },
    'parameter-0-name',
  ],
  [
    { utm_source: 'a', 'parameter-name': ['b', ''], 'parameter-value': ['', 'c'] },
    'parameter-1-name',
  ],
  [{ ...saveTemplate, 'utm-name': '', utm_source: 'a' }, 'utm-name'],
  [{ ...saveTemplate, 'utm-name': 'x'.repeat(101), utm_source: 'a' }, 'utm-name'],
  [saveTemplate, 'utm_source'],
  [{ ...saveTemplate, utm_source: 'x'.repeat(2049) }, 'utm_source'],
] as const)(
  'the form with %j shows an error at the field %s',
  async ([values, fieldId], { form }) => {
    const reply = await form.create({ url, ...values })
    expect([fieldId, reply.statusCode]).toEqual([fieldId, 422])
    expect(reply.body.match(/ autofocus/g)).toHaveLength(1)
    expect(reply.body).toMatch(new RegExp(`id="${fieldId}"[^>]* autofocus`))
    expect(reply.body).toMatch(/id="group-parameters" open/)
    expect(reply.body).not.toContain('NaN')
  },
)

test('saves, applies and deletes templates and keeps the entered values', async ({ form }) => {
  const before = (await form.getNewest()).total
  const input = { url: 'incomplete', utm_source: 'mail', utm_medium: 'email' }
  const saved = await form.create({ ...input, ...saveTemplate })
  expect([saved.statusCode, valuesOf(saved.body).url]).toEqual([200, ['incomplete']])
  expect(saved.body).toContain('Template saved')
  const { Newsletter: id = '' } = readTemplates(saved.body)
  await form.create({ ...input, ...saveTemplate, utm_medium: 'letter' })

  const inputWithParameter = {
    url: 'incomplete',
    utm_source: 'old',
    utm_term: 'old',
    'parameter-name': 'ref',
  }
  const selection = { ...inputWithParameter, 'parameter-value': 'x', 'utm-template': id }
  const applied = await form.create({ ...selection, more: 'utm:apply' })
  expect(readTemplates(applied.body)).toEqual({ Newsletter: id })
  expect(valuesOf(applied.body)).toMatchObject({
    url: ['incomplete'],
    utm_source: ['mail'],
    utm_medium: ['letter'],
    utm_term: [''],
    'parameter-name': ['ref', ''],
  })
  expect(applied.body).toMatch(/id="utm_source"[^>]* autofocus/)

  const deleted = await form.create({ ...selection, more: 'utm:delete' })
  expect([readTemplates(deleted.body), valuesOf(deleted.body).utm_source]).toEqual([{}, ['old']])
  expect((await form.getNewest()).total).toBe(before)
})

test('templates of another account cannot be applied or deleted', async ({ app, form, make }) => {
  const { body } = await form.create({ url, utm_source: 'ours', ...saveTemplate })
  const { Newsletter: id = '' } = readTemplates(body)
  const otherOwner = await signIn(app, (await make.owner()).account.email)
  for (const more of ['utm:apply', 'utm:delete']) {
    const values = { url, 'utm-template': id, more }
    const reply = await otherOwner.send('/console/links/new', values)
    expect([reply.statusCode, valuesOf(reply.body).utm_source]).toEqual([200, ['']])
  }
  expect(readTemplates((await form.create({ url, more: 'utm:apply' })).body)).toEqual({
    Newsletter: id,
  })
})

const NO_URL = 'Shown once the destination URL is complete.'

/** Returns the final URL on a page with the form. */
function readFinalUrl(body: string): string {
  const [, text = ''] = /data-answer="\/console\/links\/final"[^>]*>([^<]*)</.exec(body) ?? []
  return unescapeHtml(text)
}

test('shows the URL to which visitors are redirected: while typing, before and after saving', async ({
  app,
  form,
  make,
  owner,
  person,
}) => {
  const { host } = await make.domain(owner, { forwardQuery: true })
  await make.domain(await make.owner(), { domain: 'https://foreign.test' })
  const parameters = {
    utm_source: ' a&b ',
    utm_term: 'ü c',
    'parameter-name': ['ref', 'utm_source'],
    'parameter-value': ['', 'two'],
  }
  const overridden = { url: 'https://example.com/?a=1&utm_source=old', utm_source: 'new' }
  const withDefault = { domain: host, forwardQuery: '' }
  const inputs = [
    [{ url: 'example.com' }, 'https://example.com/'],
    [
      { url: 'https://example.com/a?b=%20c#d', ...parameters },
      'https://example.com/a?b=%20c&utm_source=a%26b&utm_term=%C3%BC+c&ref=&utm_source=two#d',
    ],
    [overridden, 'https://example.com/?a=1&utm_source=old&utm_source=new'],
    [{ ...overridden, forwardQuery: 'yes' }, 'https://example.com/?a=1&utm_source=new'],
    [{ ...overridden, ...withDefault }, 'https://example.com/?a=1&utm_source=new'],
    [
      { ...overridden, ...withDefault, forwardQuery: 'no' },
      'https://example.com/?a=1&utm_source=old&utm_source=new',
    ],
  ] as const
  for (const [index, [input, expected]] of inputs.entries()) {
    const typed = await person.send('/console/links/final', input)
    expect([typed.statusCode, typed.json()]).toEqual([200, { text: expected }])
    const rejected = await form.create({ ...input, alias: 'not valid' })
    expect([rejected.statusCode, readFinalUrl(rejected.body)]).toEqual([422, expected])
    expect((await form.create({ ...input, alias: `final-${index}` })).statusCode).toBe(303)
    const { id } = await form.getNewest()
    const page = await person.open(`/console/links/${id}/edit`)
    expect(readFinalUrl(page.body)).toBe(expected)
    const visit = await app.request({
      url: `/final-${index}`,
      headers: 'domain' in input ? { host } : {},
    })
    expect(visit.headers.location).toBe(expected)
  }
})

test('shows no final URL of destinations that are incomplete or not allowed', async ({
  app,
  form,
  person,
}) => {
  for (const url of [
    '',
    'word',
    'javascript:alert(1)',
    'https://a:b@example.com',
    'mailto:a@b.c',
  ]) {
    const typed = await person.send('/console/links/final', { url, utm_source: 'a' })
    expect([url, typed.statusCode, typed.json()]).toEqual([url, 200, { text: NO_URL }])
  }
  expect(readFinalUrl((await person.open('/console/links/new')).body)).toBe(NO_URL)
  const nameless = { url, 'parameter-name': '', 'parameter-value': 'a', domain: 'foreign.test' }
  const rejected = await form.create(nameless)
  expect([rejected.statusCode, readFinalUrl(rejected.body)]).toEqual([422, url])
  const markup = await form.create({ url: 'https://example.com/?"><b>', alias: 'not valid' })
  expect(readFinalUrl(markup.body)).toBe('https://example.com/?%22%3E%3Cb%3E')
  const signedOut = await app.request({ method: 'POST', url: '/console/links/final' })
  expect(signedOut.statusCode).toBe(303)
})

import { expect } from 'vitest'
import { signIn } from '../support/console.ts'
import { editTest } from '../support/edit-test.ts'
import { valuesOf } from '../support/link-form.ts'

const test = editTest()

const url = 'https://example.com/'
const save = { more: 'utm:save', 'utm-name': 'Newsletter' }

/** The ids of the offered templates by their names. */
function templatesIn(body: string): Record<string, string> {
  const select = /<select name="utm-template"[\s\S]*?<\/select>/.exec(body)?.[0] ?? ''
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
  const { utm_source: _, ...others } = formValues
  await form.change(id, { ...others, utm_medium: '' })
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
  [{ ...save, 'utm-name': '', utm_source: 'a' }, 'utm-name'],
  [{ ...save, 'utm-name': 'x'.repeat(101), utm_source: 'a' }, 'utm-name'],
  [save, 'utm_source'],
  [{ ...save, utm_source: 'x'.repeat(2049) }, 'utm_source'],
] as const)('the form with %j shows the error at %s', async ([values, place], { form }) => {
  const reply = await form.create({ url, ...values })
  expect([place, reply.statusCode]).toEqual([place, 422])
  expect(reply.body.match(/ autofocus/g)).toHaveLength(1)
  expect(reply.body).toMatch(new RegExp(`id="${place}"[^>]* autofocus`))
  expect(reply.body).toMatch(/id="group-parameters" open/)
  expect(reply.body).not.toContain('NaN')
})

test('saves, applies and deletes templates without losing typed values', async ({ form }) => {
  const before = (await form.getNewest()).total
  const typed = { url: 'half', utm_source: 'mail', utm_medium: 'email' }
  const saved = await form.create({ ...typed, ...save })
  expect([saved.statusCode, valuesOf(saved.body).url]).toEqual([200, ['half']])
  expect(saved.body).toContain('Template saved')
  const { Newsletter: id = '' } = templatesIn(saved.body)
  await form.create({ ...typed, ...save, utm_medium: 'letter' })

  const mine = { url: 'half', utm_source: 'old', utm_term: 'old', 'parameter-name': 'ref' }
  const choice = { ...mine, 'parameter-value': 'x', 'utm-template': id }
  const applied = await form.create({ ...choice, more: 'utm:apply' })
  expect(templatesIn(applied.body)).toEqual({ Newsletter: id })
  expect(valuesOf(applied.body)).toMatchObject({
    url: ['half'],
    utm_source: ['mail'],
    utm_medium: ['letter'],
    utm_term: [''],
    'parameter-name': ['ref', ''],
  })
  expect(applied.body).toMatch(/id="utm_source"[^>]* autofocus/)

  const deleted = await form.create({ ...choice, more: 'utm:delete' })
  expect([templatesIn(deleted.body), valuesOf(deleted.body).utm_source]).toEqual([{}, ['old']])
  expect((await form.getNewest()).total).toBe(before)
})

test('templates of another account cannot be applied or deleted', async ({ app, form, make }) => {
  const { body } = await form.create({ url, utm_source: 'ours', ...save })
  const { Newsletter: id = '' } = templatesIn(body)
  const otherOwner = await signIn(app, (await make.owner()).account.email)
  for (const more of ['utm:apply', 'utm:delete']) {
    const values = { url, 'utm-template': id, more }
    const reply = await otherOwner.send('/console/links/new', values)
    expect([reply.statusCode, valuesOf(reply.body).utm_source]).toEqual([200, ['']])
  }
  expect(templatesIn((await form.create({ url, more: 'utm:apply' })).body)).toEqual({
    Newsletter: id,
  })
})

import { expect } from 'vitest'
import { listCountryNames } from '../../src/visitors/country-names.ts'
import { editTest } from '../support/edit-test.ts'
import { toRuleFields, valuesOf } from '../support/link-form.ts'

const test = editTest()

const destination = 'https://example.com/target'
const exampleUrl = (name: string) => `https://example.com/${name}`

test('stores and shows rules with every condition', async ({ form }) => {
  const values = toRuleFields(
    { country: 'Germany', device: 'mobile', to: exampleUrl('a') },
    { language: 'French', browser: 'firefox', os: 'windows', to: exampleUrl('b') },
    {
      country: 'Germany, AT,Switzerland',
      device: ['', 'iphone', 'tablet'],
      language: 'French, en-GB',
      browser: 'firefox, Safari,',
      os: 'Windows 10, linux',
      to: exampleUrl('list'),
    },
    { query: 'utm_source=news & more&ref=', to: exampleUrl('c') },
    {
      'time-days': ['fri', 'mon'],
      'time-from': '09:00',
      'time-until': '17:30',
      'time-zone': 'europe/berlin',
      to: exampleUrl('d'),
    },
  )
  await form.create({ url: destination, ...values })
  const { id } = await form.getNewest()
  const rules = [
    { when: { country: 'DE', device: 'mobile' }, to: exampleUrl('a') },
    { when: { language: 'fr', browser: 'Firefox', os: 'Windows' }, to: exampleUrl('b') },
    {
      when: {
        country: ['DE', 'AT', 'CH'],
        device: ['iphone', 'tablet'],
        language: ['fr', 'en-gb'],
        browser: ['Firefox', 'Safari'],
        os: ['Windows 10', 'Linux'],
      },
      to: exampleUrl('list'),
    },
    { when: { query: { utm_source: 'news ', ' more': '', ref: '' } }, to: exampleUrl('c') },
    {
      when: {
        time: { days: ['mon', 'fri'], from: '09:00', until: '17:30', zone: 'Europe/Berlin' },
      },
      to: exampleUrl('d'),
    },
  ]
  expect((await form.getStored(id)).rules).toEqual(rules)
  const formValues = await form.readValues(id)
  expect(formValues).toMatchObject({
    'rule-0-country': ['Germany'],
    'rule-2-country': ['Germany, Austria, Switzerland'],
    'rule-4-time-days': ['mon', 'fri'],
    'rule-4-time-zone': ['Europe/Berlin'],
  })
  expect((await form.change(id, formValues)).statusCode).toBe(303)
  expect((await form.getStored(id)).rules).toEqual(rules)
})

test('stores rules in the submitted order', async ({ form, make, owner }) => {
  const { id } = await make.link(owner)
  const values = toRuleFields(
    { country: 'DE', to: exampleUrl('de') },
    { country: 'FR', to: exampleUrl('fr') },
  )
  await form.change(id, { url: destination, ...values, rule: ['1', '0'] })
  expect((await form.getStored(id)).rules.map(({ when }) => when.country)).toEqual(['FR', 'DE'])
  await form.change(id, { url: destination })
  expect((await form.getStored(id)).rules).toEqual([])
})

test.for([
  ['rules:add', ['a', 'b', ''], 'rule-2-country'],
  ['rules:0:down', ['b', 'a'], 'rule-1'],
  ['rules:1:up', ['b', 'a'], 'rule-0'],
  ['rules:0:up', ['a', 'b'], 'rule-0'],
  ['rules:0:remove', ['b'], 'rules'],
  ['rules:7:remove', ['a', 'b'], 'rules'],
  ['rules:1:add', ['a', 'b'], 'rule-1-country'],
  ['rules:0:drop:device', ['a', 'b'], 'rule-0-add'],
] as [value: string, order: string[], focusedId: string][])(
  'the button with the value %s works without scripts',
  async ([more, order, focusedId], { form }) => {
    const before = (await form.getNewest()).total
    const values = toRuleFields({ device: 'mobile', to: 'a' }, { os: 'Linux', to: 'b' })
    const reply = await form.create({ url: 'incomplete', ...values, more })
    expect(reply.statusCode).toBe(200)
    const formValues = valuesOf(reply.body)
    expect(formValues.rule?.map((_, index) => formValues[`rule-${index}-to`]?.[0])).toEqual(order)
    expect(formValues.url).toEqual(['incomplete'])
    expect(reply.body.match(/ autofocus/g)).toHaveLength(1)
    expect(reply.body).toMatch(new RegExp(`id="${focusedId}"[^>]* autofocus`))
    expect(reply.body).toMatch(/id="group-where" open/)
    expect((await form.getNewest()).total).toBe(before)
  },
)

test('a new time condition starts in the time zone of the user', async ({ form }) => {
  const values = { ...toRuleFields({ to: destination }), 'rule-0-add': 'time', more: 'rules:0:add' }
  const formValues = valuesOf((await form.create({ url: destination, ...values })).body)
  expect(formValues['rule-0-time-zone']).toEqual(['UTC'])
  const removal = { ...formValues, more: 'rules:0:drop:time' }
  expect(Object.keys(valuesOf((await form.create(removal)).body))).not.toContain('rule-0-time-zone')
})

test('shows an error next to the invalid rule, with its number', async ({ form }) => {
  const values = toRuleFields(
    ...Array.from({ length: 9 }, () => ({ country: 'DE', to: destination })),
    {
      country: 'Atlantis',
      to: destination,
    },
  )
  const { body, statusCode } = await form.create({ url: destination, ...values })
  expect(statusCode).toBe(422)
  expect(body).toContain('Rule 10: Is not a known country: Atlantis.')
  // Only the invalid rule is expanded.
  expect(body.match(/<details open>/g)).toHaveLength(1)
})

test('keeps more rules than the form can add, but adds none', async ({ form, make, owner }) => {
  const { id } = await make.link(owner, {
    geoTargets: listCountryNames()
      .slice(0, 249)
      .map((location) => ({ location, link: `${destination}?${'&=/'.repeat(100)}` })),
  })
  const formValues = await form.readValues(id)
  expect(
    (await form.change(id, { ...formValues, 'rule-0-to': exampleUrl('first') })).statusCode,
  ).toBe(303)
  expect((await form.getStored(id)).geoTargets).toHaveLength(249)
  expect((await form.getStored(id)).rules[0]?.to).toBe(exampleUrl('first'))
  const addedRule = {
    rule: [...(formValues.rule ?? []), 'x'],
    'rule-x-os': 'Linux',
    'rule-x-to': destination,
  }
  expect((await form.change(id, { ...formValues, ...addedRule })).statusCode).toBe(422)
})

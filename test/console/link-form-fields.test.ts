import { expect } from 'vitest'
import { getLink } from '../../src/links/link.service.ts'
import { findCampaignIdsOfLink } from '../../src/resources/campaign-links.ts'
import { findChannelIdsOfLink } from '../../src/resources/channel-items.ts'
import { scopeOf } from '../../src/scope.ts'
import { editTest } from '../support/edit-test.ts'
import { valuesOf } from '../support/link-form.ts'

const test = editTest()

const destination = 'https://example.com/target'

test('adds a link to campaigns and channels and removes it', async ({
  app,
  form,
  make,
  owner,
  person,
}) => {
  const firstCampaign = await make.campaign(owner, { name: 'Spring & <b>' })
  const secondCampaign = await make.campaign(owner)
  const channel = await make.channel(owner)
  const otherCampaign = await make.campaign(await make.owner())
  const getMemberships = async (id: number) => [
    await findCampaignIdsOfLink({ ...app.services, accountId: owner.account.id }, id),
    await findChannelIdsOfLink({ ...app.services, accountId: owner.account.id }, id),
  ]
  const before = await form.getNewest()
  for (const [fieldId, id] of [
    ['campaigns', String(otherCampaign.id)],
    ['channels', '999999'],
    ['channels', 'x'],
  ] as const) {
    const rejected = await form.create({ url: destination, [fieldId]: id })
    expect(rejected.statusCode).toBe(422)
    expect(rejected.body).toContain(`<a href="#${fieldId}">`)
  }
  expect(await form.getNewest()).toEqual(before)

  const campaigns = [String(firstCampaign.id), String(secondCampaign.id)]
  await form.create({ url: destination, campaigns, channels: String(channel.id) })
  const { id } = await form.getNewest()
  expect(await getMemberships(id)).toEqual([[firstCampaign.id, secondCampaign.id], [channel.id]])
  const formValues = await form.readValues(id)
  expect([formValues.campaigns, formValues.channels]).toEqual([campaigns, [String(channel.id)]])
  expect((await person.open(`/console/links/${id}/edit`)).body).toContain('Spring &amp; &lt;b&gt;')

  expect((await form.change(id, formValues)).statusCode).toBe(303)
  expect(await getMemberships(id)).toEqual([[firstCampaign.id, secondCampaign.id], [channel.id]])
  await form.change(id, { ...formValues, campaigns: String(secondCampaign.id), channels: [] })
  expect(await getMemberships(id)).toEqual([[secondCampaign.id], []])
  const rejected = await form.change(id, {
    ...formValues,
    url: `${destination}/new`,
    campaigns: '999999',
  })
  expect(rejected.statusCode).toBe(422)
  expect((await form.getStored(id)).url).toBe(destination)
  expect(await getMemberships(id)).toEqual([[secondCampaign.id], []])
})

test('shows, changes and validates the start, click limit and expired URL', async ({
  app,
  form,
  make,
  owner,
  person,
}) => {
  const expiredUrl = 'https://example.com/over'
  const { id } = await make.link(owner, {
    startsAt: '2020-01-02 03:04:05',
    maxClicks: 7,
    expiredUrl,
  })
  const formValues = valuesOf((await person.open(`/console/links/${id}/edit`)).body)
  expect(formValues).toMatchObject({
    startsDay: ['2020-01-02'],
    startsTime: ['03:04:05'],
    maxClicks: ['7'],
    expiredUrl: [expiredUrl],
  })
  const change = { startsTime: '', maxClicks: '1000', expiredUrl: '' }
  expect((await form.change(id, { ...formValues, ...change })).statusCode).toBe(303)
  expect(await getLink(scopeOf(app.services, owner.account.id), id)).toMatchObject({
    startsAt: new Date('2020-01-02T00:00:00Z'),
    maxClicks: 1000,
    expiredUrl: null,
  })
  const page = await person.open(`/console/links/${id}`)
  expect(page.body).toContain('0 of 1,000 clicks used')
  const invalidInputs = [
    [{ maxClicks: '0' }, 'Must be a whole number from 1 to 1000000.'],
    [{ maxClicks: 'ten' }, 'Must be a whole number from 1 to 1000000.'],
    [{ expiredUrl: 'http://brev.test/x' }, 'the short-link service itself'],
    [{ startsDay: '2026-02-30' }, 'Is not a date that exists.'],
    [{ startsDay: '2099-01-02', expiresDay: '2099-01-01' }, 'Must be before the expiration.'],
  ] as const
  for (const [input, text] of invalidInputs) {
    const reply = await form.change(id, { ...formValues, ...input })
    expect(reply.statusCode).toBe(422)
    expect(reply.body).toContain(text)
  }
})

test('shows, changes, validates and removes a split', async ({
  app,
  form,
  make,
  owner,
  person,
}) => {
  const split = [
    { to: 'https://example.com/a', weight: 60 },
    { to: 'https://example.com/b', weight: 40 },
  ]
  const { id } = await make.link(owner, { split })
  const formValues = valuesOf((await person.open(`/console/links/${id}/edit`)).body)
  expect(formValues['split-value']?.slice(0, 2)).toEqual(['60', '40'])
  const [first = '', second = ''] = split.map(({ to }) => to)
  const change = (names: string[], weights: string[]) =>
    form.change(id, { ...formValues, 'split-name': names, 'split-value': weights })
  expect((await change([first, second], ['1', '100'])).statusCode).toBe(303)
  const getStoredSplit = async () =>
    (await getLink(scopeOf(app.services, owner.account.id), id)).split
  expect(await getStoredSplit()).toEqual([
    { to: first, weight: 1 },
    { to: second, weight: 100 },
  ])
  for (const [names, weights, error] of [
    [[first], ['1'], 'Must have 2 to 10 entries.'],
    [[first, second], ['1', ''], 'Must be a whole number from 1 to 100.'],
    [[first, 'nowhere'], ['1', '2'], 'Must be a valid http or https URL.'],
  ] as const) {
    const reply = await change([...names], [...weights])
    expect(reply.statusCode).toBe(422)
    expect(reply.body).toContain(error)
  }
  expect((await change([''], [''])).statusCode).toBe(303)
  expect(await getStoredSplit()).toEqual([])
})

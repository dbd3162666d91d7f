import { expect } from 'vitest'
import { deleteLink } from '../../src/links/link.service.ts'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { addItemToChannel } from '../../src/resources/channel-items.ts'
import { scopeOf } from '../../src/scope.ts'
import { IPHONE, statsTest, stepsWithClicks } from '../support/stats-test.ts'

const test = statsTest()

test('GET /api/qr/:id/stats counts scans of dynamic codes, and none of static ones', async ({
  app,
  make,
  client: { visit, getStats },
}) => {
  const owner = await make.owner()
  const code = await make.qr(owner)
  const [row] = await app.services.database.db
    .selectFrom('links')
    .innerJoin('qr_codes', 'qr_codes.link_id', 'links.id')
    .select('links.alias')
    .where('qr_codes.id', '=', code.id)
    .execute()
  await visit(`${app.baseUrl}/${row?.alias}`, [{ at: '2026-11-02T10:00:00Z' }])
  app.clock.set('2026-11-05T08:00:00Z')
  const scans = await getStats(owner, `/api/qr/${code.id}/stats`)
  expect(scans).toMatchObject({ clicks: 1, newVisitors: 1 })
  expect(scans).not.toHaveProperty('links')
  const staticCode = await make.qr(owner, { type: 'text', data: 'Hello' })
  expect(await getStats(owner, `/api/qr/${staticCode.id}/stats`)).toMatchObject({
    clicks: 0,
    countries: [],
  })
})

test('statistics of campaigns and channels total their current links and list the most clicked', async ({
  app,
  make,
  client: { visit, getStats },
}) => {
  const owner = await make.owner()
  const first = await make.link(owner)
  const second = await make.link(owner)
  const outside = await make.link(owner)
  const campaign = await make.campaign(owner)
  const channel = await make.channel(owner)

  for (const { id } of [first, second]) {
    await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, campaign.id, id)
    await addItemToChannel({ ...app.services, accountId: owner.account.id }, channel.id, {
      type: 'links',
      id,
    })
  }
  await visit(first.shortUrl, [{ at: '2026-11-02T10:00:00Z' }])
  await visit(second.shortUrl, [
    { at: '2026-11-02T10:00:00Z' },
    { at: '2026-11-03T10:00:00Z', agent: IPHONE },
  ])
  await visit(outside.shortUrl, [{ at: '2026-11-03T10:00:00Z' }])
  app.clock.set('2026-11-05T08:00:00Z')
  const toEntry = ({ id, alias, shortUrl }: typeof first, clicks: number) => ({
    id,
    alias,
    clicks,
    shorturl: shortUrl,
  })
  for (const path of [`/api/campaign/${campaign.id}/stats`, `/api/channel/${channel.id}/stats`]) {
    const data = await getStats(owner, path)
    expect(data).toMatchObject({
      clicks: 3,
      newVisitors: 3,
      links: [toEntry(second, 2), toEntry(first, 1)],
      devices: [
        { label: 'Desktop', clicks: 2 },
        { label: 'Mobile', clicks: 1 },
      ],
    })
    expect(stepsWithClicks(data)).toEqual(['2026-11-02 2 2', '2026-11-03 1 1'])
    expect((await getStats(owner, `${path}?limit=1`)).links).toEqual([toEntry(second, 2)])
  }
  expect(await getStats(owner, '/api/stats')).toMatchObject({
    clicks: 4,
    links: [toEntry(second, 2), toEntry(outside, 1), toEntry(first, 1)],
  })
})

test('GET /api/stats includes clicks of deleted links in totals but not in lists', async ({
  app,
  make,
  client: { visit, getStats },
}) => {
  const owner = await make.owner()
  const remainingLink = await make.link(owner)
  const deletedLink = await make.link(owner)
  const campaign = await make.campaign(owner)
  await addLinkToCampaign(
    { ...app.services, accountId: owner.account.id },
    campaign.id,
    deletedLink.id,
  )
  await visit(remainingLink.shortUrl, [{ at: '2026-11-02T10:00:00Z' }])
  await visit(deletedLink.shortUrl, [{ at: '2026-11-02T11:00:00Z' }])
  await deleteLink(scopeOf(app.services, owner.account.id), deletedLink.id)
  app.clock.set('2026-11-05T08:00:00Z')
  const data = await getStats(owner, '/api/stats?from=2026-11-02&to=2026-11-02&interval=hour')
  expect(stepsWithClicks(data)).toEqual(['2026-11-02 10:00:00 1 1', '2026-11-02 11:00:00 1 1'])
  expect(data).toMatchObject({ clicks: 2, browsers: [{ label: 'Firefox', clicks: 2 }] })
  expect(data.links.map(({ id }: { id: number }) => id)).toEqual([remainingLink.id])
  expect(await getStats(owner, `/api/campaign/${campaign.id}/stats`)).toMatchObject({
    clicks: 0,
    links: [],
  })
})

test('requests for statistics of another account’s resources or of unknown IDs return 404', async ({
  make,
  client: { get },
}) => {
  const owner = await make.owner()
  const otherOwner = await make.owner()
  const ids = {
    url: (await make.link(owner)).id,
    qr: (await make.qr(owner)).id,
    campaign: (await make.campaign(owner)).id,
    channel: (await make.channel(owner)).id,
  }
  for (const [resource, id] of Object.entries(ids)) {
    const foreign = await get(otherOwner, `/api/${resource}/${id}/stats`)
    const unknown = await get(otherOwner, `/api/${resource}/999999/stats`)
    expect([foreign.statusCode, foreign.body]).toEqual([404, unknown.body])
    expect((await get(owner, `/api/${resource}/${id}/stats`)).statusCode).toBe(200)
  }
})

import { describe, expect } from 'vitest'
import { FIREFOX, IPHONE, statsTest, stepsWithClicks } from '../support/stats-test.ts'

const test = statsTest().extend('clickedLinks', async ({ app, make, client: { visit } }) => {
  const owner = await make.owner()
  const link = await make.link(owner)
  const otherLink = await make.link(owner)
  await visit(link.shortUrl, [
    { at: '2026-10-30T12:00:00Z', agent: IPHONE, languages: 'de' },
    { at: '2026-11-01T10:00:00Z', languages: 'de-AT', referer: 'https://a.example/x' },
    { at: '2026-11-01T23:30:00Z', from: '2', languages: 'fr' },
    { at: '2026-11-02T08:00:00Z', from: '3', agent: IPHONE, languages: 'de' },
    { at: '2026-11-02T09:00:00Z', from: '3', agent: IPHONE, languages: 'de' },
  ])
  await visit(otherLink.shortUrl, [{ at: '2026-11-02T10:00:00Z', agent: FIREFOX }])
  app.clock.set('2026-11-05T08:00:00Z')
  return { owner, link, otherLink, path: `/api/url/${link.id}/stats` }
})

describe('statistics with filters', () => {
  test('count clicks that match a selected label of every kind', async ({
    clickedLinks: { owner, link, otherLink, path },
    client: { getStats },
  }) => {
    const span = 'from=2026-11-01&to=2026-11-05'
    const mobile = await getStats(owner, `${path}?${span}&device=mobile`)
    expect(mobile).toMatchObject({ filtered: true, leftOut: 0, clicks: 2, newVisitors: 1 })
    expect(mobile.devices).toEqual([{ label: 'Mobile', clicks: 2 }])
    expect(mobile.browsers).toEqual([{ label: 'Safari', clicks: 2 }])
    expect(stepsWithClicks(mobile)).toEqual(['2026-11-02 2 1'])
    const german = await getStats(owner, `${path}?${span}&language=German&country=AU&country=DE`)
    expect(german.clicks).toBe(3)
    const combined = await getStats(
      owner,
      `${path}?${span}&language=de&language=fr&browser=Firefox`,
    )
    expect(combined).toMatchObject({ clicks: 2, newVisitors: 2 })
    const referrer = await getStats(owner, `${path}?${span}&referrer=a.example&os=Linux`)
    expect(referrer.referrers).toEqual([{ label: 'a.example', clicks: 1 }])
    const noClicks = await getStats(owner, `${path}?${span}&referrer=never.example`)
    expect(noClicks).toMatchObject({ clicks: 0, newVisitors: 0, countries: [], leftOut: 0 })
    const account = await getStats(owner, `/api/stats?${span}&browser=Firefox`)
    expect(account.clicks).toBe(3)
    expect(account.links).toMatchObject([
      { id: link.id, clicks: 2 },
      { id: otherLink.id, clicks: 1 },
    ])
  })

  test('match truncated destinations by the label or the full URL', async ({
    make,
    client: { getStats, visit },
  }) => {
    const owner = await make.owner()
    const destinations = [1, 2].map((n) => `https://example.com/?${'x'.repeat(500)}${n}`)
    const link = await make.link(owner, { split: destinations.map((to) => ({ to, weight: 1 })) })
    const visitors = Array.from({ length: 20 }, (_, index) => String(index))
    await visit(
      link.shortUrl,
      visitors.map((from) => ({ at: '2026-11-02T08:00:00Z', from })),
    )
    const path = `/api/url/${link.id}/stats?from=2026-11-01&to=2026-11-05`
    const { variants } = await getStats(owner, path)
    expect(variants.map(({ label }: { label: string }) => label.length)).toEqual([253, 253])
    for (const { label, clicks } of variants) {
      expect((await getStats(owner, `${path}&variant=${encodeURIComponent(label)}`)).clicks).toBe(
        clicks,
      )
    }
    const counts = await Promise.all(
      destinations.map(async (destination) => {
        const statistics = await getStats(
          owner,
          `${path}&variant=${encodeURIComponent(destination)}`,
        )
        return statistics.clicks
      }),
    )
    expect(counts.toSorted()).toEqual(
      variants.map(({ clicks }: { clicks: number }) => clicks).toSorted(),
    )
  })

  test('report how many clicks were left out because they have no raw clicks', async ({
    app,
    clickedLinks: { owner, link, path },
    client: { getStats },
  }) => {
    await app.services.database.pool.query(
      `insert into click_days (link_id, day, clicks, visitors, hours, labels)
       values ($1, '2026-11-03', 7, 0, '\\x0007', '')`,
      [link.id],
    )
    const statistics = await getStats(
      owner,
      `${path}?from=2026-11-01&device=mobile&tz=Europe/Berlin`,
    )
    expect(statistics).toMatchObject({ clicks: 2, leftOut: 7 })
    expect(
      (await getStats(owner, `${path}?from=2026-11-01&tz=Asia/Kolkata`)).approximate,
    ).toBeUndefined()
    const oneDay = await getStats(owner, `${path}?from=2026-11-03&tz=Etc/GMT-12&to=2026-11-03`)
    expect(oneDay.clicks).toBe(7)
    expect(oneDay.countries).toEqual([{ label: 'Other', code: '', clicks: 7 }])
  })

  test('require a period within the retention of raw clicks', async ({
    clickedLinks: { owner, path },
    client: { get },
  }) => {
    const tooEarly = await get(owner, `${path}?from=2025-10-31&device=mobile`)
    expect([tooEarly.statusCode, tooEarly.json().message]).toEqual([
      400,
      'from is too early: filters need raw clicks, which are available from 2025-11-01 (UTC)',
    ])
    const compared = await get(owner, `${path}?from=2026-09-01&device=mobile&compare=year`)
    expect([compared.statusCode, compared.json().message]).toEqual([
      400,
      'compare goes back too far: filters need raw clicks, which are available from 2025-11-01 (UTC)',
    ])
  })
})

describe('statistics in a time zone', () => {
  test('use its days and hours', async ({
    clickedLinks: { owner, path },
    client: { getStats },
  }) => {
    const berlin = await getStats(owner, `${path}?from=2026-11-01&to=2026-11-02&tz=Europe/Berlin`)
    expect(berlin).toMatchObject({ tz: 'Europe/Berlin', clicks: 4, newVisitors: 3 })
    expect(stepsWithClicks(berlin)).toEqual(['2026-11-01 1 1', '2026-11-02 3 2'])
    const kolkata = await getStats(
      owner,
      `${path}?from=2026-11-02&to=2026-11-02&tz=Asia/Kolkata&interval=hour`,
    )
    expect(stepsWithClicks(kolkata)).toEqual([
      '2026-11-02 05:00:00 1 1',
      '2026-11-02 13:00:00 1 1',
      '2026-11-02 14:00:00 1 0',
    ])
    expect(kolkata.languages).toEqual([
      { label: 'German', clicks: 2 },
      { label: 'French', clicks: 1 },
    ])
  })

  test('are marked approximate if partial hours lack raw clicks', async ({
    app,
    clickedLinks: { owner, link, path },
    client: { getStats },
  }) => {
    await app.services.database.pool.query('delete from clicks where link_id = $1', [link.id])
    const span = 'from=2026-11-01&to=2026-11-03'
    const kolkata = await getStats(owner, `${path}?${span}&tz=Asia/Kolkata&interval=hour`)
    expect(kolkata).toMatchObject({ approximate: true, clicks: 4 })
    const berlin = await getStats(owner, `${path}?${span}&tz=Europe/Berlin&interval=hour`)
    expect(berlin).not.toHaveProperty('approximate')
    expect(berlin.clicks).toBe(4)
  })

  test('end today in that zone', async ({
    app,
    clickedLinks: { owner, path },
    client: { getStats },
  }) => {
    app.clock.set('2026-11-05T23:30:00Z')
    const { from, to } = await getStats(owner, `${path}?tz=Asia/Tokyo`)
    expect([from, to]).toEqual(['2026-10-08', '2026-11-06'])
  })
})

describe('a comparison', () => {
  test('adds the figures of the preceding days', async ({
    clickedLinks: { owner, link, otherLink, path },
    client: { getStats, get },
  }) => {
    const query = 'from=2026-11-02&to=2026-11-03&compare=previous'
    const statistics = await getStats(owner, `${path}?${query}`)
    expect(statistics).toMatchObject({
      clicks: 2,
      comparison: { from: '2026-10-31', to: '2026-11-01', clicks: 2, newVisitors: 2 },
      browsers: [
        { label: 'Safari', clicks: 2, comparison: 0 },
        { label: 'Other', clicks: 0, comparison: 2 },
      ],
      timeline: [
        {
          start: '2026-11-02',
          clicks: 2,
          comparison: { start: '2026-10-31', clicks: 0, newVisitors: 0 },
        },
        {
          start: '2026-11-03',
          clicks: 0,
          comparison: { start: '2026-11-01', clicks: 2, newVisitors: 2 },
        },
      ],
    })
    const account = await getStats(owner, `/api/stats?${query}`)
    expect(account.links).toMatchObject([
      { id: link.id, clicks: 2, comparison: 2 },
      { id: otherLink.id, clicks: 1, comparison: 0 },
    ])
    const csv = await get(owner, `${path}?${query}&device=mobile&format=csv`)
    expect(csv.body).toBe(
      `\ufeffstart,clicks,newVisitors,comparisonStart,comparisonClicks,comparisonNewVisitors
2026-11-02,2,1,2026-10-31,0,0
2026-11-03,0,0,2026-11-01,0,0
`,
    )
  })

  test('with the previous year uses the same days', async ({
    clickedLinks: { owner, path },
    client: { getStats },
  }) => {
    const { comparison } = await getStats(
      owner,
      `${path}?from=2024-02-29&to=2024-03-02&compare=year`,
    )
    expect(comparison).toEqual({
      from: '2023-02-28',
      to: '2023-03-02',
      clicks: 0,
      newVisitors: 0,
    })
  })
})

test.for([
  ['country=XX', 'country must be a country code, such as DE, or an English name'],
  ['country=DE&country=', 'country must not be empty'],
  ['language=de-AT', 'language must be a language code, such as de, or an English name'],
  ['device=fridge', 'device must be one of Desktop, Mobile, Tablet, Unknown'],
  [`browser=${'x'.repeat(8193)}`, 'browser must have at most 8192 characters'],
  [Array(51).fill('os=Linux').join('&'), 'os takes at most 50 values'],
  ['tz=Mars/Olympus', 'tz must be an IANA time zone, such as Europe/Berlin'],
  ['tz=%2B01:00', 'tz must be an IANA time zone, such as Europe/Berlin'],
  ['compare=decade', 'compare must be one of previous, year'],
  [
    'compare=previous&from=1970-01-02&to=1970-03-01&interval=day',
    'compare would begin before 1970',
  ],
] as const)(
  'statistics with the query %s are rejected with 400 and the name of the parameter',
  async ([query, message], { clickedLinks: { owner, path }, client: { get } }) => {
    for (const url of [path, '/api/stats']) {
      const reply = await get(owner, `${url}?${query}`)
      expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
    }
  },
)

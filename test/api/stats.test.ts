import { describe, expect } from 'vitest'
import { type Click, FIREFOX, IPHONE, statsTest, stepsWithClicks } from '../support/stats-test.ts'

const test = statsTest()

describe('GET /api/url/:id/stats', () => {
  test("returns a link's clicks by day, country, referrer, device and language", async ({
    app,
    make,
    client: { visit, getStats },
  }) => {
    const owner = await make.owner()
    const link = await make.link(owner)
    await visit(link.shortUrl, [
      { at: '2026-11-01T10:00:00Z', languages: 'de-AT,de;q=0.9,en;q=0.5' },
      { at: '2026-11-01T23:59:59Z', referer: 'https://www.facebook.com/x', languages: 'de' },
      { at: '2026-11-03T00:00:00Z', from: '2', agent: IPHONE, languages: 'fr-FR' },
      { at: '2026-11-03T12:00:00Z' },
    ])
    app.clock.set('2026-11-05T08:00:00Z')
    const data = await getStats(owner, `/api/url/${link.id}/stats`)
    expect(data).toMatchObject({
      from: '2026-10-07',
      to: '2026-11-05',
      interval: 'day',
      clicks: 4,
      newVisitors: 2,
      countries: [{ label: 'Australia', code: 'AU', clicks: 4 }],
      referrers: [
        { label: 'Direct, email and other', clicks: 3 },
        { label: 'facebook.com', clicks: 1 },
      ],
      browsers: [
        { label: 'Firefox', clicks: 3 },
        { label: 'Safari', clicks: 1 },
      ],
      os: [
        { label: 'Linux', clicks: 3 },
        { label: 'iOS 17', clicks: 1 },
      ],
      devices: [
        { label: 'Desktop', clicks: 3 },
        { label: 'Mobile', clicks: 1 },
      ],
      languages: [
        { label: 'German', clicks: 2 },
        { label: 'French', clicks: 1 },
        { label: 'Unknown', clicks: 1 },
      ],
    })
    expect(data.timeline).toHaveLength(30)
    expect(data.timeline[0]).toEqual({ start: '2026-10-07', clicks: 0, newVisitors: 0 })
    expect(stepsWithClicks(data)).toEqual(['2026-11-01 2 1', '2026-11-03 2 1'])
  })

  test('excludes clicks outside of the period, and counts by hour, week and month', async ({
    app,
    make,
    client: { visit, getStats },
  }) => {
    const owner = await make.owner()
    const link = await make.link(owner)
    await visit(link.shortUrl, [
      { at: '2026-09-30T23:59:59Z', from: '3' },
      { at: '2026-10-31T05:30:00Z' },
      { at: '2026-11-01T05:59:59Z' },
      { at: '2026-11-01T06:00:00Z', from: '2' },
      { at: '2026-11-02T06:00:00Z', from: '2' },
    ])
    app.clock.set('2026-11-05T08:00:00Z')
    const path = `/api/url/${link.id}/stats`
    const hours = await getStats(owner, `${path}?from=2026-11-01&to=2026-11-02&interval=hour`)
    expect(hours.timeline).toHaveLength(48)
    expect(stepsWithClicks(hours)).toEqual([
      '2026-11-01 05:00:00 1 0',
      '2026-11-01 06:00:00 1 1',
      '2026-11-02 06:00:00 1 0',
    ])
    expect(hours).toMatchObject({ clicks: 3, newVisitors: 1 })
    const weeks = await getStats(owner, `${path}?from=2026-10-28&to=2026-11-05&interval=week`)
    expect(weeks.timeline).toEqual([
      { start: '2026-10-28', clicks: 3, newVisitors: 2 },
      { start: '2026-11-02', clicks: 1, newVisitors: 0 },
    ])
    const months = await getStats(owner, `${path}?from=2026-09-01&interval=month`)
    expect(stepsWithClicks(months)).toEqual(['2026-09-01 1 1', '2026-10-01 1 1', '2026-11-01 3 1'])
    const noClicks = await getStats(owner, `${path}?from=2026-08-01&to=2026-08-31`)
    expect(noClicks).toMatchObject({ clicks: 0, newVisitors: 0, countries: [], languages: [] })
    expect(noClicks.timeline).toHaveLength(31)
  })

  test('matches the all-time statistics over the whole period', async ({
    make,
    client: { visit, get, getStats },
  }) => {
    const owner = await make.owner()
    const link = await make.link(owner)
    const clicks = Array.from({ length: 40 }, (_, index) => ({
      at: new Date(Date.UTC(2026, 0, 1 + 7 * index, index % 24)).toISOString(),
      from: String(1 + (index % 7)),
      agent: index % 3 ? FIREFOX : IPHONE,
      referer: `https://r${index % 13}.example/`,
    }))
    await visit(link.shortUrl, clicks)
    const lifetime = await getStats(owner, `/api/url/${link.id}/stats?from=2025-12-31&limit=5`)
    const { data } = (await get(owner, `/api/url/${link.id}`)).json()
    expect(lifetime).toMatchObject({
      clicks: data.clicks,
      newVisitors: data.uniqueClicks,
      interval: 'week',
    })
    expect(data).toMatchObject({ clicks: 40, uniqueClicks: expect.any(Number) })
    for (const list of [
      'timeline',
      'countries',
      'referrers',
      'browsers',
      'os',
      'devices',
      'languages',
    ]) {
      const sum = lifetime[list].reduce(
        (total: number, entry: Click & { clicks: number }) => total + entry.clicks,
        0,
      )
      expect(sum, list).toBe(40)
    }
    expect(lifetime.referrers).toHaveLength(6)
    // One referrer has 4 clicks, and the other 12 have 3 each.
    expect(lifetime.referrers.at(-1)).toEqual({ label: 'Other', clicks: 40 - (4 + 4 * 3) })
  })

  test('returns the timeline as CSV', async ({ make, client: { visit, get } }) => {
    const owner = await make.owner()
    const link = await make.link(owner)
    await visit(link.shortUrl, [{ at: '2026-11-02T10:00:00Z' }])
    const reply = await get(
      owner,
      `/api/url/${link.id}/stats?from=2026-11-01&to=2026-11-03&format=csv`,
    )
    expect(reply.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(reply.body).toBe(
      '\ufeffstart,clicks,newVisitors\n2026-11-01,0,0\n2026-11-02,1,1\n2026-11-03,0,0\n',
    )
  })

  test.for([
    ['from=2026-02-30', 'from must be a date of the form YYYY-MM-DD'],
    ['to=tomorrow', 'to must be a date of the form YYYY-MM-DD'],
    ['from=2026-11-02&to=2026-11-01', 'from must not be after to'],
    ['interval=year', 'interval must be one of hour, day, week, month'],
    ['interval=hour', 'interval hour is for spans of up to 7 days'],
    ['from=2020-01-01&interval=day', 'interval day is for spans of up to 400 days'],
    ['limit=0', 'limit must be a whole number from 1 to 1000'],
    ['limit=1001', 'limit must be a whole number from 1 to 1000'],
    ['limit=ten', 'limit must be a whole number from 1 to 1000'],
    ['format=xml', 'format must be json or csv'],
    ['from=2026-11-01&from=2026-11-02', 'from must be a string'],
  ] as const)(
    'with %s returns 400 and names the parameter',
    async ([query, message], { app, make, client: { get } }) => {
      const owner = await make.owner()
      const link = await make.link(owner)
      app.clock.set('2026-11-05T08:00:00Z')
      for (const path of [`/api/url/${link.id}/stats`, '/api/stats']) {
        const reply = await get(owner, `${path}?${query}`)
        expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
      }
    },
  )
})

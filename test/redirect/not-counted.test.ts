import { describe, expect } from 'vitest'
import { purgeRemovedClicks } from '../../src/clicks/import.ts'
import { emptyTrash } from '../../src/links/trash.service.ts'
import { signedIn } from '../support/console.ts'
import type { Owner } from '../support/make.ts'
import { FIREFOX, statsTest } from '../support/stats-test.ts'

const SLACK = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'
const GOOGLE = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const UPTIME = 'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)'
const PREFETCH = { 'sec-purpose': 'prefetch' }

const test = statsTest().extend('visitAll', { scope: 'file' }, ({ app, request }) => {
  /** Visits a link as each kind of client on two days, and imports the visits. */
  return async (alias: string): Promise<void> => {
    const visit = (agent: string, method: 'GET' | 'HEAD' = 'GET', headers = {}) =>
      request({ method, url: `/${alias}`, headers: { 'user-agent': agent, ...headers } })
    app.clock.set('2026-11-01T23:59:00Z')
    for (const agent of [SLACK, SLACK, GOOGLE, FIREFOX]) await visit(agent)
    app.clock.set('2026-11-02T00:01:00Z')
    await visit(GOOGLE, 'HEAD')
    await visit(GOOGLE, 'GET', PREFETCH)
    await visit(UPTIME)
    await visit(FIREFOX, 'GET', PREFETCH)
    await visit('curl/8.5.0', 'HEAD')
    await visit('curl/8.5.0')
    await app.importClicks()
    app.clock.set('2026-11-05T08:00:00Z')
  }
})

const EXPECTED = {
  visits: 8,
  previews: 2,
  crawlers: 3,
  monitors: 1,
  prefetches: 1,
  headRequests: 1,
  names: [
    { kind: 'crawler', name: 'Googlebot', visits: 3 },
    { kind: 'preview', name: 'Slackbot', visits: 2 },
    { kind: 'prefetch', name: 'Firefox', visits: 1 },
    { kind: 'monitor', name: 'UptimeRobot', visits: 1 },
    { kind: 'head', name: 'curl', visits: 1 },
  ],
  days: [
    {
      day: '2026-11-01',
      visits: 3,
      previews: 2,
      crawlers: 1,
      monitors: 0,
      prefetches: 0,
      headRequests: 0,
    },
    {
      day: '2026-11-02',
      visits: 5,
      previews: 0,
      crawlers: 2,
      monitors: 1,
      prefetches: 1,
      headRequests: 1,
    },
  ],
}

describe('visits that do not count', () => {
  test('are in the statistics of the link and the account, by kind, name and day', async ({
    app,
    make,
    client: { getStats },
    visitAll,
  }) => {
    const owner = await make.owner()
    const { id, alias } = await make.link(owner)
    await visitAll(alias)
    for (const path of [`/api/url/${id}/stats`, '/api/stats']) {
      const data = await getStats(owner, path)
      expect(data.clicks, path).toBe(2)
      expect(data.notCounted, path).toEqual(EXPECTED)
    }
    const secondDay = await getStats(owner, `/api/url/${id}/stats?from=2026-11-02&limit=1`)
    expect(secondDay.notCounted).toMatchObject({
      visits: 5,
      names: [
        { kind: 'crawler', name: 'Googlebot', visits: 2 },
        { kind: 'monitor', name: 'Other', visits: 1 },
        { kind: 'prefetch', name: 'Other', visits: 1 },
        { kind: 'head', name: 'Other', visits: 1 },
      ],
    })
    const filtered = await getStats(owner, `/api/url/${id}/stats?device=desktop`)
    expect(filtered.notCounted).toBeUndefined()
    expect(await app.clicksOf(owner, id)).toBe(2)
  })

  test('are on the analytics page and the page of the link, and in a file', async ({
    app,
    make,
    visitAll,
  }) => {
    const owner = await make.owner()
    const { id, alias } = await make.link(owner)
    await visitAll(alias)
    const person = await signedIn(app, owner)
    for (const path of ['/console/analytics', `/console/links/${id}`]) {
      const { body } = await person.open(path)
      expect(body, path).toContain(
        '<summary>Not counted: 8 (previews 2, crawlers 3, monitors 1, prefetches 1, HEAD requests 1)</summary>',
      )
      expect(body).toMatch(/<bdi>Googlebot<\/bdi><\/th>\s*<td[^>]*>Crawler<\/td>\s*<td[^>]*>3</)
      const { body: file } = await person.open(`${path}/not-counted.csv`)
      expect(file, path).toBe(
        [
          '\ufeffday,kind,name,visits',
          '2026-11-01,preview,Slackbot,2',
          '2026-11-01,crawler,Googlebot,1',
          '2026-11-02,crawler,Googlebot,2',
          '2026-11-02,prefetch,Firefox,1',
          '2026-11-02,monitor,UptimeRobot,1',
          '2026-11-02,head,curl,1',
          '',
        ].join('\n'),
      )
    }
    const { body: filtered } = await person.open('/console/analytics?device=Desktop')
    expect(filtered).not.toContain('Not counted')
  })

  test('use no click of a limited link, but are listed', async ({
    app,
    make,
    client: { getStats },
    visitAll,
  }) => {
    const owner = await make.owner()
    const { id, alias } = await make.link(owner, { maxClicks: 2 })
    await visitAll(alias)
    expect(await app.clicksOf(owner, id)).toBe(2)
    expect((await getStats(owner, `/api/url/${id}/stats`)).notCounted).toEqual(EXPECTED)
  })

  test('have a bounded number of names per link and day', async ({
    app,
    make,
    client: { getStats },
    request,
  }) => {
    const owner = await make.owner()
    const { id, alias } = await make.link(owner)
    const visitAs = async (from: number, to: number) => {
      for (let number = from; number < to; number += 1) {
        const headers = {
          'user-agent': `Made${String.fromCharCode(97 + (number % 26))}${number}bot/1`,
        }
        await request({ url: `/${alias}`, headers })
      }
      await app.importClicks()
    }
    await visitAs(0, 40)
    await visitAs(20, 70)
    const { notCounted } = await getStats(owner, `/api/url/${id}/stats?limit=1000`)
    expect(notCounted).toMatchObject({ visits: 90, crawlers: 90 })
    expect(notCounted.names).toHaveLength(51)
    expect(notCounted.names.at(-1)).toEqual({ kind: 'crawler', name: 'Other', visits: 20 })
  })

  test('are deleted with the link, but stay in the sums of the account', async ({
    app,
    make,
    client: { getStats },
    request,
    visitAll,
  }) => {
    const owner: Owner = await make.owner()
    const { id, alias } = await make.link(owner)
    await visitAll(alias)
    const countRows = async () => {
      const { rows } = await app.services.database.pool.query(
        'select count(*)::int as count from uncounted_days where link_id = $1',
        [id],
      )
      return rows[0]?.count
    }
    expect(await countRows()).toBe(2)
    await request({ method: 'DELETE', url: `/api/url/${id}/delete`, headers: owner.headers })
    await emptyTrash(app.services.db, { olderThanDays: 0 })
    await purgeRemovedClicks(app.services.db)
    expect(await countRows()).toBe(0)
    expect((await getStats(owner, '/api/stats')).notCounted).toEqual(EXPECTED)
  })
})

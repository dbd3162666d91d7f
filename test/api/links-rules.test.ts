import { describe, expect } from 'vitest'
import { createCountryDatabase } from '../fixtures/country-database.ts'
import { resourceClient } from '../support/api-client.ts'
import { appTest } from '../support/test.ts'
import { createFile, createTransferCommands } from '../support/transfer.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const test = appTest({
  env: { RATE_LIMIT_PER_MINUTE: '1000' },
  files: { GEOIP_DB: createCountryDatabase({ country: { iso_code: 'DE' } }) },
}).extend('api', { scope: 'file' }, ({ app, owner, request }) => {
  const client = resourceClient({ app, owner }, 'url')
  async function createLink(payload: object): Promise<{ id: number; shorturl: string }> {
    const reply = await client.add({ url: to('own'), ...payload })
    expect(reply.json()).toMatchObject({ error: 0 })
    return reply.json()
  }
  async function visitLink(shortUrl: string, query = '', headers: Record<string, string> = {}) {
    const { pathname } = new URL(shortUrl)
    const reply = await request({ url: pathname + query, headers })
    expect(reply.statusCode).toBe(302)
    return reply.headers.location
  }
  return { ...client, createLink, visitLink }
})

const to = (name: string) => `https://example.com/${name}`
const rules = [
  { when: { query: { ref: 'a b' }, browser: 'firefox' }, to: to('both') },
  { when: { query: { ref: 'a b' } }, to: to('query') },
  { when: { os: 'linux' }, to: to('linux') },
  { when: { time: { days: ['MON', 'tue'], from: '22:00', until: '04:00' } }, to: to('night') },
  { when: { country: 'Germany' }, to: to('de') },
]

describe('rules', () => {
  test('accept a list of values, any of which matches', async ({
    app,
    make,
    owner,
    request,
    api: { createLink, visitLink },
  }) => {
    const lists = [
      { when: { browser: ['chrome', 'Firefox'], os: ['Windows'] }, to: to('no') },
      { when: { country: ['Austria', 'DE', 'at'], browser: ['firefox'] }, to: to('list') },
    ]
    const { id, shorturl } = await createLink({ rules: lists })
    expect(await visitLink(shorturl, '', { 'user-agent': FIREFOX })).toBe(to('list'))
    const details = await request({ url: `/api/url/${id}`, headers: owner.headers })
    expect(details.json().details).toMatchObject({
      location: {},
      rules: [
        { when: { browser: ['Chrome', 'Firefox'], os: 'Windows' }, to: to('no') },
        { when: { country: ['AT', 'DE'], browser: 'Firefox' }, to: to('list') },
      ],
    })

    const exporter = await make.owner()
    await make.link(exporter, { alias: 'listed', rules: lists })
    const transfer = createTransferCommands(app, exporter)
    for (const format of ['jsonl', 'csv'] as const) {
      const content = (await transfer.export(format)).replaceAll('listed', `listed-${format}`)
      await transfer.import(await createFile(content), format)
    }
    const { rows } = await app.services.database.pool.query(
      `select count(distinct rules)::int as different, count(*)::int as links from links
       where alias like 'listed%'`,
    )
    expect(rows).toEqual([{ different: 1, links: 4 }])
  })

  test('send visitors to the first destination whose conditions are all met', async ({
    api: { createLink, visitLink },
  }) => {
    const { shorturl } = await createLink({ rules: rules.filter(({ when }) => !('time' in when)) })
    expect(await visitLink(shorturl, '?ref=a%20b', { 'user-agent': FIREFOX })).toBe(to('both'))
    expect(await visitLink(shorturl, '?ref=a+b&ref=c')).toBe(to('query'))
    expect(await visitLink(shorturl, '?ref=c', { 'user-agent': FIREFOX })).toBe(to('linux'))
    expect(await visitLink(shorturl)).toBe(to('de'))
  })

  test('are returned in a form that can be sent back unchanged', async ({
    api: { createLink, details, update },
  }) => {
    const { id } = await createLink({ rules })
    const stored = (await details(id)).details.rules
    expect(stored).toEqual([
      { when: { query: { ref: 'a b' }, browser: 'Firefox' }, to: to('both') },
      { when: { query: { ref: 'a b' } }, to: to('query') },
      { when: { os: 'Linux' }, to: to('linux') },
      {
        when: { time: { days: ['mon', 'tue'], from: '22:00', until: '04:00', zone: 'UTC' } },
        to: to('night'),
      },
      { when: { country: 'DE' }, to: to('de') },
    ])
    expect((await update(id, { url: to('own'), rules: stored })).statusCode).toBe(200)
    expect((await details(id)).details.rules).toEqual(stored)
    expect((await update(id, { url: to('own') })).statusCode).toBe(200)
    expect((await details(id)).details.rules).toEqual(stored)
    expect((await update(id, { url: to('own'), rules: [] })).statusCode).toBe(200)
    const { details: cleared } = await details(id)
    expect(cleared).toMatchObject({ location: {} })
    expect(cleared.rules).toBeUndefined()
  })

  test('with only a country or device are also returned as target lists, which can replace them', async ({
    api: { createLink, details, update },
  }) => {
    const { id } = await createLink({ rules })
    expect((await details(id)).details.location).toEqual({ germany: to('de') })
    const change = {
      geotarget: [{ location: 'FR', link: to('fr') }],
      devicetarget: [{ device: 'ipad', link: to('ipad') }],
    }
    expect((await update(id, { url: to('own'), ...change })).statusCode).toBe(200)
    const { details: stored } = await details(id)
    expect(stored).toMatchObject({ location: { france: to('fr') }, device: { ipad: to('ipad') } })
    expect(stored.rules.map((rule: { to: string }) => rule.to)).toEqual(
      ['both', 'query', 'linux', 'night', 'fr', 'ipad'].map(to),
    )
    await update(id, { url: to('own'), geotarget: [] })
    expect((await details(id)).details.rules).toHaveLength(5)
  })

  test('are overridden by a target list of the same kind in the same request', async ({
    api: { createLink, details },
  }) => {
    const { id } = await createLink({
      rules: [
        { when: { country: 'FR' }, to: to('fr') },
        { when: { country: 'FR', device: 'mobile' }, to: to('mobile') },
      ],
      geotarget: [{ location: 'DE', link: to('de') }],
    })
    const { rules: stored } = (await details(id)).details
    expect(stored.map((rule: { to: string }) => rule.to)).toEqual(['de', 'mobile'].map(to))
  })

  test.for<[unknown, string]>([
    [[{ when: {}, to: to('a') }], 'rules[0].when must have at least one condition'],
    [[{ when: { moon: 'full' }, to: to('a') }], 'rules[0].when.moon is not a known condition'],
    [
      [{ when: { country: '', device: 'mobile' }, to: to('a') }],
      'rules[0].when.country must not be empty',
    ],
    [[{ to: to('a') }], 'rules[0].when'],
    [[rules[0], { when: { country: 'DE' } }], 'rules[1].to'],
    [
      [{ when: { country: 'Atlantis' }, to: to('a') }],
      'rules[0].when.country is not a known country',
    ],
    [
      [{ when: { browser: 'Netscape' }, to: to('a') }],
      'rules[0].when.browser is not a known browser',
    ],
    [[{ when: { os: 'Windows 10; x' }, to: to('a') }], 'rules[0].when.os is not a known operating'],
    [[{ when: { country: [] }, to: to('a') }], 'rules[0].when.country must not have fewer than 1'],
    [
      [{ when: { country: Array(251).fill('DE') }, to: to('a') }],
      'rules[0].when.country must not have more than 250 items',
    ],
    [[{ when: { country: {} }, to: to('a') }], 'rules[0].when.country must be a string or array'],
    [
      [{ when: { country: ['DE', 'Atlantis'] }, to: to('a') }],
      'rules[0].when.country[1] is not a known country: Atlantis',
    ],
    [[{ when: { os: ['Linux', {}] }, to: to('a') }], 'rules[0].when.os[1] must be a string'],
    [[{ when: { query: {} }, to: to('a') }], 'rules[0].when.query must have 1 to 10 parameters'],
    [[{ when: { query: { a: 1 } }, to: to('a') }], 'rules[0].when.query'],
    [
      [{ when: { query: { a: 'x\0' } }, to: to('a') }],
      'rules[0].when.query.a must be text without',
    ],
    [[{ when: { time: { zone: 'UTC' } }, to: to('a') }], 'rules[0].when.time must have days'],
    [
      [{ when: { time: { from: '10:00', zone: 'Nowhere/City' } }, to: to('a') }],
      'rules[0].when.time.zone must be a time zone',
    ],
    [[{ when: { country: 'DE' }, to: 'javascript:alert(1)' }], 'rules[0].to must be a valid http'],
    [[{ when: { country: 'DE' }, to: 'http://brev.test/x' }], 'rules[0].to must not lead to the'],
    [Array(51).fill({ when: { country: 'DE' }, to: to('a') }), 'rules'],
    [{ when: { country: 'DE' }, to: to('a') }, 'rules'],
  ])('are rejected if invalid: %j (%s)', async ([rules, message], { api: { add } }) => {
    const reply = await add({ url: to('own'), rules })
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({ error: 1, message: expect.stringContaining(message) })
  })

  test('of each accepted change remain after concurrent changes', async ({
    api: { createLink, details, update },
  }) => {
    const { id } = await createLink({})
    const changes = [
      { geotarget: [{ location: 'FR', link: to('fr') }] },
      { devicetarget: [{ device: 'ipad', link: to('ipad') }] },
    ]
    const replies = await Promise.all(
      changes.map((change) => update(id, { url: to('own'), ...change })),
    )
    // A change that conflicts with a concurrent one may be rejected.
    const accepted = replies.filter(({ statusCode }) => statusCode === 200)
    for (const { statusCode } of replies) expect([200, 503]).toContain(statusCode)
    expect((await details(id)).details.rules).toHaveLength(accepted.length)
  })

  test.for(['jsonl', 'csv'] as const)(
    'keep their order when exported to a %s file and imported again',
    async (format, { app, make, api: { add, details, remove, list } }) => {
      const caller = await make.owner()
      const mixed = [rules[4], rules[0], { when: { device: 'ipad' }, to: to('ipad') }, rules[3]]
      const { id } = (
        await add({ url: to('own'), custom: `by-${format}`, rules: mixed }, caller)
      ).json()
      const { details: stored } = await details(id, caller)
      expect(stored.rules).toHaveLength(4)
      const transfer = createTransferCommands(app, caller)
      const file = await createFile(await transfer.export(format), `links.${format}`)
      await remove(id, caller)
      await transfer.import(file, format)
      const [{ id: importedId }] = (await list(caller)).urls
      expect(importedId).not.toBe(id)
      expect((await details(importedId, caller)).details).toMatchObject({
        rules: stored.rules,
        location: stored.location,
        device: stored.device,
      })
    },
  )
})

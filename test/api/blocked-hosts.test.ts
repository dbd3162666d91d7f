import { describe, expect } from 'vitest'
import { blockHost } from '../../src/blocked-hosts/blocked-host.service.ts'
import { getLink } from '../../src/links/link.service.ts'
import { listLinks } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { apiClient, type Reply } from '../support/api-client.ts'
import { signIn } from '../support/console.ts'
import { base64, legacyApiClient } from '../support/legacy-api.ts'
import { expectRejection } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'
import { yourlsClient } from '../support/yourls.ts'

const PROBLEM = 'leads to a host that is blocked on this service'
const BLOCKED_URL = 'https://EVIL.example./a'

const test = appTest()
  .extend('api', { scope: 'file' }, async ({ app, owner }) => {
    const { services } = app
    await blockHost(services, services.db, { host: 'evil.example', by: 'root' })
    await blockHost(services, services.db, { host: '*.bad.example', by: 'root' })
    await blockHost(services, services.db, { host: '192.0.2.66', by: 'root' })
    return { send: apiClient({ app, owner }) }
  })
  .extend('countLinks', { scope: 'file' }, ({ app, owner }) => async () => {
    const page = { order: 'date', limit: 1, offset: 0 } as const
    return (await listLinks(scopeOf(app.services, owner.account.id), page)).total
  })

function expectBlockedHost(reply: Reply, field: string): void {
  expectRejection(reply, `${field} ${PROBLEM}`)
}

describe('a destination on a blocked host', () => {
  const GOOD_URL = 'https://example.com/'
  test.for<[object, string]>([
    [{ url: BLOCKED_URL }, 'url'],
    [{ url: 'http://sub.bad.example:8080/x' }, 'url'],
    [{ url: 'http://[64:ff9b::192.0.2.66]/' }, 'url'],
    [{ url: 'http://[64:ff9b:1::192.0.2.66]/' }, 'url'],
    [{ url: 'http://[2002:c000:242::1]/' }, 'url'],
    [{ url: 'http://[2001:0:808:808::3fff:fdbd]/' }, 'url'],
    [{ url: 'http://[::192.0.2.66]/' }, 'url'],
    [
      { url: GOOD_URL, geotarget: [{ location: 'France', link: BLOCKED_URL }] },
      'geotarget[0].link',
    ],
    [
      { url: GOOD_URL, devicetarget: [{ device: 'iphone', link: BLOCKED_URL }] },
      'devicetarget[0].link',
    ],
    [
      { url: GOOD_URL, languagetarget: [{ language: 'de', link: BLOCKED_URL }] },
      'languagetarget[0].link',
    ],
  ])('is rejected by the API for a new link: %j', async ([body, field], { api, countLinks }) => {
    const before = await countLinks()
    expectBlockedHost(await api.send('POST', '/api/url/add', body), field)
    expect(await countLinks()).toBe(before)
  })

  test('is rejected by the API in an update, even if the link already has it', async ({
    app,
    owner,
    make,
    api: { send },
  }) => {
    const { id } = await make.link(owner)
    expectBlockedHost(await send('PUT', `/api/url/${id}/update`, { url: BLOCKED_URL }), 'url')
    const url = 'https://later.example/'
    const otherLink = await make.link(owner, { url })
    await blockHost(app.services, app.services.db, { host: 'later.example', by: 'root' })
    expectBlockedHost(await send('PUT', `/api/url/${otherLink.id}/update`, { url }), 'url')
    const moved = await send('PUT', `/api/url/${otherLink.id}/update`, { url: GOOD_URL })
    expect(moved.statusCode).toBe(200)
    expect((await getLink(scopeOf(app.services, owner.account.id), id)).url).toBe(
      'https://example.com/target',
    )
  })

  test('is the only rejected entry of a batch', async ({ api: { send } }) => {
    const reply = await send('POST', '/api/urls/add', {
      urls: [{ url: GOOD_URL }, { url: BLOCKED_URL }],
    })
    expect(reply.json().results).toMatchObject([
      { error: 0 },
      { error: 1, message: `url ${PROBLEM}` },
    ])
  })

  test.for<[string, object, string]>([
    ['qr', { type: 'link', data: BLOCKED_URL }, 'data'],
    ['domain', { domain: 'https://go.test', redirectroot: BLOCKED_URL }, 'redirectroot'],
    ['domain', { domain: 'https://go.test', redirect404: BLOCKED_URL }, 'redirect404'],
    ['overlay', { type: 'message', name: 'a', text: 'b', link: BLOCKED_URL }, 'link'],
    ['splash', { name: 'a', title: 'b', message: 'c', link: BLOCKED_URL }, 'link'],
    ['bio', { alias: 'me', title: 'b', links: [{ url: BLOCKED_URL }] }, 'links[0].url'],
  ])(
    'is rejected for a new resource by POST /api/%s/add: %j',
    async ([kind, body, field], { api: { send } }) => {
      expectBlockedHost(await send('POST', `/api/${kind}/add`, body), field)
    },
  )

  test('is rejected in updates of overlays, splash pages, bio pages, QR codes and domains', async ({
    make,
    owner,
    api: { send },
  }) => {
    const overlay = await make.overlay(owner)
    const splash = await make.splash(owner)
    const bio = await make.bio(owner)
    const code = await make.qr(owner)
    const domain = await make.domain(owner)
    const links = [{ url: BLOCKED_URL }]
    const change = (kind: string, id: number, body: object) =>
      send('PUT', `/api/${kind}/${id}/update`, body)
    expectBlockedHost(await change('overlay', overlay.id, { link: BLOCKED_URL }), 'link')
    expectBlockedHost(await change('splash', splash.id, { link: BLOCKED_URL }), 'link')
    expectBlockedHost(await change('bio', bio.id, { links }), 'links[0].url')
    expectBlockedHost(await change('qr', code.id, { type: 'link', data: BLOCKED_URL }), 'data')
    expectBlockedHost(
      await change('domain', domain.id, { redirect404: BLOCKED_URL }),
      'redirect404',
    )
  })

  test('is rejected by the legacy API in its envelope', async ({ app, owner }) => {
    const reply = await legacyApiClient({ app, owner }).call(
      `create/url/${base64(BLOCKED_URL)}.json`,
    )
    expect([reply.statusCode, reply.json()]).toMatchObject([
      400,
      { code: 400, data: { message: `url ${PROBLEM}` } },
    ])
  })

  test('is rejected by the YOURLS API as spam', async ({ app, owner }) => {
    const reply = await yourlsClient({ app, owner })({ action: 'shorturl', url: BLOCKED_URL })
    expect([reply.statusCode, reply.json()]).toMatchObject([
      403,
      { status: 'fail', code: 'error:spam', message: `url ${PROBLEM}`, statusCode: '403' },
    ])
  })

  test('is rejected in the console, next to the field', async ({ app, owner, countLinks }) => {
    const person = await signIn(app, owner.account.email)
    const before = await countLinks()
    const reply = await person.send('/console/links', { url: BLOCKED_URL })
    expect([reply.statusCode, await countLinks()]).toEqual([422, before])
    expect(reply.body).toMatch(/id="url-error"[^>]*>Leads to a host that is blocked/)
  })

  test('is rejected by an import, which creates the links of the other rows', async ({
    app,
    owner,
  }) => {
    const records = [
      { alias: 'imported-good', url: 'https://example.com/' },
      { alias: 'imported-bad', url: BLOCKED_URL },
      {
        alias: 'imported-worse',
        url: 'https://example.com/',
        geoTargets: [{ location: 'FR', link: BLOCKED_URL }],
      },
    ]
    const file = await createFile(jsonl(...records), 'links.jsonl')
    const result = await createTransferCommands(app, owner).import(file, 'jsonl')
    expect(result).toMatchObject({ created: 1, refused: 2 })
    expect(JSON.stringify(result)).toContain(`url ${PROBLEM}`)
    expect(JSON.stringify(result)).toContain(`geoTargets[0].link ${PROBLEM}`)
  })
})

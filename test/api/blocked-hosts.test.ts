import { describe, expect } from 'vitest'
import { blockHost } from '../../src/blocked-hosts/blocked-host.service.ts'
import { getLink } from '../../src/links/link.service.ts'
import { listLinks } from '../../src/links/link-list.service.ts'
import { apiClient, type Reply } from '../support/api-client.ts'
import { signIn } from '../support/console.ts'
import { base64, legacyApiClient } from '../support/legacy-api.ts'
import { expectRejection } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'
import { yourlsClient } from '../support/yourls.ts'

const PROBLEM = 'leads to a host that is blocked on this service'
const BAD = 'https://EVIL.example./a'

const test = appTest()
  .extend('setup', { scope: 'file' }, async ({ app, owner }) => {
    const { services } = app
    await blockHost(services, services.db, { host: 'evil.example', by: 'root' })
    await blockHost(services, services.db, { host: '*.bad.example', by: 'root' })
    await blockHost(services, services.db, { host: '192.0.2.66', by: 'root' })
    return { send: apiClient({ app, owner }) }
  })
  .extend('count', { scope: 'file' }, ({ app, owner }) => async () => {
    const page = { order: 'date', limit: 1, offset: 0 } as const
    return (await listLinks(app.services, app.services.db, owner.account.id, page)).total
  })

function expectRefused(reply: Reply, field: string): void {
  expectRejection(reply, `${field} ${PROBLEM}`)
}

describe('a destination on a blocked host', () => {
  const good = 'https://example.com/'
  test.for<[object, string]>([
    [{ url: BAD }, 'url'],
    [{ url: 'http://sub.bad.example:8080/x' }, 'url'],
    [{ url: 'http://[64:ff9b::192.0.2.66]/' }, 'url'],
    [{ url: 'http://[64:ff9b:1::192.0.2.66]/' }, 'url'],
    [{ url: 'http://[2002:c000:242::1]/' }, 'url'],
    [{ url: 'http://[2001:0:808:808::3fff:fdbd]/' }, 'url'],
    [{ url: 'http://[::192.0.2.66]/' }, 'url'],
    [{ url: good, geotarget: [{ location: 'France', link: BAD }] }, 'geotarget[0].link'],
    [{ url: good, devicetarget: [{ device: 'iphone', link: BAD }] }, 'devicetarget[0].link'],
    [{ url: good, languagetarget: [{ language: 'de', link: BAD }] }, 'languagetarget[0].link'],
  ])('is rejected by the API for a new link: %j', async ([body, field], { setup, count }) => {
    const before = await count()
    expectRefused(await setup.send('POST', '/api/url/add', body), field)
    expect(await count()).toBe(before)
  })

  test('is rejected by the API in an update, even if the destination stays the same', async ({
    app,
    owner,
    make,
    setup: { send },
  }) => {
    const { id } = await make.link(owner)
    expectRefused(await send('PUT', `/api/url/${id}/update`, { url: BAD }), 'url')
    const url = 'https://later.example/'
    const otherLink = await make.link(owner, { url })
    await blockHost(app.services, app.services.db, { host: 'later.example', by: 'root' })
    expectRefused(await send('PUT', `/api/url/${otherLink.id}/update`, { url }), 'url')
    const moved = await send('PUT', `/api/url/${otherLink.id}/update`, { url: good })
    expect(moved.statusCode).toBe(200)
    expect((await getLink(app.services, app.services.db, owner.account.id, id)).url).toBe(
      'https://example.com/target',
    )
  })

  test('is the only rejected entry of a batch', async ({ setup: { send } }) => {
    const reply = await send('POST', '/api/urls/add', { urls: [{ url: good }, { url: BAD }] })
    expect(reply.json().results).toMatchObject([
      { error: 0 },
      { error: 1, message: `url ${PROBLEM}` },
    ])
  })

  test.for<[string, string, object, string]>([
    ['qr', 'add', { type: 'link', data: BAD }, 'data'],
    ['domain', 'add', { domain: 'https://go.test', redirectroot: BAD }, 'redirectroot'],
    ['domain', 'add', { domain: 'https://go.test', redirect404: BAD }, 'redirect404'],
    ['overlay', 'add', { type: 'message', name: 'a', text: 'b', link: BAD }, 'link'],
    ['splash', 'add', { name: 'a', title: 'b', message: 'c', link: BAD }, 'link'],
    ['bio', 'add', { alias: 'me', title: 'b', links: [{ url: BAD }] }, 'links[0].url'],
  ])('is rejected for a %s', async ([kind, action, body, field], { setup: { send } }) => {
    expectRefused(await send('POST', `/api/${kind}/${action}`, body), field)
  })

  test('is rejected in changes of overlays, splash pages, bio pages and codes', async ({
    make,
    owner,
    setup: { send },
  }) => {
    const overlay = await make.overlay(owner)
    const splash = await make.splash(owner)
    const bio = await make.bio(owner)
    const code = await make.qr(owner)
    const domain = await make.domain(owner)
    const links = [{ url: BAD }]
    const change = (kind: string, id: number, body: object) =>
      send('PUT', `/api/${kind}/${id}/update`, body)
    expectRefused(await change('overlay', overlay.id, { link: BAD }), 'link')
    expectRefused(await change('splash', splash.id, { link: BAD }), 'link')
    expectRefused(await change('bio', bio.id, { links }), 'links[0].url')
    expectRefused(await change('qr', code.id, { type: 'link', data: BAD }), 'data')
    expectRefused(await change('domain', domain.id, { redirect404: BAD }), 'redirect404')
  })

  test('is rejected by the legacy API in its envelope', async ({ app, owner }) => {
    const reply = await legacyApiClient({ app, owner }).call(`create/url/${base64(BAD)}.json`)
    expect([reply.statusCode, reply.json()]).toMatchObject([
      400,
      { code: 400, data: { message: `url ${PROBLEM}` } },
    ])
  })

  test('is rejected by the YOURLS API as spam', async ({ app, owner }) => {
    const reply = await yourlsClient({ app, owner })({ action: 'shorturl', url: BAD })
    expect([reply.statusCode, reply.json()]).toMatchObject([
      403,
      { status: 'fail', code: 'error:spam', message: `url ${PROBLEM}`, statusCode: '403' },
    ])
  })

  test('is rejected in the console, next to the field', async ({ app, owner, count }) => {
    const person = await signIn(app, owner.account.email)
    const before = await count()
    const reply = await person.send('/console/links', { url: BAD })
    expect([reply.statusCode, await count()]).toEqual([422, before])
    expect(reply.body).toMatch(/id="url-error"[^>]*>Leads to a host that is blocked/)
  })

  test('is rejected by an import, row by row', async ({ app, owner }) => {
    const records = [
      { alias: 'imported-good', url: 'https://example.com/' },
      { alias: 'imported-bad', url: BAD },
      {
        alias: 'imported-worse',
        url: 'https://example.com/',
        geoTargets: [{ location: 'FR', link: BAD }],
      },
    ]
    const file = await createFile(jsonl(...records), 'links.jsonl')
    const result = await createTransferCommands(app, owner).import(file, 'jsonl')
    expect(result).toMatchObject({ created: 1, refused: 2 })
    expect(JSON.stringify(result)).toContain(`url ${PROBLEM}`)
    expect(JSON.stringify(result)).toContain(`geoTargets[0].link ${PROBLEM}`)
  })
})

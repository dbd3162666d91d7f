import { describe, expect } from 'vitest'
import { deleteLink, getLink, updateLink } from '../../src/links/link.service.ts'
import { bios } from '../../src/resources/bios.ts'
import { scopeOf } from '../../src/scope.ts'
import { signIn } from '../support/console.ts'
import {
  ALIAS_HELD,
  DESTINATION_HELD,
  expectConflict,
  GOOD_URL,
  moderate,
  heldLinksTest as test,
} from '../support/held-links-test.ts'
import { base64, legacyApiClient } from '../support/legacy-api.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'
import { yourlsClient } from '../support/yourls.ts'

describe('the destination of a link that an admin disabled', () => {
  test("is rejected on every surface for the link's owner, but not for other accounts", async ({
    app,
    owner,
    make,
    actions: { send },
    badUrl,
    deletedLink,
  }) => {
    // The fixture has disabled and deleted the only link to `badUrl`.
    expect(deletedLink.alias).toBeTruthy()
    const sameUrls = [
      badUrl,
      `${badUrl}#again`,
      `${badUrl}?`,
      badUrl.replace('https:', 'http:'),
      badUrl.replace(/^(https:\/\/[^/]+)/, '$1.'),
      badUrl.replace(/^https(:\/\/[^/]+)/, 'http$1.:443'),
      badUrl.replace(/\d$/, (digit) => `%${digit.charCodeAt(0).toString(16)}`),
    ]
    for (const url of sameUrls) {
      expectConflict(await send('POST', '/api/url/add', { url }), DESTINATION_HELD)
    }
    const geotarget = [{ location: 'France', link: badUrl }]
    expectConflict(
      await send('POST', '/api/url/add', { url: GOOD_URL, geotarget }),
      DESTINATION_HELD,
    )
    const batch = await send('POST', '/api/urls/add', {
      urls: [{ url: GOOD_URL }, { url: badUrl }, { url: GOOD_URL }],
    })
    expect(batch.json().results).toMatchObject([
      { error: 0 },
      { error: 1, message: DESTINATION_HELD },
      { error: 0 },
    ])
    const { id } = await make.link(owner, { url: GOOD_URL })
    for (const body of [{ url: badUrl }, { url: GOOD_URL, geotarget }]) {
      const update = await send('PUT', `/api/url/${id}/update`, body)
      expectConflict(update, DESTINATION_HELD)
    }
    expect(await getLink(scopeOf(app.services, owner.account.id), id)).toMatchObject({
      url: GOOD_URL,
      geoTargets: [],
    })
    const legacy = await legacyApiClient({ app, owner }).call(`create/url/${base64(badUrl)}.json`)
    expect(legacy.json()).toMatchObject({ code: 409, data: { message: DESTINATION_HELD } })
    const yourls = await yourlsClient({ app, owner })({ action: 'shorturl', url: badUrl })
    expect([yourls.statusCode, yourls.json()]).toMatchObject([
      409,
      { status: 'fail', code: 'error:spam', message: DESTINATION_HELD },
    ])
    const person = await signIn(app, owner.account.email)
    for (const path of ['/console/links', '/console/links/new', `/console/links/${id}/edit`]) {
      const reply = await person.send(path, { url: badUrl, type: 'direct' })
      expect([path, reply.statusCode, reply.body]).toEqual([
        path,
        422,
        expect.stringMatching(/id="url-error"[^>]*>That destination is reserved/),
      ])
    }
    const qr = await send('POST', '/api/qr/add', { type: 'link', data: badUrl })
    expectConflict(qr, DESTINATION_HELD)
    const code = await make.qr(owner, { data: GOOD_URL })
    const changed = await send('PUT', `/api/qr/${code.id}/update`, { data: badUrl })
    expectConflict(changed, DESTINATION_HELD)

    const otherOwner = await make.owner()
    expect((await send('POST', '/api/url/add', { url: badUrl }, otherOwner)).statusCode).toBe(200)
  })

  test('is rejected in new bio pages, overlays, splash pages and domain redirects, but allowed in existing resources', async ({
    app,
    make,
    actions: { send, disable },
    badUrl,
  }) => {
    const caller = await make.owner()
    const link = await make.link(caller, { url: badUrl })
    const bio = await make.bio(caller, { links: [{ url: badUrl }] })
    await disable(link.shortUrl)
    const problem =
      'is reserved: your link to it was disabled by an admin or deleted while it was reported'
    for (const [kind, body, field] of [
      [
        'bio',
        { alias: `bio-of-${caller.account.id}`, title: 'b', links: [{ url: badUrl }] },
        'links[0].url',
      ],
      ['overlay', { type: 'message', name: 'a', text: 'b', link: badUrl }, 'link'],
      ['splash', { name: 'a', title: 'b', message: 'c', link: badUrl }, 'link'],
      ['domain', { domain: 'https://held.test', redirectroot: badUrl }, 'redirectroot'],
    ] as const) {
      const reply = await send('POST', `/api/${kind}/add`, body, caller)
      expect([kind, reply.statusCode, reply.json().message]).toEqual([
        kind,
        400,
        `${field} ${problem}`,
      ])
    }
    const links = [{ title: 'New title', url: badUrl }]
    expect(
      await bios.update({ ...app.services, accountId: caller.account.id }, bio.id, { links }),
    ).toMatchObject({
      links,
    })
  })

  test('is rejected row by row in imports and dry runs', async ({
    app,
    make,
    actions: { disable },
    badUrl,
  }) => {
    const caller = await make.owner()
    const existing = await make.link(caller, { url: badUrl, alias: `there-${caller.account.id}` })
    await disable(existing.shortUrl)
    const records = [
      { alias: `fresh-${caller.account.id}`, url: GOOD_URL },
      { alias: `again-${caller.account.id}`, url: badUrl },
      { alias: existing.alias, url: badUrl },
    ]
    const file = await createFile(jsonl(...records), 'links.jsonl')
    for (const args of [['--dry-run'], []]) {
      const result = await createTransferCommands(app, caller).import(file, 'jsonl', ...args)
      expect(result).toMatchObject({ created: 1, refused: 1, present: 1 })
      expect(JSON.stringify(result)).toContain(DESTINATION_HELD)
    }
  })

  test('can remain in that link and other existing links when they are edited', async ({
    app,
    make,
    actions: { send, disable },
    badUrl,
  }) => {
    const caller = await make.owner()
    const link = await make.link(caller, { url: badUrl })
    const second = await make.link(caller, { url: badUrl })
    await disable(link.shortUrl)
    expectConflict(await send('POST', '/api/url/add', { url: badUrl }, caller), DESTINATION_HELD)
    for (const [id, url] of [
      [second.id, badUrl],
      [link.id, GOOD_URL],
      [link.id, badUrl],
    ] as const) {
      const reply = await send('PUT', `/api/url/${id}/update`, { url, metatitle: 'New' }, caller)
      expect([url, reply.statusCode]).toEqual([url, 200])
    }
    await moderate(app, link.shortUrl, 'active')
    expect((await send('POST', '/api/url/add', { url: badUrl }, caller)).statusCode).toBe(200)
  })

  test('stays reserved after the link is changed, renamed and deleted', async ({
    app,
    make,
    actions: { send, disable, listHeld },
    badUrl,
  }) => {
    const caller = await make.owner()
    const { id, alias, shortUrl } = await make.link(caller, {
      url: badUrl,
      alias: `old-${caller.account.id}`,
    })
    await disable(shortUrl)

    await updateLink(scopeOf(app.services, caller.account.id), id, {
      url: GOOD_URL,
      alias: `new-${caller.account.id}`,
    })
    await deleteLink(scopeOf(app.services, caller.account.id), id)
    expectConflict(await send('POST', '/api/url/add', { url: badUrl }, caller), DESTINATION_HELD)
    for (const custom of [alias, `new-${caller.account.id}`]) {
      const reply = await send(
        'POST',
        '/api/url/add',
        { url: 'https://example.com/3', custom },
        caller,
      )
      expectConflict(reply, ALIAS_HELD)
    }
    expect((await listHeld()).find((heldLink) => heldLink.id === id)).toMatchObject({
      shortUrl: `http://brev.test/new-${caller.account.id}`,
      formerAliases: [`brev.test/${alias}`],
      disabled: { reason: 'Bait' },
    })
  })
})

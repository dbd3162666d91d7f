import { describe, expect, vi } from 'vitest'
import {
  blockHost,
  countLinksToHost,
  listBlockedHosts,
  unblockHost,
} from '../../src/blocked-hosts/blocked-host.service.ts'
import type { HttpContext } from '../../src/context.ts'
import { createLink, setLinkStatus } from '../../src/links/link.service.ts'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { scopeOf } from '../../src/scope.ts'
import { createOtherProcess } from '../support/app.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('blocking', { scope: 'file' }, ({ app, owner, request }) => {
  let count = 0
  return {
    app,
    /** Returns another host each time. */
    createHost() {
      count += 1
      return `evil${count}.example`
    },
    block: (host: string) => blockHost(app.services, app.services.db, { host, by: 'root' }),
    visit: (path: string, headers: Record<string, string> = {}) =>
      request({ url: path, headers: { host: 'brev.test', ...headers } }),
    countClicks: (id: number) => app.clicksOf(owner, id),
  }
})

describe('a link to a blocked host', () => {
  test('shows a page without counting clicks until the host is unblocked', async ({
    make,
    owner,
    request,
    blocking: { app, createHost, block, visit, countClicks },
  }) => {
    const host = createHost()
    const { id, alias } = await make.link(owner, {
      url: `https://www.${host.toUpperCase()}:8080/a`,
    })
    const unaffectedLink = await make.link(owner, { url: `https://not${host}/` })
    expect((await visit(`/${alias}`)).statusCode).toBe(302)
    expect(await countClicks(id)).toBe(1)

    await block(`*.${host}`)
    for (const path of [`/${alias}`, `/${alias}+`]) {
      const { statusCode, headers, body } = await visit(path)
      expect([statusCode, headers.location]).toEqual([410, undefined])
      expect(headers['cache-control']).toBe('private, no-store')
      expect(body).toContain('This link is blocked')
      expect(body).not.toContain(host)
    }
    const formReply = await request({
      method: 'POST',
      url: `/${alias}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'a=b',
    })
    expect(formReply.statusCode).toBe(410)
    expect(await countClicks(id)).toBe(1)
    expect((await visit(`/${unaffectedLink.alias}`)).statusCode).toBe(302)

    await unblockHost(app.services, app.services.db, `https://${host}/`)
    expect((await visit(`/${alias}`)).statusCode).toBe(302)
  })

  test('does not ask for a password', async ({
    make,
    owner,
    blocking: { createHost, block, visit },
  }) => {
    const host = createHost()
    const { alias } = await make.link(owner, { url: `https://${host}/`, password: 'open sesame' })
    expect((await visit(`/${alias}`)).statusCode).toBe(200)
    await block(host)
    expect((await visit(`/${alias}`)).statusCode).toBe(410)
  })

  test('shows the page to visitors whose targeting rule points to the host', async ({
    make,
    owner,
    blocking: { createHost, block, visit },
  }) => {
    const host = createHost()
    const { alias } = await make.link(owner, {
      url: 'https://example.com/',
      deviceTargets: [{ device: 'iphone', link: `https://${host}/` }],
      languageTargets: [{ language: 'de', link: `https://${host}/de` }],
    })
    await block(host)
    const iphone = {
      'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1',
    }
    expect((await visit(`/${alias}`)).statusCode).toBe(302)
    expect((await visit(`/${alias}`, { 'accept-language': 'de' })).statusCode).toBe(410)
    expect((await visit(`/${alias}`, iphone)).statusCode).toBe(410)
  })

  test('is also blocked through a rotator and a QR code', async ({
    app,
    make,
    owner,
    blocking: { createHost, block, visit },
  }) => {
    const host = createHost()
    const code = await make.qr(owner, { data: `https://${host}/menu` })
    const link = await make.link(owner, { url: `https://${host}/` })
    const { id } = await make.campaign(owner, { slug: 'spin' })
    await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, id, link.id)
    const { alias } = await app.services.database.db
      .selectFrom('links')
      .innerJoin('qr_codes', 'qr_codes.link_id', 'links.id')
      .select('links.alias')
      .where('qr_codes.id', '=', code.id)
      .executeTakeFirstOrThrow()
    await block(host)
    expect((await visit(`/${alias}`)).statusCode).toBe(410)
    expect((await visit('/r/spin')).statusCode).toBe(410)
  })
})

test('splash pages, overlays, bio pages and domains stop linking to a blocked host', async ({
  make,
  owner,
  blocking: { app, createHost, block, visit },
}) => {
  const host = createHost()
  const link = `https://${host}/more`
  const splash = await make.splash(owner, { link })
  const overlay = await make.overlay(owner, { button: 'More', link })
  const withSplash = await make.link(owner, { type: String(splash.id) })
  const withOverlay = await make.link(owner, { type: `overlay-${overlay.id}` })
  const shortLink = await make.link(owner, { url: link })
  const bio = await make.bio(owner, {
    links: [
      { title: 'Hidden link', url: link },
      { title: 'Short link', url: shortLink.shortUrl },
      { title: 'Fine', url: 'https://fine.example/' },
    ],
  })
  const button = `/${bio.links[0]?.alias}`
  const domain = 'https://brand.test'
  await make.domain(owner, { domain, redirectRoot: link, redirect404: `https://${host}/404` })
  const paths = [`/${withSplash.alias}`, `/${withOverlay.alias}`]
  const readBodies = () => Promise.all(paths.map(async (path) => (await visit(path)).body))
  const allTexts = ['Hidden link', button, 'Short link', shortLink.alias, 'Fine']
  const readShownTexts = async () => {
    const { body } = await visit(`/b/${bio.alias}`)
    return allTexts.filter((text) => body.includes(text))
  }
  const readButtonRedirect = async () => {
    const { statusCode, headers } = await visit(button)
    return [statusCode, headers.location]
  }
  const readDomainRedirects = async () => {
    const replies = await Promise.all(
      ['/', '/none'].map((path) => visit(path, { host: 'brand.test' })),
    )
    return replies.map(({ statusCode, headers }) => [statusCode, headers.location])
  }
  for (const body of await readBodies()) expect(body).toContain(link)
  const redirectsBefore = await readDomainRedirects()
  expect(redirectsBefore).toEqual([
    [302, link],
    [302, `https://${host}/404`],
  ])

  expect(await readShownTexts()).toEqual(allTexts)
  expect(await readButtonRedirect()).toEqual([302, link])
  await block(host)
  for (const body of await readBodies()) expect(body).not.toContain(host)
  expect(await readShownTexts()).toEqual(['Fine'])
  expect(await readButtonRedirect()).toEqual([410, undefined])
  await vi.waitFor(
    async () => {
      expect(await readDomainRedirects()).toEqual([
        [404, undefined],
        [404, undefined],
      ])
    },
    { timeout: 60_000 },
  )
  await unblockHost(app.services, app.services.db, host)
  for (const body of await readBodies()) expect(body).toContain(link)
  expect(await readShownTexts()).toEqual(allTexts)
  expect(await readButtonRedirect()).toEqual([302, link])
  await vi.waitFor(async () => expect(await readDomainRedirects()).toEqual(redirectsBefore), {
    timeout: 60_000,
  })
})

test('every process applies a new block and keeps other links cached', async ({
  app,
  make,
  owner,
  blocking: { createHost, block },
}) => {
  const host = createHost()
  const url = `https://${host}/`
  const affectedLink = await make.link(owner, { url })
  const unaffectedLink = await make.link(owner)
  const otherProcess = await createOtherProcess(app)
  const findLink = ({ visitLinks }: HttpContext, { alias }: { alias: string }) =>
    visitLinks.find(null, alias)
  try {
    const processes = [app.services, otherProcess]
    // A process that received this notification also receives all later ones.
    await vi.waitUntil(
      async () => {
        await findLink(otherProcess, affectedLink)
        await setLinkStatus(scopeOf(app.services, owner.account.id), affectedLink.id, 'active')
        return otherProcess.visitLinks.peek(null, affectedLink.alias) === undefined
      },
      { timeout: 60_000 },
    )
    for (const services of processes) await findLink(services, affectedLink)
    const cached = await Promise.all(
      processes.map((services) => findLink(services, unaffectedLink)),
    )
    await block(host)
    for (const services of processes) {
      await vi.waitUntil(
        async () => (await findLink(services, affectedLink))?.blockedDestinations?.has(url),
        { timeout: 60_000 },
      )
      const creation = createLink(scopeOf(services, owner.account.id), { url })
      await expect(creation).rejects.toMatchObject({ field: 'url' })
    }
    expect(processes.map(({ visitLinks }) => visitLinks.peek(null, unaffectedLink.alias))).toEqual(
      cached,
    )
    await unblockHost(app.services, app.services.db, host)
    for (const services of processes) {
      await vi.waitUntil(
        async () => (await findLink(services, affectedLink))?.blockedDestinations === undefined,
        { timeout: 60_000 },
      )
    }
  } finally {
    await otherProcess.close()
  }
})

describe('the service for blocked hosts', () => {
  test('counts links whose default or targeted destination is on a host, in every spelling', async ({
    make,
    owner,
    blocking: { app, createHost },
  }) => {
    const host = createHost()
    const urls = [
      `https://${host}/`,
      `http://${host}.:81/?a`,
      `https://a.${host}/`,
      `https://x${host}/`,
      `https://${host}.com/`,
      `https://example.com/?u=https://${host}/`,
    ]
    for (const url of urls) await make.link(owner, { url })
    const geoTargets = [{ location: 'FR', link: `https://b.a.${host}/` }]
    await make.link(owner, { geoTargets })
    expect(await countLinksToHost(app.services.db, host)).toEqual({ count: 2, atLeast: false })
    expect(await countLinksToHost(app.services.db, `*.${host}`)).toEqual({
      count: 4,
      atLeast: false,
    })
    expect(await countLinksToHost(app.services.db, 'none.example')).toEqual({
      count: 0,
      atLeast: false,
    })
  })

  test('updates an existing block, and searches blocked hosts', async ({
    blocking: { app, createHost, block },
  }) => {
    const host = createHost()
    await block(host)
    await blockHost(app.services, app.services.db, {
      host,
      subdomains: true,
      reason: ' Phishing ',
      by: 'admin',
    })
    expect(
      await listBlockedHosts(app.services.db, { limit: 10, offset: 0 }, ` ${host.toUpperCase()} `),
    ).toEqual({
      total: 1,
      entries: [{ host, subdomains: true, reason: 'Phishing', by: 'admin', at: expect.any(Date) }],
    })
    await unblockHost(app.services, app.services.db, host)
    await expect(unblockHost(app.services, app.services.db, host)).rejects.toThrow(
      `${host} is not blocked.`,
    )
  })
})

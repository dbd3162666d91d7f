import { describe, expect } from 'vitest'
import { setLinkStatus, updateLink } from '../../src/links/link.service.ts'
import { addLinkToCampaign, setCampaignWeights } from '../../src/resources/campaign-links.ts'
import { campaigns } from '../../src/resources/campaigns.ts'
import { scopeOf } from '../../src/scope.ts'
import { makeCampaignWithLinks } from '../support/campaign-links.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('owner', { scope: 'file' }, ({ make }) =>
  make.owner({ username: 'anna' }),
)

describe('a rotator', () => {
  test('redirects to each active link equally often and counts its clicks', {
    timeout: 120_000,
  }, async ({ app, request, owner }) => {
    const { slug, links } = await makeCampaignWithLinks(app, owner, 8)
    const [disabled, expired, ...activeLinks] = links
    await setLinkStatus(scopeOf(app.services, owner.account.id), disabled?.id ?? 0, 'disabled')
    await updateLink(scopeOf(app.services, owner.account.id), expired?.id ?? 0, {
      url: 'https://example.com/',
      expiresAt: new Date(app.clock().getTime() + 3_600_000)
        .toISOString()
        .slice(0, 19)
        .replace('T', ' '),
    })
    app.clock.advance(3601)
    const visits = 600
    const hits = new Map(activeLinks.map(({ url }) => [url, 0]))
    for (let i = 0; i < visits; i += 1) {
      const reply = await request({ url: `/r/${slug}` })
      const location = String(reply.headers.location)
      expect(reply.statusCode).toBe(302)
      expect(reply.headers['cache-control']).toBe('private, no-store')
      hits.set(location, (hits.get(location) ?? 0) + 1)
    }
    expect([...hits.keys()].sort()).toEqual(activeLinks.map(({ url }) => url).sort())
    // Chi-square with 5 degrees of freedom exceeds 50 in one of 700 million fair runs.
    const expected = visits / activeLinks.length
    const chiSquare = [...hits.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
    expect(chiSquare).toBeLessThan(50)
    for (const { id, url } of activeLinks) expect(await app.clicksOf(owner, id)).toBe(hits.get(url))
  })

  test('redirects as often as the weights of its links say', async ({ app, request, owner }) => {
    const { slug, id, links } = await makeCampaignWithLinks(app, owner, 3)
    const scope = scopeOf(app.services, owner.account.id)
    const [heavy, ...light] = links
    await setCampaignWeights(scope, id, new Map([[heavy?.id ?? 0, 100]]))
    const visit = async () => String((await request({ url: `/r/${slug}` })).headers.location)
    let hits = 0
    for (let count = 0; count < 80; count += 1) if ((await visit()) === heavy?.url) hits += 1
    // Fair runs have 78 on average, and fewer than 60 in one of 10^15. Without weights, it is 27.
    expect(hits).toBeGreaterThanOrEqual(60)
    await setLinkStatus(scope, heavy?.id ?? 0, 'disabled')
    expect(light.map(({ url }) => url)).toContain(await visit())
  })

  test('shows the password form of a protected link', async ({ app, make, request, owner }) => {
    const { slug, id } = await makeCampaignWithLinks(app, owner, 0)
    const link = await make.link(owner, { type: 'splash', password: 'open sesame' })
    await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, id, link.id)
    const { body } = await request({ url: `/r/${slug}` })
    expect(body).toContain('type="password"')
    expect(body).toContain(`action="/${link.alias}"`)
    expect(await app.clicksOf(owner, link.id)).toBe(0)
  })

  test('redirects to the short URL of a link that shows a page on another domain', async ({
    app,
    make,
    request,
    owner,
  }) => {
    await make.domain(owner, { domain: 'https://brand.test' })
    const { slug, id } = await makeCampaignWithLinks(app, owner, 0)
    const link = await make.link(owner, { type: 'splash', domain: 'brand.test' })
    await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, id, link.id)
    const reply = await request({ url: `/r/${slug}` })
    expect([reply.statusCode, reply.headers.location]).toEqual([302, link.shortUrl])
    expect(await app.clicksOf(owner, link.id)).toBe(0)
    await updateLink(scopeOf(app.services, owner.account.id), link.id, {
      url: link.url,
      type: 'direct',
    })
    expect((await request({ url: `/r/${slug}` })).headers.location).toBe(link.url)
    expect(await app.clicksOf(owner, link.id)).toBe(1)
  })

  test('does not count HEAD requests and prefetches', async ({ app, request, owner }) => {
    const { slug, links } = await makeCampaignWithLinks(app, owner, 1)
    const [link] = links
    const head = await request({ method: 'HEAD', url: `/r/${slug}` })
    expect([head.statusCode, head.headers.location]).toEqual([302, link?.url])
    await request({ url: `/r/${slug}`, headers: { 'sec-purpose': 'prefetch' } })
    expect(await app.clicksOf(owner, link?.id ?? 0)).toBe(0)
  })

  test('returns 404 at another path or without active links', async ({ app, request, owner }) => {
    const { slug, links } = await makeCampaignWithLinks(app, owner, 1)
    const wrongPaths = [
      `/r/${slug}x`,
      `/r/${slug}/`,
      '/r/',
      '/r',
      `/r/${slug}%00`,
      `/r/${slug}+`,
      '/r/%2e',
    ]
    for (const url of wrongPaths) expect((await request({ url })).statusCode).toBe(404)
    await setLinkStatus(scopeOf(app.services, owner.account.id), links[0]?.id ?? 0, 'disabled')
    const missing = await request({ url: `/r/${slug}` })
    expect(missing.statusCode).toBe(404)
    expect(missing.headers['content-type']).toBe('text/html; charset=utf-8')
    const { slug: emptySlug } = await makeCampaignWithLinks(app, owner, 0)
    expect((await request({ url: `/r/${emptySlug}` })).statusCode).toBe(404)
  })
})

describe('a public campaign', () => {
  test('lists its links newest first, 50 per page', async ({ app, request, owner }) => {
    const { id, links } = await makeCampaignWithLinks(app, owner, 101, { public: true })
    const titles = links.map((_link, i) => `Offer ${i}`).reverse()
    for (const page of [1, 2, 3]) {
      const reply = await request({ url: `/u/anna/${id}?page=${page}` })
      const listedTitles = [...reply.body.matchAll(/<strong dir="auto">([^<]*)/g)].map(
        (match) => match[1],
      )
      expect(listedTitles).toEqual(titles.slice((page - 1) * 50, page * 50))
      expect(reply.body).toContain(`Page ${page} of 3`)
      expect(reply.body.includes('rel="prev"')).toBe(page > 1)
      expect(reply.body.includes('rel="next"')).toBe(page < 3)
    }
    expect((await request({ url: `/u/ANNA/${id}` })).statusCode).toBe(200)
  })

  test('returns 404 past the last page, under another username, or while private', async ({
    app,
    request,
    owner,
  }) => {
    const { id } = await makeCampaignWithLinks(app, owner, 1, { public: true })
    const queries = ['2', '0', '-1', '1.5', 'x', '', '1&page=1', '99999999999', '%00', '1e1']
    const urls = [
      ...queries.map((page) => `/u/anna/${id}?page=${page}`),
      `/u/bert/${id}`,
      `/u/anna/0${id}`,
      `/u/anna/${id}x`,
      '/u/anna/9007199254740993',
      '/u/anna/',
      '/u/anna/-1',
      '/u/anna',
      `/u/%00/${id}`,
      `/u/anna%2f/${id}`,
      `/u//${id}`,
      `/u/anna/${id}/`,
    ]
    for (const url of urls) expect([url, (await request({ url })).statusCode]).toEqual([url, 404])
    expect((await request({ url: `/u/anna/${id}` })).statusCode).toBe(200)
    await campaigns.update({ ...app.services, accountId: owner.account.id }, id, {
      name: 'Private',
      public: false,
    })
    expect((await request({ url: `/u/anna/${id}` })).statusCode).toBe(404)
  })

  test('shows only active links and no destinations', async ({ app, request, owner }) => {
    const { id, links } = await makeCampaignWithLinks(app, owner, 2, { public: true })
    await setLinkStatus(scopeOf(app.services, owner.account.id), links[0]?.id ?? 0, 'disabled')
    const { body } = await request({ url: `/u/anna/${id}` })
    expect(body).not.toContain('Offer 0')
    expect(body).toContain(links[1]?.shortUrl)
    expect(body).not.toContain(links[1]?.url)
  })
})

test('a public campaign lists a protected link by its title or alias, never by its destination', async ({
  app,
  make,
  request,
  owner,
}) => {
  const { id } = await makeCampaignWithLinks(app, owner, 0, { public: true })
  const protectedInput = { url: 'https://secret.example/', password: 'open sesame' }
  const untitled = await make.link(owner, { ...protectedInput, alias: 'behind-a-lock' })
  const titled = await make.link(owner, { ...protectedInput, metaTitle: 'For the staff' })
  for (const link of [untitled, titled]) {
    await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, id, link.id)
  }
  const { body } = await request({ url: `/u/anna/${id}` })
  expect(body).toContain('>behind-a-lock<')
  expect(body).toContain('>For the staff<')
  for (const { alias } of [untitled, titled]) {
    const preview = await request({ url: `/${alias}+` })
    const form = await request({ url: `/${alias}` })
    expect(body + preview.body + form.body).not.toContain('secret.example')
  }
})

test('search engines may index a bio page but not a short link', async ({
  make,
  request,
  owner,
}) => {
  const { alias } = await make.bio(owner, { title: 'Anna', text: 'Hello' })
  const bio = await request({ url: `/b/${alias}` })
  expect([bio.statusCode, bio.headers['x-robots-tag']]).toEqual([200, 'all'])
  const link = await make.link(owner, { type: 'splash' })
  expect((await request({ url: `/${link.alias}` })).headers['x-robots-tag']).toBe('noindex')
  for (const url of ['/b/', '/b', `/b/${alias}/`, `/b/${alias}x`, '/b/%00', `/b/${alias}+`]) {
    expect((await request({ url })).statusCode).toBe(404)
  }
})

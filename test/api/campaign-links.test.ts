import { describe, expect } from 'vitest'
import { deleteLink, setLinkStatus } from '../../src/links/link.service.ts'
import { drawCampaignLink, listPublicCampaign } from '../../src/resources/campaign-visits.ts'
import { scopeOf } from '../../src/scope.ts'
import { resourceClient } from '../support/api-client.ts'
import { expectNotFound } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest()
  .extend('owner', { scope: 'file' }, ({ make }) => make.owner({ username: 'Anna' }))
  .extend('api', { scope: 'file' }, ({ app, owner }) => {
    const { send, update, remove } = resourceClient({ app, owner }, 'campaign')
    const assign = (id: number | string, linkId: number | string, caller = owner) =>
      send('POST', `/api/campaign/${id}/assign/${linkId}`, undefined, caller)
    function tomorrow(): string {
      return new Date(app.clock().getTime() + 86_400_000).toISOString().slice(0, 10)
    }
    return { assign, update, remove, send, tomorrow }
  })

describe('POST /api/campaign/{campaignid}/assign/{linkid}', () => {
  test('adds a link and is safe to repeat', async ({ app, make, owner, api: { assign } }) => {
    const { id } = await make.campaign(owner, { public: true })
    const link = await make.link(owner)
    for (let i = 0; i < 2; i += 1) {
      const reply = await assign(id, link.id)
      expect(reply.statusCode).toBe(200)
      expect(reply.json()).toEqual({
        error: 0,
        message: 'Link has been added to the campaign successfully.',
      })
    }
    const list = await listPublicCampaign(app.services, app.services.db, 'Anna', id, {
      limit: 10,
      offset: 0,
    })
    expect(list?.total).toBe(1)
  })

  test('adds a link to several campaigns, and once for 20 concurrent requests', async ({
    app,
    make,
    owner,
    api: { update, assign },
  }) => {
    const link = await make.link(owner)
    const campaigns = [await make.campaign(owner), await make.campaign(owner)]
    for (const { id } of campaigns) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => assign(id, link.id)))
      expect(replies.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200))
      await update(id, { name: 'Open', public: true })
      const list = await listPublicCampaign(app.services, app.services.db, 'Anna', id, {
        limit: 10,
        offset: 0,
      })
      expect(list).toMatchObject({ total: 1, entries: [{ shortUrl: link.shortUrl }] })
    }
  })

  test('returns 404 unless the campaign and the link exist and belong to the account', async ({
    app,
    make,
    owner,
    api: { remove, assign },
  }) => {
    const otherOwner = await make.owner()
    const own = await make.campaign(owner)
    const foreign = await make.campaign(otherOwner)
    const ownLink = await make.link(owner)
    const foreignLink = await make.link(otherOwner)
    const deletedCampaign = await make.campaign(owner)
    await remove(deletedCampaign.id)
    const deletedLink = await make.link(owner)
    await deleteLink(scopeOf(app.services, owner.account.id), deletedLink.id)
    const replies = [
      await assign(foreign.id, ownLink.id),
      await assign(own.id, foreignLink.id),
      await assign(foreign.id, foreignLink.id),
      await assign(deletedCampaign.id, ownLink.id),
      await assign(own.id, deletedLink.id),
      await assign(own.id, 'x'),
      await assign('0', ownLink.id),
      await assign(own.id, '9007199254740993'),
    ]
    expectNotFound(replies)
  })

  test('returns 200 or 404 during the deletion of the link or campaign, and 404 afterward', async ({
    make,
    owner,
    api: { send, remove, assign },
  }) => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await make.campaign(owner)
      const link = await make.link(owner)
      const [assigned, deleted] = await Promise.all([
        assign(id, link.id),
        round % 2 ? remove(id) : send('DELETE', `/api/url/${link.id}/delete`),
      ])
      expect(deleted.statusCode).toBe(200)
      expect([200, 404]).toContain(assigned.statusCode)
      expect((await assign(id, link.id)).statusCode).toBe(404)
    }
  })
})

describe('drawing a random link of a campaign', () => {
  test('returns every active link about equally often and no other link', async ({
    app,
    make,
    owner,
    api: { tomorrow, assign },
  }) => {
    const { id } = await make.campaign(owner, { slug: 'wheel' })
    const domain = await make.domain(owner)
    const active = [
      await make.link(owner),
      await make.link(owner, { domain: domain.origin }),
      await make.link(owner, { expiresAt: '9999-01-01' }),
    ]
    const expiring = await make.link(owner, { expiresAt: tomorrow() })
    const disabled = await make.link(owner)
    await setLinkStatus(scopeOf(app.services, owner.account.id), disabled.id, 'disabled')
    for (const link of [...active, expiring, disabled]) await assign(id, link.id)
    app.clock.advance(3 * 86_400)
    const countByLink = new Map<string, number>()
    for (let i = 0; i < 300; i += 1) {
      const link = await drawCampaignLink(app.services, app.services.db, 'wheel')
      const key = JSON.stringify(link)
      countByLink.set(key, (countByLink.get(key) ?? 0) + 1)
    }
    const expectedLinks = active.map(({ alias }, index) => ({
      domainId: index === 1 ? domain.id : null,
      alias,
    }))
    expect([...countByLink.keys()].sort()).toEqual(
      expectedLinks.map((link) => JSON.stringify(link)).sort(),
    )
    // Expect about 100 each; fewer than 50 is a one-in-100-million event.
    for (const count of countByLink.values()) expect(count).toBeGreaterThan(50)
  })

  test('always returns the only active link of many', async ({
    app,
    make,
    owner,
    api: { assign },
  }) => {
    const { id } = await make.campaign(owner, { slug: 'needle' })
    for (let i = 0; i < 30; i += 1) {
      const link = await make.link(owner)
      await setLinkStatus(scopeOf(app.services, owner.account.id), link.id, 'disabled')
      await assign(id, link.id)
    }
    const active = await make.link(owner)
    await assign(id, active.id)
    for (let i = 0; i < 10; i += 1) {
      expect(await drawCampaignLink(app.services, app.services.db, 'needle')).toEqual({
        domainId: null,
        alias: active.alias,
      })
    }
  })

  test('returns no link without an active link or for an unknown slug', async ({
    app,
    make,
    owner,
    api: { assign },
  }) => {
    const { id } = await make.campaign(owner, { slug: 'empty' })
    expect(await drawCampaignLink(app.services, app.services.db, 'empty')).toBe(null)
    const link = await make.link(owner)
    await setLinkStatus(scopeOf(app.services, owner.account.id), link.id, 'disabled')
    await assign(id, link.id)
    expect(await drawCampaignLink(app.services, app.services.db, 'empty')).toBe(null)
    for (const slug of ['unknown', 'EMPTY', '', 'a b', '\0', '\ud800']) {
      expect(await drawCampaignLink(app.services, app.services.db, slug)).toBe(null)
    }
  })
})

describe('the public list', () => {
  test('shows active links in pages, newest first', async ({
    app,
    make,
    owner,
    api: { assign },
  }) => {
    const { id } = await make.campaign(owner, { name: 'Open', public: true })
    const domain = await make.domain(owner)
    const first = await make.link(owner, { url: 'https://example.org/x' })
    const second = await make.link(owner, { metaTitle: 'Second', domain: domain.origin })
    const hidden = await make.link(owner, { metaTitle: 'Hidden' })
    await setLinkStatus(scopeOf(app.services, owner.account.id), hidden.id, 'disabled')
    for (const link of [second, hidden, first]) await assign(id, link.id)
    const page = (limit: number, offset: number, username = 'Anna') =>
      listPublicCampaign(app.services, app.services.db, username, id, { limit, offset })
    const list = [
      { title: 'Second', shortUrl: second.shortUrl },
      { title: 'example.org', shortUrl: first.shortUrl },
    ]
    expect(second.shortUrl).toBe(`${domain.origin}/${second.alias}`)
    // The total and the offset include the disabled link. Only `entries` omits it.
    const head = { name: 'Open', username: 'Anna', suspended: false, total: 3 }
    expect(await page(10, 0)).toEqual({ ...head, entries: list })
    expect(await page(10, 0, 'ANNA')).toEqual({ ...head, entries: list })
    expect(await page(2, 0)).toEqual({ ...head, entries: list.slice(0, 1) })
    expect(await page(2, 2)).toEqual({ ...head, entries: list.slice(1) })
    expect(await page(2, 4)).toEqual({ ...head, entries: [] })
  })

  test('is null unless the campaign is public and the username is its owner’s', async ({
    app,
    make,
    owner,
    api: { update },
  }) => {
    const publicCampaign = await make.campaign(owner, { public: true })
    const privateCampaign = await make.campaign(owner)
    const otherOwner = await make.owner()
    const page = { limit: 10, offset: 0 }
    const publicList = (...input: [string, number, typeof page]) =>
      listPublicCampaign(app.services, app.services.db, ...input)
    expect(await publicList('Anna', publicCampaign.id, page)).not.toBe(null)
    expect(await publicList('Anna', privateCampaign.id, page)).toBe(null)
    expect(await publicList(otherOwner.account.username, publicCampaign.id, page)).toBe(null)
    expect(await publicList('unknown', publicCampaign.id, page)).toBe(null)
    expect(await publicList('Anna', 999_999_999, page)).toBe(null)
    await update(publicCampaign.id, { name: 'x', public: false })
    expect(await publicList('Anna', publicCampaign.id, page)).toBe(null)
  })
})

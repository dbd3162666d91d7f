import { describe, expect, vi } from 'vitest'
import type { HttpContext } from '../../src/context.ts'
import { notify } from '../../src/db/notify.ts'
import { listLinks } from '../../src/links/link-list.service.ts'
import { overlays } from '../../src/resources/overlays.ts'
import { pixels } from '../../src/resources/pixels.ts'
import { splashes } from '../../src/resources/splashes.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from '../support/accounts.ts'
import { createOtherProcess } from '../support/app.ts'
import { makeCampaignWithLinks } from '../support/campaign-links.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('accounts', { scope: 'file' }, async ({ app, make, request }) => {
  // The first account is the only admin and cannot be suspended.
  const otherOwner = await make.owner()
  const owner = await make.owner({ username: 'anna' })
  const { slug, id } = await makeCampaignWithLinks(app, owner, 2, { public: true })
  const domain = 'https://brand.test'
  await make.domain(owner, { domain, redirectRoot: 'https://example.com/root' })
  const plainLink = await make.link(owner)
  const branded = await make.link(owner, { domain: 'brand.test' })
  const locked = await make.link(owner, { password: 'open sesame' })
  const framed = await make.link(owner, { type: 'frame' })
  const code = await make.qr(owner)
  const staticCode = await make.qr(owner, { type: 'text', data: 'hello' })
  const bio = await make.bio(owner)
  const { link_id } = await app.services.database.db
    .selectFrom('qr_codes')
    .select('link_id')
    .where('id', '=', code.id)
    .executeTakeFirstOrThrow()
  const qrLink = await app.services.database.db
    .selectFrom('links')
    .select('alias')
    .where('id', '=', link_id)
    .executeTakeFirstOrThrow()
  // The owner's public URLs, with their status before the suspension.
  const pages: [url: string, status: number, host?: string][] = [
    [`/${plainLink.alias}`, 302],
    [`/${plainLink.alias}+`, 200],
    [`/${branded.alias}`, 302, 'brand.test'],
    [`/${locked.alias}`, 200],
    [`/${framed.alias}`, 200],
    [`/${qrLink.alias}`, 302],
    [`/r/${slug}`, 302],
    [`/u/anna/${id}`, 200],
    [`/b/${bio.alias}`, 200],
    [`/qr/${code.alias}`, 200],
    [`/qr/${staticCode.alias}.svg`, 200],
  ]
  const visit = (url: string, host = 'brev.test') => request({ url, headers: { host } })
  async function readStatuses(): Promise<number[]> {
    const statuses = []
    for (const [url, , host] of pages) statuses.push((await visit(url, host)).statusCode)
    return statuses
  }
  /** Waits until a process receives notifications, so that it reloads only changed values. */
  async function waitUntilSubscribed({ visitLinks }: HttpContext): Promise<void> {
    const { alias } = await make.link(otherOwner)
    await visitLinks.find(null, alias)
    await notify(app.services.database.db, [{ kind: 'link', domainId: null, alias }])
    await vi.waitUntil(() => visitLinks.peek(null, alias) === undefined, { timeout: 60_000 })
  }
  async function readClicks(): Promise<number[]> {
    await app.importClicks()
    const page = { order: 'date', limit: 100, offset: 0 } as const
    const { entries } = await listLinks(scopeOf(app.services, owner.account.id), page)
    return entries.map(({ clicks }) => clicks)
  }
  const sharedParts = {
    pixel: {
      make: async () => {
        const { id } = await make.pixel(otherOwner)
        return { id, input: { pixels: [id] } }
      },
      change: (id: number) =>
        pixels.update({ ...app.services, accountId: otherOwner.account.id }, id, { tag: 'XY-9' }),
    },
    splash: {
      make: async () => {
        const { id } = await make.splash(otherOwner)
        return { id, input: { type: String(id) } }
      },
      change: (id: number) =>
        splashes.remove({ ...app.services, accountId: otherOwner.account.id }, id),
    },
    overlay: {
      make: async () => {
        const { id } = await make.overlay(otherOwner)
        return { id, input: { type: `overlay-${id}` } }
      },
      change: (id: number) =>
        overlays.remove({ ...app.services, accountId: otherOwner.account.id }, id),
    },
  }
  return {
    owner,
    pages,
    locked,
    visit,
    readClicks,
    readStatuses,
    otherOwner,
    waitUntilSubscribed,
    sharedParts,
  }
})

describe('a suspended account', () => {
  test('returns 410 at its public URLs until it is resumed', async ({
    app,
    accounts: { owner, pages, visit, readClicks, readStatuses },
  }) => {
    const before = pages.map(([, status]) => status)
    expect(await readStatuses()).toEqual(before)
    await setSuspended(app.services, owner.account.id, true)
    await vi.waitUntil(async () => (await readStatuses()).every((status) => status === 410), {
      timeout: 60_000,
    })
    const clicks = await readClicks()
    for (const [url, , host] of pages) {
      const { body, headers } = await visit(url, host)
      expect(body).not.toContain('example.com')
      expect(headers.location).toBeUndefined()
      expect(headers['cache-control']).not.toContain('public')
    }
    expect(await readClicks()).toEqual(clicks)
    await setSuspended(app.services, owner.account.id, false)
    await vi.waitUntil(async () => (await visit(pages[0]?.[0] ?? '')).statusCode === 302, {
      timeout: 60_000,
    })
    expect(await readStatuses()).toEqual(before)
  })

  test('accepts no passwords, and its domain does not redirect', async ({
    app,
    request,
    accounts: { owner, locked, visit },
  }) => {
    await setSuspended(app.services, owner.account.id, true)

    await vi.waitUntil(async () => (await visit('/', 'brand.test')).statusCode === 404, {
      timeout: 60_000,
    })
    const guess = await request({
      method: 'POST',
      url: `/${locked.alias}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'password=open+sesame',
    })
    expect(guess.statusCode).toBe(410)
    await setSuspended(app.services, owner.account.id, false)
    await vi.waitUntil(async () => (await visit('/', 'brand.test')).statusCode === 302, {
      timeout: 60_000,
    })
  })

  test('does not invalidate other accounts’ links', async ({
    app,
    make,
    accounts: { owner, otherOwner, pages, visit, waitUntilSubscribed },
  }) => {
    await waitUntilSubscribed(app.services)
    const { alias } = await make.link(otherOwner)
    await visit(`/${alias}`)
    const cachedLink = app.services.visitLinks.peek(null, alias)
    const [[suspendedUrl = ''] = []] = pages
    await visit(suspendedUrl)
    expect(app.services.visitLinks.peek(null, suspendedUrl.slice(1))).toBeDefined()
    await setSuspended(app.services, owner.account.id, true)
    await vi.waitUntil(
      () => app.services.visitLinks.peek(null, suspendedUrl.slice(1)) === undefined,
      { timeout: 60_000 },
    )
    expect(cachedLink).toBeDefined()
    expect(app.services.visitLinks.peek(null, alias)).toBe(cachedLink)
    await setSuspended(app.services, owner.account.id, false)
  })
})

describe('parts that links share', () => {
  test.for(['pixel', 'splash', 'overlay'] as const)(
    'a changed or deleted %s invalidates only the links that use it, in every process',
    async (kind, {
      app,
      make,
      accounts: { owner, otherOwner, sharedParts, waitUntilSubscribed },
    }) => {
      const { id, input } = await sharedParts[kind].make()
      const affectedLink = await make.link(otherOwner, input)
      const otherLinks = [await make.link(otherOwner), await make.link(owner)]
      const otherProcess = await createOtherProcess(app)
      try {
        await Promise.all([waitUntilSubscribed(app.services), waitUntilSubscribed(otherProcess)])
        const cachedByProcess = await Promise.all(
          [app.services, otherProcess].map(async ({ visitLinks }) => {
            for (const { alias } of [affectedLink, ...otherLinks])
              await visitLinks.find(null, alias)
            return {
              visitLinks,
              cached: otherLinks.map(({ alias }) => visitLinks.peek(null, alias)),
            }
          }),
        )
        await sharedParts[kind].change(id)
        for (const { visitLinks, cached } of cachedByProcess) {
          await vi.waitUntil(() => visitLinks.peek(null, affectedLink.alias) === undefined, {
            timeout: 60_000,
          })
          expect(cached.every((value) => value !== undefined)).toBe(true)
          expect(otherLinks.map(({ alias }) => visitLinks.peek(null, alias))).toEqual(cached)
        }
      } finally {
        await otherProcess.close()
      }
    },
  )
})

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { notify } from '../../src/db/notify.ts'
import { createServices, type Services } from '../../src/services.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { campaignOf } from '../support/campaign-links.ts'
import type { Owner } from '../support/make.ts'

let t: TestApp
let owner: Owner
let other: Owner
/** What of the owner's visitors may open, and what they see there before. */
let pages: [url: string, status: number, host?: string][]

beforeAll(async () => {
  t = await testApp()
  owner = await t.make.owner({ username: 'anna' })
  other = await t.make.owner()
  const { slug, id } = await campaignOf(t, owner, 2, { public: true })
  const domain = 'https://brand.test'
  await t.make.domain(owner, { domain, redirectRoot: 'https://example.com/root' })
  const plain = await t.make.link(owner)
  const branded = await t.make.link(owner, { domain: 'brand.test' })
  const locked = await t.make.link(owner, { password: 'open sesame' })
  const framed = await t.make.link(owner, { type: 'frame' })
  const code = await t.make.qr(owner)
  const drawn = await t.make.qr(owner, { type: 'text', data: 'hello' })
  const bio = await t.make.bio(owner)
  const { link_id } = await t.services.database.db
    .selectFrom('qr_codes')
    .select('link_id')
    .where('id', '=', code.id)
    .executeTakeFirstOrThrow()
  const scanned = await t.services.database.db
    .selectFrom('links')
    .select('alias')
    .where('id', '=', link_id)
    .executeTakeFirstOrThrow()
  pages = [
    [`/${plain.alias}`, 302],
    [`/${plain.alias}+`, 200],
    [`/${branded.alias}`, 302, 'brand.test'],
    [`/${locked.alias}`, 200],
    [`/${framed.alias}`, 200],
    [`/${scanned.alias}`, 302],
    [`/r/${slug}`, 302],
    [`/u/anna/${id}`, 200],
    [`/b/${bio.alias}`, 200],
    [`/qr/${code.alias}`, 200],
    [`/qr/${drawn.alias}.svg`, 200],
  ]
})
afterAll(() => t.close())

const visit = (url: string, host = 'brev.test') => t.request({ url, headers: { host } })

async function statuses(): Promise<number[]> {
  const seen = []
  for (const [url, , host] of pages) seen.push((await visit(url, host)).statusCode)
  return seen
}

describe('a suspended account', () => {
  test('has all that visitors can open gone until it is resumed', async () => {
    const before = pages.map(([, status]) => status)
    expect(await statuses()).toEqual(before)
    await t.services.accounts.setSuspended(owner.account.email, true)
    await vi.waitUntil(async () => (await statuses()).every((status) => status === 410))
    const clicks = await clicksSoFar()
    for (const [url, , host] of pages) {
      const { body, headers } = await visit(url, host)
      expect(body).not.toContain('example.com')
      expect(headers.location).toBeUndefined()
      expect(headers['cache-control']).not.toContain('public')
    }
    expect(await clicksSoFar()).toEqual(clicks)
    await t.services.accounts.setSuspended(owner.account.email, false)
    await vi.waitUntil(async () => (await visit(pages[0]?.[0] ?? '')).statusCode === 302)
    expect(await statuses()).toEqual(before)
  })

  test('takes no password, and leads the visitors of its domain nowhere', async () => {
    await t.services.accounts.setSuspended(owner.account.email, true)
    const [locked = ''] = pages.find(([, status]) => status === 200) ?? []
    await vi.waitUntil(async () => (await visit('/', 'brand.test')).statusCode === 404)
    const guess = await t.request({
      method: 'POST',
      url: locked.replace(/\+$/, ''),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'password=open+sesame',
    })
    expect(guess.statusCode).toBe(410)
    await t.services.accounts.setSuspended(owner.account.email, false)
    await vi.waitUntil(async () => (await visit('/', 'brand.test')).statusCode === 302)
  })

  test('does not have the links of others read again', async () => {
    await isSubscribed(t.services)
    const { alias } = await t.make.link(other)
    await visit(`/${alias}`)
    const kept = t.services.visitLinks.peek(null, alias)
    const [[mine = ''] = []] = pages
    await visit(mine)
    expect(t.services.visitLinks.peek(null, mine.slice(1))).toBeDefined()
    await t.services.accounts.setSuspended(owner.account.email, true)
    await vi.waitUntil(() => t.services.visitLinks.peek(null, mine.slice(1)) === undefined)
    expect(kept).toBeDefined()
    expect(t.services.visitLinks.peek(null, alias)).toBe(kept)
    await t.services.accounts.setSuspended(owner.account.email, false)
  })
})

describe('what links share', () => {
  const shared = {
    pixel: {
      make: async () => {
        const { id } = await t.make.pixel(other)
        return { id, input: { pixels: [id] } }
      },
      change: (id: number) => t.services.pixels.update(other.account.id, id, { tag: 'XY-9' }),
    },
    splash: {
      make: async () => {
        const { id } = await t.make.splash(other)
        return { id, input: { type: String(id) } }
      },
      change: (id: number) => t.services.splashes.delete(other.account.id, id),
    },
    overlay: {
      make: async () => {
        const { id } = await t.make.overlay(other)
        return { id, input: { type: `overlay-${id}` } }
      },
      change: (id: number) => t.services.overlays.delete(other.account.id, id),
    },
  }

  test.each(['pixel', 'splash', 'overlay'] as const)(
    'a change of a %s has the links read again that use it, in every process, and no others',
    async (kind) => {
      const { id, input } = await shared[kind].make()
      const using = await t.make.link(other, input)
      const without = [await t.make.link(other), await t.make.link(owner)]
      const elsewhere = await createServices({ ...t.services.config, databaseUrl: t.databaseUrl })
      try {
        await Promise.all([isSubscribed(t.services), isSubscribed(elsewhere)])
        const seen = await Promise.all(
          [t.services, elsewhere].map(async ({ visitLinks }) => {
            for (const { alias } of [using, ...without]) await visitLinks.find(null, alias)
            return { visitLinks, kept: without.map(({ alias }) => visitLinks.peek(null, alias)) }
          }),
        )
        await shared[kind].change(id)
        for (const { visitLinks, kept } of seen) {
          await vi.waitUntil(() => visitLinks.peek(null, using.alias) === undefined)
          expect(kept.every((value) => value !== undefined)).toBe(true)
          expect(without.map(({ alias }) => visitLinks.peek(null, alias))).toEqual(kept)
        }
      } finally {
        await elsewhere.close()
      }
    },
  )
})

/** Waits until a process is told of changes: from then on it reads again what changes, and no more. */
async function isSubscribed({ visitLinks }: Services): Promise<void> {
  const { alias } = await t.make.link(other)
  await visitLinks.find(null, alias)
  await notify(t.services.database.db, [{ kind: 'link', domainId: null, alias }])
  await vi.waitUntil(() => visitLinks.peek(null, alias) === undefined)
}

async function clicksSoFar(): Promise<number[]> {
  await t.importClicks()
  const page = { order: 'date', limit: 100, offset: 0 } as const
  const { entries } = await t.services.links.list(owner.account.id, page)
  return entries.map(({ clicks }) => clicks)
}

import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { test as base, expect } from 'vitest'
import { createSession } from '../../src/accounts/session.service.ts'
import { getLink } from '../../src/links/link.service.ts'
import { blockHost } from '../../src/operator/host-actions.service.ts'
import { findForbiddenWords } from '../../src/pages/never-words.fixture.ts'
import { visibleText } from '../../src/pages/visible-text.fixture.ts'
import { openWatchedPage } from '../support/browser.ts'
import { type BrowserApp, openBrowserApp } from '../support/browser-app.ts'
import {
  createResource,
  fillPath,
  HOSTILE_NAME,
  type PathIds,
  pathPrefix,
} from '../support/console-resources.ts'
import { findPageProblems } from '../support/inspection.ts'
import type { Owner } from '../support/make.ts'
import { listRoutes } from '../support/route-table.ts'

/** Pages for signed-out visitors. */
const SIGNED_OUT_PAGES = ['/console/reset-password/:token', '/console/sign-in', '/console/deleted']
/** Queries that some URLs need to be a file or a page. */
const QUERIES: Readonly<Record<string, string>> = {
  '/console/export': '?format=csv',
  '/console/operator/hosts/remove': '?host=blocked.example',
}
/** Routes that only redirect. */
const REDIRECTS = ['/console/operator', '/console/sign-in/verify']
/** The maximum compressed size of a page with its styles and scripts, in bytes. */
const MAX_PAGE_BYTES = 60_000
/** The maximum number of labels of a kind on a page. */
const LABELS = 1000

const test = base
  .extend('open', { scope: 'file' }, () => openBrowserApp)
  .extend('t', { scope: 'file' }, async ({ open }, { onCleanup }) => {
    const t = await open()
    onCleanup(t.close)
    return t
  })
  // The first account, which is also an admin.
  .extend('owner', { scope: 'file' }, ({ t }) => t.owner)

/** Creates a signed-in or signed-out browser that records console errors. */
async function visitor(t: BrowserApp, owner?: Owner) {
  const { browser } = t
  const { page, problems } = await openWatchedPage(browser)
  const token = owner && (await createSession(t.services, t.services.db, owner.account.id))
  if (token) {
    const url = `${t.baseUrl}/console`
    await page.context().addCookies([{ name: 'brevis_session', value: token, url }])
  }
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== t.baseUrl && protocol !== 'data:') problems.push(`asks ${request.url()}`)
  })
  return { page, problems, headers: { cookie: token ? `brevis_session=${token}` : '' } }
}

/** Returns all console pages with their URLs, for an account with one resource of each kind. */
async function pagesOf(t: BrowserApp, owner: Owner): Promise<Map<string, string>> {
  const idsOfPlaces = new Map<string, PathIds>()
  const pages = new Map<string, string>()
  for (const { method, url } of listRoutes(t.fastify)) {
    if (method !== 'GET' || !/^\/console(?:\/|$)/.test(url) || url.includes('/assets/')) continue
    const prefix = pathPrefix(url) ?? ''
    const ids = idsOfPlaces.get(prefix) ?? (await createResource(t, owner, url))
    idsOfPlaces.set(prefix, ids)
    pages.set(url, `${fillPath(url, ids)}${QUERIES[url] ?? ''}`)
  }
  for (const prefix of ['links', 'campaigns', 'channels']) {
    const { id, link = id, item = link } = idsOfPlaces.get(`/console/${prefix}`) ?? {}
    const { alias } = await getLink(t.services, t.services.db, owner.account.id, Number(item))
    await clickFrom(t, alias, 12)
  }
  return pages
}

/** Clicks a link from this many referrers. */
async function clickFrom(t: BrowserApp, alias: string, referrers: number): Promise<void> {
  for (let first = 0; first < referrers; first += 60) {
    await Promise.all(
      Array.from({ length: Math.min(60, referrers - first) }, (_, index) => {
        const referer = `https://${word(first + index)}.example/`
        const remoteAddress = `203.0.113.${index}`
        return t.request({ url: `/${alias}`, remoteAddress, headers: { referer } })
      }),
    )
  }
  await t.importClicks()
}

/** Returns a random-looking word, because similar words would compress too well. */
function word(number: number): string {
  return createHash('sha256').update(String(number)).digest('hex').slice(0, 24)
}

test('every page is accessible, fits wide and phone screens in light and dark mode, and is small', {
  timeout: 600_000,
}, async ({ t, owner }) => {
  const pages = await pagesOf(t, owner)
  await blockHost(t.services, t.services.db, 'anna', {
    host: 'blocked.example',
    subdomains: true,
    reason: HOSTILE_NAME,
  })
  const guest = await visitor(t)
  const signedIn = await visitor(t, owner)
  const faults: string[] = []
  let checked = 0
  for (const [url, path] of pages) {
    const { page, problems, headers } = SIGNED_OUT_PAGES.includes(url) ? guest : signedIn
    const reply = await t.request({ url: path, headers })
    const type = String(reply.headers['content-type'])
    if (REDIRECTS.includes(url) && pages.has(String(reply.headers.location))) continue
    if (reply.statusCode !== 200) faults.push(`${url}: ${reply.statusCode}`)
    if (!type.startsWith('text/html')) continue
    checked += 1
    faults.push(...findForbiddenWords(ownText(reply.body)).map((found) => `${url}: ${found}`))
    const bytes = await weigh(t, reply.body)
    if (bytes > MAX_PAGE_BYTES) faults.push(`${url}: ${bytes} bytes`)
    // Sandboxed pages inside other pages run no scripts, including axe.
    if (/\bsandbox\b/.test(String(reply.headers['content-security-policy']))) continue
    await page.goto(t.baseUrl + path)
    if ((await page.locator('main h1').count()) !== 1) faults.push(`${url}: has not one heading`)
    faults.push(
      ...(await findPageProblems(page, `every${url.replaceAll('/', '-').replaceAll(':', '')}`)),
    )
    faults.push(...problems.splice(0).map((problem) => `${url}: ${problem}`))
  }
  expect(faults.join('\n')).toBe('')
  expect(checked).toBeGreaterThan(50)
})

/** Returns the page's own text, without code samples, which use the API's words. */
function ownText(html: string): string {
  const text = visibleText(html.replace(/<(pre|code)\b[\s\S]*?<\/\1>/g, ''))
  return text.replace(/https?:\/\/\S+/g, '')
}

const weights = new Map<string, number>()

/** Returns the compressed size of a page, its styles and its scripts. */
async function weigh(t: BrowserApp, html: string): Promise<number> {
  const files = [...html.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)]
  let bytes = gzipSync(html).length
  for (const [, path = ''] of files) {
    const known = weights.get(path) ?? gzipSync((await t.request({ url: path })).body).length
    weights.set(path, known)
    bytes += known
  }
  return bytes
}

test('a page with the maximum number of labels is small', async ({ t }) => {
  const { id, alias } = await t.link()
  await clickFrom(t, alias, LABELS + 20)
  const cookie = `brevis_session=${await createSession(t.services, t.services.db, t.owner.account.id)}`
  for (const url of [`/console/links/${id}`, `/console/links/${id}/referrers`]) {
    const { body } = await t.request({ url, headers: { cookie } })
    expect(await weigh(t, body)).toBeLessThan(MAX_PAGE_BYTES)
  }
})

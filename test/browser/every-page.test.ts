import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { test as base, expect } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { getLink } from '../../src/links/link.service.ts'
import { blockHost } from '../../src/operator/moderation.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { findForbiddenWords } from '../fixtures/forbidden-words.ts'
import { visibleText } from '../fixtures/visible-text.ts'
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
/** The query strings that some routes need to respond with a file or a page. */
const QUERIES: Readonly<Record<string, string>> = {
  '/console/export': '?format=csv',
  '/console/operator/hosts/remove': '?host=blocked.example',
}
/** Downloads that need another kind of resource: only imports of lists of destinations have them. */
const OTHER_DOWNLOADS = ['/console/import/:id/links']
/** Routes that only redirect. */
const REDIRECTS = [
  '/console/account/links.csv',
  '/console/account/links.jsonl',
  '/console/operator',
  '/console/sign-in/verify',
]
/** The maximum compressed size of a page with its styles and scripts, in bytes. */
const MAX_PAGE_BYTES = 60_000
/** The maximum number of labels of a kind on a page. */
const MAX_LABELS = 1000
/** The number of concurrent clicks. */
const BATCH_SIZE = 60

const test = base
  .extend('openApp', { scope: 'file' }, () => openBrowserApp)
  .extend('app', { scope: 'file' }, async ({ openApp }, { onCleanup }) => {
    const app = await openApp()
    onCleanup(app.close)
    return app
  })
  // The owner of the first account, who is an admin.
  .extend('owner', { scope: 'file' }, ({ app }) => app.owner)

/** Opens a browser page that records problems. With an `owner`, it is signed in as this account. */
async function openConsolePage(app: BrowserApp, owner?: Owner) {
  const { browser } = app
  const { page, problems } = await openWatchedPage(browser)
  const token = owner && (await createSession(scopeOf(app.services, owner.account.id)))
  if (token) {
    const url = `${app.baseUrl}/console`
    await page.context().addCookies([{ name: 'brevis_session', value: token, url }])
  }
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== app.baseUrl && protocol !== 'data:') problems.push(`requests ${request.url()}`)
  })
  return { page, problems, headers: { cookie: token ? `brevis_session=${token}` : '' } }
}

/**
 * Creates a resource of each kind, and returns the path of each console page by its route. Routes of
 * downloads are included.
 */
async function listPages(app: BrowserApp, owner: Owner): Promise<Map<string, string>> {
  const idsByPrefix = new Map<string, PathIds>()
  const pages = new Map<string, string>()
  for (const { method, url } of listRoutes(app.fastify)) {
    if (method !== 'GET' || !/^\/console(?:\/|$)/.test(url) || url.includes('/assets/')) continue
    if (OTHER_DOWNLOADS.includes(url) || url.endsWith('/*')) continue
    const prefix = pathPrefix(url) ?? ''
    const ids = idsByPrefix.get(prefix) ?? (await createResource(app, owner, url))
    idsByPrefix.set(prefix, ids)
    pages.set(url, `${fillPath(url, ids)}${QUERIES[url] ?? ''}`)
  }
  // Campaigns return the id of their link as `link`, and channels as `item`.
  for (const prefix of ['links', 'campaigns', 'channels']) {
    const { id, link = id, item = link } = idsByPrefix.get(`/console/${prefix}`) ?? {}
    const { alias } = await getLink(scopeOf(app.services, owner.account.id), Number(item))
    await clickFromReferrers(app, alias, 12)
  }
  return pages
}

/** Clicks a link from `referrers` different sites, in concurrent batches. */
async function clickFromReferrers(
  app: BrowserApp,
  alias: string,
  referrers: number,
): Promise<void> {
  for (let first = 0; first < referrers; first += BATCH_SIZE) {
    await Promise.all(
      Array.from({ length: Math.min(BATCH_SIZE, referrers - first) }, (_, index) => {
        const referer = `https://${pseudoRandomWord(first + index)}.example/`
        const remoteAddress = `203.0.113.${index}`
        return app.request({ url: `/${alias}`, remoteAddress, headers: { referer } })
      }),
    )
  }
  await app.importClicks()
}

/** Returns a word for a number. Similar words would compress too well, so it looks random. */
function pseudoRandomWord(number: number): string {
  return createHash('sha256').update(String(number)).digest('hex').slice(0, 24)
}

test('every console page is accessible, fits desktop and phone screens in both color schemes, and is small', {
  timeout: 600_000,
}, async ({ app, owner }) => {
  const pages = await listPages(app, owner)
  await blockHost(app.services, app.services.db, 'anna', {
    host: 'blocked.example',
    subdomains: true,
    reason: HOSTILE_NAME,
  })
  const signedOut = await openConsolePage(app)
  const signedIn = await openConsolePage(app, owner)
  const allProblems: string[] = []
  let checked = 0
  for (const [url, path] of pages) {
    const { page, problems, headers } = SIGNED_OUT_PAGES.includes(url) ? signedOut : signedIn
    const reply = await app.request({ url: path, headers })
    const type = String(reply.headers['content-type'])
    const [redirectPath = ''] = String(reply.headers.location).split('?')
    if (REDIRECTS.includes(url) && pages.has(redirectPath)) continue
    if (reply.statusCode !== 200) allProblems.push(`${url}: ${reply.statusCode}`)
    if (!type.startsWith('text/html')) continue
    checked += 1
    allProblems.push(
      ...findForbiddenWords(extractOwnText(reply.body)).map((problem) => `${url}: ${problem}`),
    )
    const bytes = await measureCompressedSize(app, reply.body)
    if (bytes > MAX_PAGE_BYTES) allProblems.push(`${url}: ${bytes} bytes`)
    // Sandboxed pages inside other pages run no scripts, including axe.
    if (/\bsandbox\b/.test(String(reply.headers['content-security-policy']))) continue
    await page.goto(app.baseUrl + path)
    if ((await page.locator('main h1').count()) !== 1)
      allProblems.push(`${url}: does not have exactly one main heading`)
    allProblems.push(
      ...(await findPageProblems(page, `every${url.replaceAll('/', '-').replaceAll(':', '')}`)),
    )
    allProblems.push(...problems.splice(0).map((problem) => `${url}: ${problem}`))
  }
  expect(allProblems.join('\n')).toBe('')
  expect(checked).toBeGreaterThan(50)
})

/** Returns the page's own text, without destinations, and code samples, which use the API's words. */
function extractOwnText(html: string): string {
  const text = visibleText(
    html.replace(/<(pre|code)\b[\s\S]*?<\/\1>|<span class="goal[\s\S]*?<\/span>/g, ''),
  )
  return text.replace(/https?:\/\/\S+/g, '')
}

/** The compressed sizes of styles and scripts, by path. */
const fileSizes = new Map<string, number>()

/** Returns the compressed size of a page, its styles and its scripts. */
async function measureCompressedSize(app: BrowserApp, html: string): Promise<number> {
  const files = [...html.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)]
  let bytes = gzipSync(html).length
  for (const [, path = ''] of files) {
    const size = fileSizes.get(path) ?? gzipSync((await app.request({ url: path })).body).length
    fileSizes.set(path, size)
    bytes += size
  }
  return bytes
}

test('a link page with the maximum number of labels is small', async ({ app }) => {
  const { id, alias } = await app.link()
  await clickFromReferrers(app, alias, MAX_LABELS + 20)
  const cookie = `brevis_session=${await createSession(scopeOf(app.services, app.owner.account.id))}`
  for (const url of [`/console/links/${id}`, `/console/links/${id}/referrers`]) {
    const { body } = await app.request({ url, headers: { cookie } })
    expect(await measureCompressedSize(app, body)).toBeLessThan(MAX_PAGE_BYTES)
  }
})

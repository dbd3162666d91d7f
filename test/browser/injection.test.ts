import { describe, expect } from 'vitest'
import type { LinkInput } from '../../src/links/link.ts'
import { MAX_TITLE } from '../../src/links/rules/lengths.ts'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { openBrowser, openWatchedPage, type WatchedPage } from '../support/browser.ts'
import { siteTest } from '../support/browser-test.ts'
import { payloads, urlPayloads } from '../support/injections.ts'

const BASE_URL = 'http://brev.test'
/** A user agent that receives a link's title and description instead of a redirect. */
const LINK_PREVIEW_BOT = 'Slackbot 1.0'
/** The maximum number of options of a poll. */
const MAX_OPTIONS = 20

const test = siteTest()
  .extend('browser', { scope: 'file' }, async ({ app }, { onCleanup }) => {
    await app.listen()
    const browser = await openBrowser({ 'brev.test': app.port() })
    onCleanup(() => browser.close())
    return browser
  })
  .extend('anna', { scope: 'file' }, ({ make }) => make.owner({ username: 'anna' }))
  .extend('watched', { scope: 'file' }, async ({ browser }) => {
    const watched = await openWatchedPage(browser)
    watched.page.on('request', (request) => requestedUrls.push(request.url()))
    return watched
  })

/** The URLs that the watched page has requested. */
const requestedUrls: string[] = []

/** The payloads in groups that are small enough for one field, such as the options of a poll. */
const payloadGroups = Array.from({ length: Math.ceil(payloads.length / MAX_OPTIONS) }, (_, index) =>
  payloads.slice(index * MAX_OPTIONS, (index + 1) * MAX_OPTIONS),
)

/** Joins payloads, one per line, into as few titles as possible. */
function joinIntoTitles(group: readonly string[]): string[] {
  const titles: string[] = []
  for (const payload of group) {
    const longerTitle = `${titles.at(-1)}\n${payload}`
    if (titles.length > 0 && longerTitle.length <= MAX_TITLE) titles.splice(-1, 1, longerTitle)
    else titles.push(payload)
  }
  return titles
}

/**
 * Opens a page, passes its text to `check`, and expects that no payload ran, sent a request or opened
 * a dialog.
 */
async function expectHarmless(
  watched: WatchedPage,
  url: string,
  check: (text: string) => Promise<void>,
  userAgent?: string,
) {
  const { page, problems } = watched
  await page.setExtraHTTPHeaders(userAgent === undefined ? {} : { 'user-agent': userAgent })
  await page.goto(url)
  const { title, text } = await page.evaluate(triggerEvents)
  expect(title).not.toBe('')
  await check(text)
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
  expect(requestedUrls.filter((requested) => requested.includes('pwned'))).toEqual([])
  expect(problems).toEqual([])
}

/** Runs in the page: triggers the events used by payloads. Returns the page's title and text. */
function triggerEvents() {
  const types = ['mouseover', 'focus', 'error', 'load', 'toggle', 'animationend', 'input']
  for (const element of document.querySelectorAll('*')) {
    for (const type of types) element.dispatchEvent(new Event(type, { bubbles: true }))
  }
  return { title: document.title, text: document.body.textContent }
}

/** Makes texts comparable: HTML preserves neither line breaks nor repeated spaces. */
const collapseWhitespace = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Expects that the text of a page contains all `expected` texts. */
function expectTexts(text: string, expected: readonly string[]): void {
  const pageText = collapseWhitespace(text)
  for (const each of expected) expect(pageText).toContain(collapseWhitespace(each))
}

test('the payloads are distinct and at least 100', () => {
  expect(new Set(payloads).size).toBe(payloads.length)
  expect(payloads.length).toBeGreaterThanOrEqual(100)
})

test('the browser detects payloads that run as markup', async ({ browser, site }) => {
  const { page, problems } = await openWatchedPage(browser)
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(`${site.origin}/t`)
  await page.setContent(payloads.slice(0, 10).join('\n'), { waitUntil: 'commit' })
  await page.waitForFunction(() => 'pwned' in window)
  expect(requests.filter((url) => url.includes('pwned')).length).toBeGreaterThan(0)
  expect(problems.length).toBeGreaterThan(0)
  await page.context().close()
})

describe.each(payloadGroups.map((group, index) => [index + 1, group] as const))(
  'batch %i of the payloads is shown as text in',
  (_batch, group) => {
    const all = group.join('\n')
    const first = group[0] ?? ''

    test('a link’s title and description', async ({ app, site, anna, watched }) => {
      const url = `${site.origin}/never`
      for (const title of joinIntoTitles(group)) {
        const meta = { metaTitle: title, metaDescription: all }
        for (const type of ['splash', 'frame']) {
          const { shortUrl } = await app.make.link(anna, { url, type, ...meta })
          await expectHarmless(watched, shortUrl, async (text) => {
            const { page } = watched
            if (type === 'splash') expectTexts(text, group)
            const description = await page.getAttribute(
              'meta[property="og:description"]',
              'content',
            )
            expect(collapseWhitespace(description ?? '')).toBe(collapseWhitespace(all))
          })
          if (type === 'splash')
            await expectHarmless(watched, `${shortUrl}+`, async (text) => expectTexts(text, group))
        }
        const { shortUrl } = await app.make.link(anna, { url, ...meta })
        await expectHarmless(
          watched,
          shortUrl,
          async (text) => expectTexts(text, group),
          LINK_PREVIEW_BOT,
        )
      }
    })

    test('a splash page', async ({ app, anna, watched }) => {
      const { id } = await app.make.splash(anna, {
        name: all.slice(0, 150),
        title: first,
        message: all,
      })
      const { shortUrl } = await app.make.link(anna, { type: String(id) })
      await expectHarmless(watched, shortUrl, async (text) => expectTexts(text, [first, ...group]))
    })

    test('overlays of all types', async ({ app, anna, site, watched }) => {
      const button = first.slice(0, 100)
      const link = 'https://example.com/offers'
      for (const fields of [
        { type: 'message', button, link },
        { type: 'contact', button },
        { type: 'poll', button, options: group },
      ]) {
        const { id } = await app.make.overlay(anna, { text: `${first}\n${all}`, ...fields })
        const created = { url: `${site.origin}/t`, type: `overlay-${id}` }
        const { shortUrl } = await app.make.link(anna, created)
        await expectHarmless(watched, shortUrl, async (text) => {
          const { page } = watched
          expectTexts(text, [button, ...group])
          if (fields.type !== 'poll') return
          const options = await page.locator('.option').allTextContents()
          expect(options.map(collapseWhitespace)).toEqual(group.map(collapseWhitespace))
        })
      }
    })

    test('a campaign, a bio page and a rejected form', async ({ app, anna, watched }) => {
      const campaign = await app.make.campaign(anna, { name: first, public: true })
      for (const title of group) {
        const { id } = await app.make.link(anna, { metaTitle: title })
        await addLinkToCampaign({ ...app.services, accountId: anna.account.id }, campaign.id, id)
      }
      await expectHarmless(watched, `${BASE_URL}/u/anna/${campaign.id}`, async (text) => {
        const { page } = watched
        expectTexts(text, [first])
        const titles = await page.locator('.row strong').allTextContents()
        expect(titles.map(collapseWhitespace).sort()).toEqual(group.map(collapseWhitespace).sort())
      })
      const links = group.map((title) => ({ title, url: 'https://example.com/' }))
      const { alias } = await app.make.bio(anna, { title: first, text: all, links })
      await expectHarmless(watched, `${BASE_URL}/b/${alias}`, async (text) => {
        const { page } = watched
        expectTexts(text, group)
        const titles = await page.locator('.row strong').allTextContents()
        expect(titles.map(collapseWhitespace)).toEqual(group.map(collapseWhitespace))
      })
      await expectHarmless(watched, `${BASE_URL}/register`, async () => {
        const { page } = watched
        await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
        await page.evaluate(() => document.querySelector('#email')?.setAttribute('type', 'text'))
        await page.fill('#email', first)
        await page.fill('#username', collapseWhitespace(all).slice(0, 200))
        await page.click('button')
        await page.waitForSelector('.error')
        expect(await page.inputValue('#username')).toBe(collapseWhitespace(all).slice(0, 200))
      })
    })
  },
)

test.for(urlPayloads)(
  'the URL %s is rejected, or harmless on a splash page',
  async (url, { app, anna, watched }) => {
    const inputs: Partial<LinkInput>[] = [
      { url },
      { metaImage: url },
      { geoTargets: [{ location: 'fr', link: url }] },
    ]
    for (const input of inputs) {
      const created = await app.make.link(anna, { type: 'splash', ...input }).catch(() => undefined)
      if (!created) continue
      await expectHarmless(watched, created.shortUrl, async () => {
        const { page } = watched
        const urls = await page.$$eval('[href], [src], [content^="http"]', (elements) =>
          elements.map(
            (element) => element.getAttribute('href') ?? element.getAttribute('src') ?? '',
          ),
        )
        // Only web URLs, the report page, the icon, and fragments or empty URLs.
        for (const each of urls)
          expect(each).toMatch(/^(https?:\/\/|\/\w+\+report$|\/favicon\.svg$|#$|$)/)
      })
    }
  },
)

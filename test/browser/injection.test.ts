import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LinkInput } from '../../src/links/link.ts'
import { MAX_TITLE } from '../../src/links/rules/lengths.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { openBrowser, type Watched, watchedPage } from '../support/browser.ts'
import { payloads, urlPayloads } from '../support/injections.ts'
import type { Owner } from '../support/make.ts'
import { openTargetSite, type TargetSite } from '../support/target-site.ts'

const base = 'http://brev.test'
/** As many as a poll may have options. */
const PER_PAGE = 20

let t: TestApp
let site: TargetSite
let browser: Browser
let owner: Owner
let watched: Watched
const asked: string[] = []

beforeAll(async () => {
  site = await openTargetSite()
  t = await testApp()
  await t.listen()
  browser = await openBrowser({ 'brev.test': t.port() })
  owner = await t.make.owner({ username: 'anna' })
  watched = await watchedPage(browser)
  watched.page.on('request', (request) => asked.push(request.url()))
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
  await t?.close()
})

/** The payloads in groups that fit into one field, each line a payload. */
const groups = Array.from({ length: Math.ceil(payloads.length / PER_PAGE) }, (_, index) =>
  payloads.slice(index * PER_PAGE, (index + 1) * PER_PAGE),
)

/** The payloads in titles, as many in each as fit. */
function piecesOf(group: readonly string[]): string[] {
  const pieces: string[] = []
  for (const payload of group) {
    const last = pieces.pop()
    const longer = `${last}\n${payload}`
    if (last === undefined) pieces.push(payload)
    else if (longer.length <= MAX_TITLE) pieces.push(longer)
    else pieces.push(last, payload)
  }
  return pieces
}

/** Opens a page and gives its text; nothing of a payload may have run, asked or spoken. */
async function opened(url: string, use: (text: string) => Promise<void>, userAgent?: string) {
  const { page, problems } = watched
  await page.setExtraHTTPHeaders(userAgent === undefined ? {} : { 'user-agent': userAgent })
  await page.goto(url)
  await page.waitForFunction(() => document.title !== '')
  await touchEverything(page)
  await use((await page.evaluate(() => document.body.textContent)) ?? '')
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
  expect(asked.filter((each) => each.includes('pwned'))).toEqual([])
  expect(problems).toEqual([])
}

/** Some payloads wait for an event. */
async function touchEverything(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll('*')) {
      for (const type of [
        'mouseover',
        'focus',
        'error',
        'load',
        'toggle',
        'animationend',
        'input',
      ]) {
        element.dispatchEvent(new Event(type, { bubbles: true }))
      }
    }
  })
}

/** What a browser makes of line ends in text, on both sides of a comparison. */
const flat = (text: string) => text.replace(/\s+/g, ' ').trim()

function expectTexts(text: string, expected: readonly string[]): void {
  const shown = flat(text)
  for (const each of expected) expect(shown).toContain(flat(each))
}

test(`there are ${payloads.length} payloads, all of them different`, () => {
  expect(new Set(payloads).size).toBe(payloads.length)
  expect(payloads.length).toBeGreaterThanOrEqual(100)
})

test('as markup they would run and ask, which would be noticed', async () => {
  const { page, problems } = await watchedPage(browser)
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(`${site.origin}/t`)
  await page.setContent(payloads.slice(0, 10).join('\n'), { waitUntil: 'commit' })
  await page.waitForFunction(() => 'pwned' in window)
  expect(requests.filter((url) => url.includes('pwned')).length).toBeGreaterThan(0)
  expect(problems.length).toBeGreaterThan(0)
  await page.context().close()
})

describe.each(groups.map((group, index) => [index + 1, group] as const))(
  'batch %i',
  (_n, group) => {
    const all = group.join('\n')
    const first = group[0] ?? ''

    test('a link’s title and description', async () => {
      const url = `${site.origin}/never`
      for (const title of piecesOf(group)) {
        const meta = { title, description: all }
        for (const type of ['splash', 'frame']) {
          const { shortUrl } = await t.make.link(owner, { url, type, meta })
          await opened(shortUrl, async (text) => {
            const { page } = watched
            if (type === 'splash') expectTexts(text, group)
            const content = await page.getAttribute('meta[property="og:description"]', 'content')
            expect(flat(content ?? '')).toBe(flat(all))
          })
          if (type === 'splash')
            await opened(`${shortUrl}+`, async (text) => expectTexts(text, group))
        }
        const { shortUrl } = await t.make.link(owner, { url, meta })
        await opened(shortUrl, async (text) => expectTexts(text, group), 'Slackbot 1.0')
      }
    })

    test('a splash page', async () => {
      const { id } = await t.make.splash(owner, {
        name: all.slice(0, 150),
        title: first,
        message: all,
      })
      const { shortUrl } = await t.make.link(owner, { type: String(id) })
      await opened(shortUrl, async (text) => expectTexts(text, [first, ...group]))
    })

    test('overlays', async () => {
      const button = first.slice(0, 100)
      const link = 'https://example.com/offers'
      for (const more of [
        { type: 'message', button, link },
        { type: 'contact', button },
        { type: 'poll', button, options: group },
      ]) {
        const { id } = await t.make.overlay(owner, { text: `${first}\n${all}`, ...more })
        const made = { url: `${site.origin}/t`, type: `overlay-${id}` }
        const { shortUrl } = await t.make.link(owner, made)
        await opened(shortUrl, async (text) => {
          const { page } = watched
          expectTexts(text, [button, ...group])
          if (more.type !== 'poll') return
          const options = await page.locator('.option').allTextContents()
          expect(options.map(flat)).toEqual(group.map(flat))
        })
      }
    })

    test('a campaign, a bio page and what a form is given back', async () => {
      const campaign = await t.make.campaign(owner, { name: first, public: true })
      for (const title of group) {
        const { id } = await t.make.link(owner, { meta: { title } })
        await t.services.campaigns.assign(owner.account.id, campaign.id, id)
      }
      await opened(`${base}/u/anna/${campaign.id}`, async (text) => {
        const { page } = watched
        expectTexts(text, [first])
        const titles = await page.locator('.row strong').allTextContents()
        expect(titles.map(flat).sort()).toEqual(group.map(flat).sort())
      })
      const links = group.map((title) => ({ title, url: 'https://example.com/' }))
      const { alias } = await t.make.bio(owner, { title: first, text: all, links })
      await opened(`${base}/b/${alias}`, async (text) => {
        const { page } = watched
        expectTexts(text, group)
        const titles = await page.locator('.row strong').allTextContents()
        expect(titles.map(flat)).toEqual(group.map(flat))
      })
      await opened(`${base}/register`, async () => {
        const { page } = watched
        await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
        await page.evaluate(() => document.querySelector('#email')?.setAttribute('type', 'text'))
        await page.fill('#email', first)
        await page.fill('#username', flat(all).slice(0, 200))
        await page.click('button')
        await page.waitForSelector('.error')
        expect(await page.inputValue('#username')).toBe(flat(all).slice(0, 200))
      })
    })
  },
)

test.each(urlPayloads)('the URL %s leads nowhere but to a site', async (url) => {
  const inputs: Partial<LinkInput>[] = [
    { url },
    { meta: { image: url } },
    { geoTargets: [{ location: 'fr', link: url }] },
  ]
  for (const input of inputs) {
    const made = await t.make.link(owner, { type: 'splash', ...input }).catch(() => undefined)
    if (!made) continue
    await opened(made.shortUrl, async () => {
      const { page } = watched
      const leads = await page.$$eval('[href], [src], [content^="http"]', (elements) =>
        elements.map(
          (element) => element.getAttribute('href') ?? element.getAttribute('src') ?? '',
        ),
      )
      for (const each of leads)
        expect(each).toMatch(/^(https?:\/\/|\/\w+\+report$|\/favicon\.svg$|#$|$)/)
    })
  }
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type TestApp, testApp } from './support/app.ts'
import { openBrowser, type Watched, watchedPage } from './support/browser.ts'
import type { Owner } from './support/make.ts'
import { openTargetSite, type TargetSite } from './support/target-site.ts'

const base = 'http://brev.test'

let t: TestApp
let site: TargetSite
let browser: Browser
let owner: Owner
let folder: string

beforeAll(async () => {
  site = await openTargetSite()
  folder = await mkdtemp(join(tmpdir(), 'brevis-pixels-'))
  const file = join(folder, 'pixels.json')
  await writeFile(file, JSON.stringify({ vendor01pixel: `${site.origin}/beacon?tag={tag}` }))
  t = await testApp({ env: { PIXELS_FILE: file } })
  await t.listen()
  browser = await openBrowser({
    'brev.test': t.port(),
    'brand.test': t.port(),
    'spin.test': t.port(),
  })
  owner = await t.make.owner()
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
  await t?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Walks through pages in a browser that must not complain about anything. */
async function walk(steps: (page: Page) => Promise<void>, options: BrowserContextOptions = {}) {
  const { page, problems }: Watched = await watchedPage(browser, options)
  await steps(page)
  expect(problems).toEqual([])
  await page.context().close()
}

const withoutScripts = { javaScriptEnabled: false }

let count = 0
const link = (input: object = {}) => {
  count += 1
  return t.make.link(owner, { url: `${site.origin}/target-${count}`, ...input })
}

async function withOverlay(input: object, more: object = {}) {
  const { id } = await t.make.overlay(owner, input)
  return { ...(await link({ type: `overlay-${id}`, ...more })), id }
}

async function answersTo(id: number): Promise<Record<string, string>[]> {
  const answers = await Array.fromAsync(t.services.overlays.answers(owner.account.id, id))
  return answers.map(({ answer }) => answer)
}

async function clicksOf(id: number): Promise<number> {
  await t.importClicks()
  const reply = await t.request({ url: `/api/url/${id}`, headers: owner.headers })
  return reply.json().data.clicks
}

test('registering shows a key that works, and shows it once', async () => {
  await walk(async (page) => {
    await page.goto(base)
    await page.click('text=Get an API key')
    await page.fill('#email', 'new@example.com')
    await page.fill('#username', 'newcomer')
    await page.fill('#password', 'correct horse battery')
    await page.click('button')
    const key = await page.textContent('#key')
    const headers = { authorization: `Bearer ${key}` }
    const account = await t.request({ url: '/api/account', headers })
    expect(account.json()).toMatchObject({ error: 0, data: { username: 'newcomer' } })
    await page.goto(`${base}/register`)
    expect(await page.content()).not.toContain(key)
    await page.goBack()
    expect(await page.content()).not.toContain(key)
  })
})

test('registering what is taken keeps what was typed, but not the password', async () => {
  await walk(async (page) => {
    await page.goto(`${base}/register`)
    await page.fill('#email', owner.account.email)
    await page.fill('#username', 'somebody')
    await page.fill('#password', 'correct horse battery')
    await page.click('button')
    await page.waitForSelector('#email-error')
    expect(await page.inputValue('#email')).toBe(owner.account.email)
    expect(await page.inputValue('#username')).toBe('somebody')
    expect(await page.inputValue('#password')).toBe('')
  })
})

describe.each([
  ['with scripts', {}],
  ['without scripts', withoutScripts],
])('%s', (_name, options) => {
  test('a password leads to the target when it is the right one', async () => {
    const { id, shortUrl } = await link({ password: 'open sesame' })
    await walk(async (page) => {
      await page.goto(shortUrl)
      await page.fill('#password', 'guess')
      await page.click('button')
      await page.waitForSelector('#password-error')
      expect(page.url()).toBe(shortUrl)
      await page.fill('#password', 'open sesame')
      await page.click('button')
      await page.waitForURL(`${site.origin}/**`)
      expect(await page.title()).toBe('The target')
    }, options)
    expect(await clicksOf(id)).toBe(1)
  })

  test('a splash page goes on by its button', async () => {
    const splash = await t.make.splash(owner, { seconds: 300 })
    const { id, url, shortUrl } = await link({ type: String(splash.id) })
    await walk(async (page) => {
      await page.goto(shortUrl)
      await page.click('#onward')
      await page.waitForURL(url)
    }, options)
    expect(await clicksOf(id)).toBe(1)
  })

  test('an overlay closes and opens', async () => {
    const { shortUrl } = await withOverlay({ text: 'Our sale\nStarts today.' })
    await walk(async (page) => {
      await page.goto(shortUrl)
      const text = page.getByText('Starts today.')
      expect(await text.isVisible()).toBe(true)
      await page.click('summary')
      expect(await text.isVisible()).toBe(false)
      expect(await page.frameLocator('iframe').locator('h1').textContent()).toBe('The target')
      await page.click('summary')
      expect(await text.isVisible()).toBe(true)
    }, options)
  })

  test('a message to the owner arrives, once what was wrong is right', async () => {
    const { id, shortUrl } = await withOverlay({ type: 'contact', text: 'Talk to us' })
    await walk(async (page) => {
      await page.goto(shortUrl)
      await page.fill('#name', 'Anna')
      // Right for the browser, but not for mail across the internet.
      await page.fill('#email', 'anna@localhost')
      await page.fill('#message', '\nHello\nthere')
      await page.click('form button')
      await page.waitForSelector('#email-error')
      expect(await page.inputValue('#name')).toBe('Anna')
      expect(await page.inputValue('#message')).toContain('Hello\nthere')
      await page.fill('#email', 'anna@example.com')
      await page.click('form button')
      await page.waitForSelector('[role=status]')
      expect(await page.frameLocator('iframe').locator('h1').textContent()).toBe('The target')
    }, options)
    const [answer, ...others] = await answersTo(id)
    expect(answer).toMatchObject({ name: 'Anna', email: 'anna@example.com' })
    expect(answer?.message?.replaceAll('\r\n', '\n')).toBe('Hello\nthere')
    expect(others).toEqual([])
  })

  test('a poll takes one of its options', async () => {
    const { id, shortUrl } = await withOverlay({
      type: 'poll',
      options: ['Green', 'Black', 'None'],
    })
    await walk(async (page) => {
      await page.goto(shortUrl)
      await page.getByText('Black').click()
      await page.click('form button')
      await page.waitForSelector('[role=status]')
    }, options)
    expect(await answersTo(id)).toEqual([{ choice: 'Black' }])
  })

  test('an overlay behind a password is answered without asking for it again', async () => {
    const more = { password: 'open sesame' }
    const overlay = await withOverlay({ type: 'newsletter', text: 'Stay in touch' }, more)
    await walk(async (page) => {
      await page.goto(overlay.shortUrl)
      await page.fill('#password', 'open sesame')
      await page.click('button')
      await page.fill('#email', 'anna@example.com')
      await page.click('form button')
      await page.waitForSelector('[role=status]')
      expect(await page.getAttribute('iframe', 'src')).toBe(overlay.url)
    }, options)
    expect(await answersTo(overlay.id)).toEqual([{ email: 'anna@example.com' }])
  })

  test('pixels fire and the page goes on', async () => {
    const pixels = [
      (await t.make.pixel(owner, { tag: `A-${count}` })).id,
      (await t.make.pixel(owner, { tag: `B-${count}` })).id,
    ]
    const tags = [`A-${count}`, `B-${count}`]
    const { id, url, shortUrl } = await link({ pixels })
    await walk(async (page) => {
      await page.goto(shortUrl)
      await page.waitForURL(url)
    }, options)
    const fired = tags.flatMap((tag) => site.requests(`/beacon?tag=${tag}`))
    expect(fired).toHaveLength(2)
    const referrers = [...fired, ...site.requests(new URL(url).pathname)].map((it) => it.referrer)
    expect(referrers).toEqual([undefined, undefined, undefined])
    expect(await clicksOf(id)).toBe(1)
  })

  test('a campaign is paged through', async () => {
    const campaign = await t.make.campaign(owner, { name: 'Spring', public: true })
    for (let i = 1; i <= 51; i += 1) {
      const made = await t.make.link(owner, { metatitle: `Offer ${i}`, url: `${site.origin}/o` })
      await t.services.campaigns.assign(owner.account.id, campaign.id, made.id)
    }
    await walk(async (page) => {
      await page.goto(`${base}/u/${owner.account.username}/${campaign.id}`)
      expect(await page.locator('.list li').count()).toBe(50)
      await page.click('text=Next')
      await page.waitForSelector('text=Page 2 of 2')
      await page.click('text=Offer 1')
      await page.waitForURL(`${site.origin}/o`)
    }, options)
  })

  test('a bio page leads to its links', async () => {
    const { alias } = await t.make.bio(owner, {
      links: [{ title: 'Shop', url: `${site.origin}/shop` }],
    })
    await walk(async (page) => {
      await page.goto(`${base}/b/${alias}`)
      await page.click('text=Shop')
      await page.waitForURL(`${site.origin}/shop`)
    }, options)
  })
})

test('a splash page goes on by itself, unless it is told to stay', async () => {
  const splash = await t.make.splash(owner, { seconds: 5 })
  const { url, shortUrl } = await link({ type: String(splash.id) })
  await walk(async (page) => {
    await page.clock.install()
    await page.goto(shortUrl)
    await page.clock.runFor(2000)
    expect(await page.textContent('#left')).toBe('3')
    await page.clock.runFor(4000)
    await page.waitForURL(url)
  })
  await walk(async (page) => {
    await page.clock.install()
    await page.goto(shortUrl)
    await page.click('#stay')
    await page.clock.runFor(20_000)
    expect(page.url()).toBe(shortUrl)
    expect(await page.isVisible('#onward')).toBe(true)
  })
})

test('without scripts a splash page shows no countdown, and its button', async () => {
  const splash = await t.make.splash(owner, { seconds: 5 })
  const { shortUrl } = await link({ type: String(splash.id) })
  await walk(async (page) => {
    await page.goto(shortUrl)
    expect(await page.isVisible('#countdown')).toBe(false)
    expect(await page.isVisible('#onward')).toBe(true)
  }, withoutScripts)
})

test('a preview shows where a link leads, and goes there when asked', async () => {
  const { id, url, shortUrl } = await link({ parameters: [{ name: 'via', value: 'brevis' }] })
  await walk(async (page) => {
    await page.goto(`${shortUrl}+`)
    expect(await page.textContent('main')).toContain(url)
    expect(await clicksOf(id)).toBe(0)
    await page.click('.button')
    await page.waitForURL(`${url}?via=brevis`)
  })
  expect(await clicksOf(id)).toBe(1)
})

test('a frame shows the target under the short URL, which the target does not learn', async () => {
  const { url, shortUrl } = await link({ type: 'frame' })
  await walk(async (page) => {
    await page.goto(shortUrl)
    expect(await page.frameLocator('iframe').locator('h1').textContent()).toBe('The target')
    expect(page.url()).toBe(shortUrl)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(url)
  })
  expect(site.requests(new URL(url).pathname).map((it) => it.referrer)).toEqual([
    undefined,
    undefined,
  ])
})

test('overlays work on a branded domain as well', async () => {
  await t.make.domain(owner, { domain: 'http://brand.test' })
  const input = { type: 'newsletter', text: 'Stay in touch' }
  const { id, shortUrl } = await withOverlay(input, { domain: 'brand.test' })
  await walk(async (page) => {
    await page.goto(shortUrl)
    expect(new URL(page.url()).host).toBe('brand.test')
    await page.fill('#email', 'anna@example.com')
    await page.click('form button')
    await page.waitForSelector('[role=status]')
  })
  expect(await answersTo(id)).toEqual([{ email: 'anna@example.com' }])
})

test('a rotator leads also to an overlay on a branded domain, whose form works', async () => {
  await t.make.domain(owner, { domain: 'http://spin.test' })
  const overlay = await t.make.overlay(owner, { type: 'newsletter', text: 'Stay in touch' })
  const made = await link({ type: `overlay-${overlay.id}`, domain: 'spin.test' })
  const campaign = await t.make.campaign(owner, { slug: 'spin' })
  await t.services.campaigns.assign(owner.account.id, campaign.id, made.id)
  await walk(async (page) => {
    await page.goto(`${base}/r/spin`)
    await page.fill('#email', 'anna@example.com')
    await page.click('form button')
    await page.waitForSelector('[role=status]')
  })
  expect(await answersTo(overlay.id)).toEqual([{ email: 'anna@example.com' }])
  expect(await clicksOf(made.id)).toBe(1)
})

test('going on from a page is not slower than the slowest beacon allows', async () => {
  const { id } = await t.make.pixel(owner, { tag: 'slow' })
  const { url, shortUrl } = await link({ pixels: [id] })
  await walk(async (page) => {
    await page.route('**/beacon?tag=slow', () => {})
    await page.goto(shortUrl, { waitUntil: 'commit' })
    await vi.waitUntil(() => page.url() === url, { timeout: 15_000 })
  })
})

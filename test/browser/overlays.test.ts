import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrowserApp, browserApp } from '../support/browser-app.ts'

let t: BrowserApp

beforeAll(async () => {
  t = await browserApp()
})
afterAll(() => t?.close())

const withoutScripts = { javaScriptEnabled: false }

describe.each([
  ['with scripts', {}],
  ['without scripts', withoutScripts],
])('%s', (_name, options) => {
  test('an overlay closes and opens', async () => {
    const { shortUrl } = await t.withOverlay({ text: 'Our sale\nStarts today.' })
    await t.walk(async (page) => {
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
    const { id, shortUrl } = await t.withOverlay({ type: 'contact', text: 'Talk to us' })
    await t.walk(async (page) => {
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
    const [answer, ...others] = await t.answersTo(id)
    expect(answer).toMatchObject({ name: 'Anna', email: 'anna@example.com' })
    expect(answer?.message?.replaceAll('\r\n', '\n')).toBe('Hello\nthere')
    expect(others).toEqual([])
  })

  test('a poll takes one of its options', async () => {
    const { id, shortUrl } = await t.withOverlay({
      type: 'poll',
      options: ['Green', 'Black', 'None'],
    })
    await t.walk(async (page) => {
      await page.goto(shortUrl)
      await page.getByText('Black').click()
      await page.click('form button')
      await page.waitForSelector('[role=status]')
    }, options)
    expect(await t.answersTo(id)).toEqual([{ choice: 'Black' }])
  })

  test('pixels fire with an overlay, but not again with the answer to its form', async () => {
    const { pixels, beacons } = await t.pixels(2)
    const fired = () => beacons.map((beacon) => t.site.requests(beacon).length)
    const { id, shortUrl } = await t.withOverlay({ type: 'newsletter' }, { pixels })
    await t.walk(async (page) => {
      await page.goto(shortUrl)
      expect(fired()).toEqual([1, 1])
      // Right for the browser, but not for mail across the internet.
      await page.fill('#email', 'anna@localhost')
      await page.click('form button')
      await page.waitForSelector('#email-error')
      await page.fill('#email', 'anna@example.com')
      await page.click('form button')
      await page.waitForSelector('[role=status]')
      await page.waitForLoadState('load')
    }, options)
    expect(fired()).toEqual([1, 1])
    expect(await t.answersTo(id)).toEqual([{ email: 'anna@example.com' }])
  })

  test('an overlay behind a password is answered without asking for it again', async () => {
    const more = { password: 'open sesame' }
    const overlay = await t.withOverlay({ type: 'newsletter', text: 'Stay in touch' }, more)
    await t.walk(async (page) => {
      await page.goto(overlay.shortUrl)
      await page.fill('#password', 'open sesame')
      await page.click('button')
      await page.fill('#email', 'anna@example.com')
      await page.click('form button')
      await page.waitForSelector('[role=status]')
      expect(await page.getAttribute('iframe', 'src')).toBe(overlay.url)
    }, options)
    expect(await t.answersTo(overlay.id)).toEqual([{ email: 'anna@example.com' }])
  })
})

test('overlays work on a branded domain as well', async () => {
  await t.make.domain(t.owner, { domain: 'http://brand.test' })
  const input = { type: 'newsletter', text: 'Stay in touch' }
  const { id, shortUrl } = await t.withOverlay(input, { domain: 'brand.test' })
  await t.walk(async (page) => {
    await page.goto(shortUrl)
    expect(new URL(page.url()).host).toBe('brand.test')
    await page.fill('#email', 'anna@example.com')
    await page.click('form button')
    await page.waitForSelector('[role=status]')
  })
  expect(await t.answersTo(id)).toEqual([{ email: 'anna@example.com' }])
})

test('a rotator leads also to an overlay on a branded domain, whose form works', async () => {
  await t.make.domain(t.owner, { domain: 'http://spin.test' })
  const overlay = await t.make.overlay(t.owner, { type: 'newsletter', text: 'Stay in touch' })
  const made = await t.link({ type: `overlay-${overlay.id}`, domain: 'spin.test' })
  const campaign = await t.make.campaign(t.owner, { slug: 'spin' })
  await t.services.campaigns.assign(t.owner.account.id, campaign.id, made.id)
  await t.walk(async (page) => {
    await page.goto(`${t.baseUrl}/r/spin`)
    await page.fill('#email', 'anna@example.com')
    await page.click('form button')
    await page.waitForSelector('[role=status]')
  })
  expect(await t.answersTo(overlay.id)).toEqual([{ email: 'anna@example.com' }])
  expect(await t.clicksOf(t.owner, made.id)).toBe(1)
})

import { describe, expect } from 'vitest'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { browserTest } from '../support/browser-test.ts'

const test = browserTest()

const withoutScripts = { javaScriptEnabled: false }

describe.each([
  ['with scripts', {}],
  ['without scripts', withoutScripts],
])('%s', (_name, options) => {
  test('a visitor closes and reopens an overlay', async ({ app }) => {
    const { shortUrl } = await app.makeLinkWithOverlay({ text: 'Our sale\nStarts today.' })
    await app.walk(async (page) => {
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

  test('a contact message is stored after the visitor corrects an error', async ({ app }) => {
    const { id, shortUrl } = await app.makeLinkWithOverlay({ type: 'contact', text: 'Talk to us' })
    await app.walk(async (page) => {
      await page.goto(shortUrl)
      await page.fill('#name', 'Anna')
      // Browsers accept it, but its host has no dot.
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
    const [answer, ...otherAnswers] = await app.getAnswers(id)
    expect(answer).toMatchObject({ name: 'Anna', email: 'anna@example.com' })
    expect(answer?.message?.replaceAll('\r\n', '\n')).toBe('Hello\nthere')
    expect(otherAnswers).toEqual([])
  })

  test('a vote in a poll is stored', async ({ app }) => {
    const { id, shortUrl } = await app.makeLinkWithOverlay({
      type: 'poll',
      options: ['Green', 'Black', 'None'],
    })
    await app.walk(async (page) => {
      await page.goto(shortUrl)
      await page.getByText('Black').click()
      await page.click('form button')
      await page.waitForSelector('[role=status]')
    }, options)
    expect(await app.getAnswers(id)).toEqual([{ choice: 'Black' }])
  })

  test('pixels load with an overlay, but not again after an answer', async ({ app }) => {
    const { ids, paths } = await app.makePixels(2)
    const countPixelRequests = () => paths.map((path) => app.site.requests(path).length)
    const { id, shortUrl } = await app.makeLinkWithOverlay({ type: 'newsletter' }, { pixels: ids })
    await app.walk(async (page) => {
      await page.goto(shortUrl)
      expect(countPixelRequests()).toEqual([1, 1])
      // Browsers accept it, but its host has no dot.
      await page.fill('#email', 'anna@localhost')
      await page.click('form button')
      await page.waitForSelector('#email-error')
      await page.fill('#email', 'anna@example.com')
      await page.click('form button')
      await page.waitForSelector('[role=status]')
      await page.waitForLoadState('load')
    }, options)
    expect(countPixelRequests()).toEqual([1, 1])
    expect(await app.getAnswers(id)).toEqual([{ email: 'anna@example.com' }])
  })

  test('an overlay of a link with a password accepts an answer without asking for the password again', async ({
    app,
  }) => {
    const overlay = await app.makeLinkWithOverlay(
      { type: 'newsletter', text: 'Stay in touch' },
      { password: 'open sesame' },
    )
    await app.walk(async (page) => {
      await page.goto(overlay.shortUrl)
      await page.fill('#password', 'open sesame')
      await page.click('button')
      await page.fill('#email', 'anna@example.com')
      await page.click('form button')
      await page.waitForSelector('[role=status]')
      expect(await page.getAttribute('iframe', 'src')).toBe(overlay.url)
    }, options)
    expect(await app.getAnswers(overlay.id)).toEqual([{ email: 'anna@example.com' }])
  })
})

test('an overlay on a branded domain stores an answer', async ({ app }) => {
  await app.make.domain(app.owner, { domain: 'http://brand.test' })
  const input = { type: 'newsletter', text: 'Stay in touch' }
  const { id, shortUrl } = await app.makeLinkWithOverlay(input, { domain: 'brand.test' })
  await app.walk(async (page) => {
    await page.goto(shortUrl)
    expect(new URL(page.url()).host).toBe('brand.test')
    await page.fill('#email', 'anna@example.com')
    await page.click('form button')
    await page.waitForSelector('[role=status]')
  })
  expect(await app.getAnswers(id)).toEqual([{ email: 'anna@example.com' }])
})

test("an overlay of a campaign's rotator stores an answer on a branded domain", async ({ app }) => {
  await app.make.domain(app.owner, { domain: 'http://spin.test' })
  const overlay = await app.make.overlay(app.owner, { type: 'newsletter', text: 'Stay in touch' })
  const link = await app.link({ type: `overlay-${overlay.id}`, domain: 'spin.test' })
  const campaign = await app.make.campaign(app.owner, { slug: 'spin' })
  await addLinkToCampaign(
    { ...app.services, accountId: app.owner.account.id },
    campaign.id,
    link.id,
  )
  await app.walk(async (page) => {
    await page.goto(`${app.baseUrl}/r/spin`)
    await page.fill('#email', 'anna@example.com')
    await page.click('form button')
    await page.waitForSelector('[role=status]')
  })
  expect(await app.getAnswers(overlay.id)).toEqual([{ email: 'anna@example.com' }])
  expect(await app.clicksOf(app.owner, link.id)).toBe(1)
})

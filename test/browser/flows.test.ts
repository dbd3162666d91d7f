import { describe, expect, vi } from 'vitest'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { browserTest } from '../support/browser-test.ts'

const test = browserTest()

const withoutScripts = { javaScriptEnabled: false }

test('registration shows a working key once', async ({ app }) => {
  await app.walk(async (page) => {
    await page.goto(app.baseUrl)
    await page.click('text=Create account')
    await page.fill('#email', 'new@example.com')
    await page.fill('#username', 'newcomer')
    await page.fill('#password', 'correct horse battery')
    await page.click('button')
    const key = await page.textContent('#key')
    const headers = { authorization: `Bearer ${key}` }
    const account = await app.request({ url: '/api/account', headers })
    expect(account.json()).toMatchObject({ error: 0, data: { username: 'newcomer' } })
    await page.goto(`${app.baseUrl}/register`)
    expect(await page.content()).not.toContain(key)
    await page.goBack()
    expect(await page.content()).not.toContain(key)
  })
})

test('a failed registration keeps the input except the password', async ({ app }) => {
  await app.walk(async (page) => {
    await page.goto(`${app.baseUrl}/register`)
    await page.fill('#email', app.owner.account.email)
    await page.fill('#username', 'newUser')
    await page.fill('#password', 'correct horse battery')
    await page.click('button')
    await page.waitForSelector('#email-error')
    expect(await page.inputValue('#email')).toBe(app.owner.account.email)
    expect(await page.inputValue('#username')).toBe('newUser')
    expect(await page.inputValue('#password')).toBe('')
  })
})

describe.each([
  ['with scripts', {}],
  ['without scripts', withoutScripts],
])('%s', (_name, options) => {
  test('the correct password opens the destination', async ({ app }) => {
    const { id, shortUrl } = await app.link({ password: 'open sesame' })
    await app.walk(async (page) => {
      await page.goto(shortUrl)
      await page.fill('#password', 'guess')
      await page.click('button')
      await page.waitForSelector('#password-error')
      expect(page.url()).toBe(shortUrl)
      await page.fill('#password', 'open sesame')
      await page.click('button')
      await page.waitForURL(`${app.site.origin}/**`)
      expect(await page.title()).toBe('The target')
    }, options)
    expect(await app.clicksOf(app.owner, id)).toBe(1)
  })

  test('the button of a splash page opens the destination', async ({ app }) => {
    const splash = await app.make.splash(app.owner, { seconds: 300 })
    const { id, url, shortUrl } = await app.link({ type: String(splash.id) })
    await app.walk(async (page) => {
      await page.goto(shortUrl)
      await page.click('#onward')
      await page.waitForURL(url)
    }, options)
    expect(await app.clicksOf(app.owner, id)).toBe(1)
  })

  test('pixels load and the page redirects', async ({ app }) => {
    const { ids, paths } = await app.makePixels(2)
    const { id, url, shortUrl } = await app.link({ pixels: ids })
    await app.walk(async (page) => {
      await page.goto(shortUrl)
      await page.waitForURL(url)
    }, options)
    const pixelRequests = paths.flatMap((path) => app.site.requests(path))
    expect(pixelRequests).toHaveLength(2)
    const requests = [...pixelRequests, ...app.site.requests(new URL(url).pathname)]
    expect(requests.map(({ referrer }) => referrer)).toEqual([undefined, undefined, undefined])
    expect(await app.clicksOf(app.owner, id)).toBe(1)
  })

  test('pixels load once in a frame', async ({ app }) => {
    const { ids, paths } = await app.makePixels(2)
    const { url, shortUrl } = await app.link({ type: 'frame', pixels: ids })
    await app.walk(async (page) => {
      await page.goto(shortUrl)
      expect(await page.getAttribute('iframe', 'src')).toBe(url)
    }, options)
    expect(paths.map((path) => app.site.requests(path).length)).toEqual([1, 1])
  })

  test.for(['splash', 'custom splash'])('pixels load once on a %s page', async (kind, { app }) => {
    const { ids, paths } = await app.makePixels(2)
    const countPixelRequests = () => paths.map((path) => app.site.requests(path).length)
    let type = 'splash'
    if (kind === 'custom splash') {
      const image = `${app.site.origin}/picture.png`
      const splash = await app.make.splash(app.owner, { image, seconds: 300 })
      type = String(splash.id)
    }
    const { url, shortUrl } = await app.link({ type, pixels: ids })
    await app.walk(async (page) => {
      await page.goto(shortUrl)
      expect(countPixelRequests()).toEqual([1, 1])
      await page.click('#onward')
      await page.waitForURL(url)
    }, options)
    expect(countPixelRequests()).toEqual([1, 1])
  })

  test('the links of a campaign are on pages of 50', async ({ app }) => {
    const campaign = await app.make.campaign(app.owner, { name: 'Spring', public: true })
    for (let i = 1; i <= 51; i += 1) {
      const created = await app.make.link(app.owner, {
        metaTitle: `Offer ${i}`,
        url: `${app.site.origin}/o`,
      })
      await addLinkToCampaign(
        { ...app.services, accountId: app.owner.account.id },
        campaign.id,
        created.id,
      )
    }
    await app.walk(async (page) => {
      await page.goto(`${app.baseUrl}/u/${app.owner.account.username}/${campaign.id}`)
      expect(await page.locator('.list li').count()).toBe(50)
      await page.click('text=Next')
      await page.waitForSelector('text=Page 2 of 2')
      // The newest links come first, so page 2 has only the oldest.
      await page.click('text=Offer 1')
      await page.waitForURL(`${app.site.origin}/o`)
    }, options)
  })

  test('a bio page opens its links', async ({ app }) => {
    const { alias } = await app.make.bio(app.owner, {
      links: [{ title: 'Shop', url: `${app.site.origin}/shop` }],
    })
    await app.walk(async (page) => {
      await page.goto(`${app.baseUrl}/b/${alias}`)
      await page.click('text=Shop')
      await page.waitForURL(`${app.site.origin}/shop`)
    }, options)
  })
})

test('a splash page redirects after its countdown unless the visitor cancels it', async ({
  app,
}) => {
  const splash = await app.make.splash(app.owner, { seconds: 5 })
  const { url, shortUrl } = await app.link({ type: String(splash.id) })
  await app.walk(async (page) => {
    await page.clock.install()
    await page.goto(shortUrl)
    await page.clock.runFor(2000)
    expect(await page.textContent('#left')).toBe('3 sec')
    await page.clock.runFor(4000)
    await page.waitForURL(url)
  })
  await app.walk(async (page) => {
    await page.clock.install()
    await page.goto(shortUrl)
    await page.click('#stay')
    await page.clock.runFor(20_000)
    expect(page.url()).toBe(shortUrl)
    expect(await page.isVisible('#onward')).toBe(true)
  })
})

test('a splash page without scripts has a button and no countdown', async ({ app }) => {
  const splash = await app.make.splash(app.owner, { seconds: 5 })
  const { shortUrl } = await app.link({ type: String(splash.id) })
  await app.walk(async (page) => {
    await page.goto(shortUrl)
    expect(await page.isVisible('#countdown')).toBe(false)
    expect(await page.isVisible('#onward')).toBe(true)
  }, withoutScripts)
})

test('a preview shows the destination and opens it on request', async ({ app }) => {
  const { id, url, shortUrl } = await app.link({ parameters: [{ name: 'via', value: 'brevis' }] })
  await app.walk(async (page) => {
    await page.goto(`${shortUrl}+`)
    expect(await page.textContent('main')).toContain(url)
    expect(await app.clicksOf(app.owner, id)).toBe(0)
    await page.click('.button')
    await page.waitForURL(`${url}?via=brevis`)
  })
  expect(await app.clicksOf(app.owner, id)).toBe(1)
})

test('a frame shows and opens the destination without revealing the short URL to it', async ({
  app,
}) => {
  const { url, shortUrl } = await app.link({ type: 'frame' })
  await app.walk(async (page) => {
    await page.goto(shortUrl)
    expect(await page.frameLocator('iframe').locator('h1').textContent()).toBe('The target')
    expect(page.url()).toBe(shortUrl)
    // The first link of the page opens the destination without the frame.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(url)
  })
  const requests = app.site.requests(new URL(url).pathname)
  expect(requests.map(({ referrer }) => referrer)).toEqual([undefined, undefined])
})

test('a page with pixels redirects even if a pixel does not load', async ({ app }) => {
  const { id } = await app.make.pixel(app.owner, { tag: 'slow' })
  const { url, shortUrl } = await app.link({ pixels: [id] })
  await app.walk(async (page) => {
    // The pixel never gets a response.
    await page.route('**/pixel?tag=slow', () => {})
    await page.goto(shortUrl, { waitUntil: 'commit' })
    await vi.waitUntil(() => page.url() === url, { timeout: 60_000 })
  })
})

import { expect } from 'vitest'
import { setLinkStatus } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { openWatchedPage } from '../support/browser.ts'
import {
  BASE_URL,
  openInLanguage,
  openLink,
  type PageContext,
  pageTest,
  testPages,
} from '../support/page-test.ts'
import { whilePasswordChecksAreBusy } from '../support/while-busy.ts'

const longPath = `/never/${'a-rather-long-part-of-a-url/'.repeat(12)}?q=${'x'.repeat(120)}`

testPages({
  home: (page) => page.goto(`${BASE_URL}/`),
  'home-closed': (page) => page.goto('http://closed.test/'),
  'register-closed': (page) => page.goto('http://closed.test/register'),
  register: (page) => page.goto(`${BASE_URL}/register`),
  'register-errors': async (page) => {
    await page.goto(`${BASE_URL}/register`)
    await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
    await page.fill('#email', 'invalid')
    await page.fill('#username', 'a b')
    await page.fill('#password', 'correct horse')
    await page.click('button')
    await page.waitForSelector('.error')
  },
  'register-forged': async (page) => {
    await page.goto(`${BASE_URL}/register`)
    await page.evaluate(() => document.querySelector('[name=csrf]')?.setAttribute('value', 'x'))
    await page.fill('#email', 'a@example.com')
    await page.fill('#username', 'abc')
    await page.fill('#password', 'correct horse')
    await Promise.all([page.waitForNavigation(), page.click('button')])
  },
  'api-key': async (page) => {
    await page.goto(`${BASE_URL}/register`)
    const name = `visitor${Math.trunc(Math.random() * 1e9)}`
    await page.fill('#email', `${name}@example.com`)
    await page.fill('#username', name)
    await page.fill('#password', 'correct horse battery')
    await page.click('button')
    await page.click('.new-key summary')
    await page.waitForSelector('#key')
  },
  'not-found': (page) => page.goto(`${BASE_URL}/nothing-here`),
  'not-found-deep': (page) => page.goto(`${BASE_URL}/a/b/c`),
  'not-found-brand': async (page, { app, anna }) => {
    const { shortUrl } = await app.make.link(anna, { domain: 'brand.test' })
    const { href } = new URL('/register', shortUrl)
    expect((await page.goto(href))?.status()).toBe(404)
    expect(page.url()).toBe('http://brand.test/register')
    expect(await page.textContent('h1')).toBe('Link not found')
    // The owner's domain does not have the service's home page, so no button links to it.
    expect(await page.locator('a').count()).toBe(0)
  },
  'bad-request': (page) => page.goto(`${BASE_URL}/%zz`),
  'wrong-method': async (page, { app, anna }) => {
    const { alias } = await app.make.link(anna)
    await page.goto(`${BASE_URL}/register`)
    await page.evaluate((path) => {
      const form = document.querySelector('form')
      form?.setAttribute('action', path)
      form?.setAttribute('novalidate', '')
    }, `/${alias}`)
    // With a password, this would be an attempt to open a protected link.
    await page.evaluate(() => document.querySelector('#password')?.remove())
    await Promise.all([page.waitForNavigation(), page.click('button')])
  },
  'not-found-arabic': (page) => openInLanguage(page, 'ar', `${BASE_URL}/nothing-here`),
  'password-german': async (page, pageContext) => {
    const link = await pageContext.app.make.link(pageContext.anna, { password: 'secret' })
    await openInLanguage(page, 'de', link.shortUrl)
  },
  'report-arabic': async (page, pageContext) => {
    const { shortUrl } = await pageContext.app.make.link(pageContext.anna)
    await openInLanguage(page, 'ar', `${shortUrl}+report`)
  },
  'preview-arabic': async (page, pageContext) => {
    const link = await pageContext.app.make.link(pageContext.anna, {
      url: pageContext.site.origin + longPath,
    })
    await openInLanguage(page, 'ar', `${link.shortUrl}+`)
  },
  expired: async (page, { app, anna }) => {
    const { shortUrl } = await app.make.link(anna, { expiresAt: '9998-01-01' })
    app.clock.set('9998-06-01T00:00:00Z')
    await page.goto(shortUrl)
    app.clock.set(new Date().toISOString())
  },
  disabled: async (page, { app, anna }) => {
    const link = await app.make.link(anna)
    await setLinkStatus(scopeOf(app.services, anna.account.id), link.id, 'disabled')
    await page.goto(link.shortUrl)
  },
  password: openLink(() => ({ password: 'secret' })),
  'password-wrong': async (page, pageContext) => {
    await openLink(() => ({ password: 'secret' }))(page, pageContext)
    await page.fill('#password', 'guess')
    await page.click('button')
    await page.waitForSelector('.error')
  },
  'password-too-many': async (page, pageContext) => {
    const link = await pageContext.app.make.link(pageContext.anna, { password: 'secret' })
    await exhaustPasswordAttempts(pageContext, link.id)
    await page.goto(link.shortUrl)
    await page.fill('#password', 'secret')
    await page.click('button')
    await page.waitForSelector('.error')
  },
  'password-busy': async (page, pageContext) => {
    await openLink(() => ({ password: 'secret' }))(page, pageContext)
    await whilePasswordChecksAreBusy(pageContext.app.services, async () => {
      await page.fill('#password', 'secret')
      await page.click('button')
      await page.waitForSelector('.error')
    })
    expect(await page.textContent('.error')).toContain('Something went wrong')
  },
  preview: openLink(
    () => ({ metaTitle: 'Spring sale', metaDescription: 'Everything for the garden.' }),
    '+',
  ),
  'preview-long': openLink(({ site }) => ({ url: site.origin + longPath }), '+'),
  'preview-protected': openLink(() => ({ password: 'secret' }), '+'),
})

pageTest.for(['/avatar/anna.svg', '/favicon.svg', '/favicon.ico'])(
  '%s is a valid image',
  async (path, { browser }) => {
    const { page, problems } = await openWatchedPage(browser)
    await page.goto(`${BASE_URL}/register`)
    const size = await page.evaluate(async (src) => {
      const image = new Image()
      image.src = src
      await image.decode()
      return image.width
    }, path)
    expect(size).toBeGreaterThan(0)
    expect(problems).toEqual([])
    await page.context().close()
  },
)

/** Enters wrong passwords until a link accepts no further attempts from the browser's IP address. */
async function exhaustPasswordAttempts({ app }: PageContext, id: number): Promise<void> {
  const { pool } = app.services.database
  const { rows } = await pool.query('select password_hash from links where id = $1', [id])
  const link = { id, passwordHash: String(rows[0]?.password_hash) }
  for (let attempt = 1; attempt <= 10; attempt += 1)
    await app.services.guesses.check(link, '127.0.0.1', 'wrong')
}

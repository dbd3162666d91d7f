import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LinkInput } from '../../src/links/link.ts'
import { type TestApp, testApp } from '../support/app.ts'
import {
  barriers,
  desktop,
  openBrowser,
  overflows,
  phone,
  picture,
  type Watched,
  watchedPage,
} from '../support/browser.ts'
import type { Owner } from '../support/make.ts'
import { openTargetSite, type TargetSite } from '../support/target-site.ts'
import { whileBusy } from '../support/while-busy.ts'

const base = 'http://brev.test'
const long = `/never/${'a-rather-long-part-of-an-address/'.repeat(12)}?q=${'x'.repeat(120)}`

let t: TestApp
let closed: TestApp
let site: TargetSite
let browser: Browser
let owner: Owner

beforeAll(async () => {
  site = await openTargetSite()
  t = await testApp()
  closed = await testApp({ env: { BASE_URL: 'http://closed.test', REGISTRATION: 'closed' } })
  await Promise.all([t.listen(), closed.listen()])
  browser = await openBrowser({
    'brev.test': t.port(),
    'brand.test': t.port(),
    'closed.test': closed.port(),
  })
  owner = await t.make.owner({ username: 'anna' })
  await t.make.domain(owner, { domain: 'http://brand.test' })
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
  await Promise.all([t?.close(), closed?.close()])
})

type Steps = (page: Page) => Promise<unknown>

/** Opens a new link with these settings. */
function opens(input: () => Promise<Partial<LinkInput>> | Partial<LinkInput>, suffix = ''): Steps {
  return async (page) => {
    const { shortUrl } = await t.make.link(owner, { url: `${site.origin}/t`, ...(await input()) })
    return page.goto(shortUrl + suffix)
  }
}

function overlay(input: object): Steps {
  return opens(async () => {
    const { id } = await t.make.overlay(owner, input)
    return { type: `overlay-${id}` }
  })
}

const overlayWithPicture: Steps = (page) =>
  overlay({
    type: 'image',
    text: 'Our sale\nStarts today.',
    image: `${site.origin}/picture.png`,
    link: `${site.origin}/sale`,
  })(page)

const contact = { type: 'contact', text: 'Talk to us\nWe answer within a day.' }
const poll = {
  type: 'poll',
  text: 'Which season do you like best?\nOne answer, please.',
  options: ['Spring', 'Summer', 'Autumn', 'Winter, when it snows and the days are short'],
}

async function campaignOf(links: number): Promise<string> {
  const made = await t.make.campaign(owner, { name: 'Spring sale', public: true })
  for (let i = 0; i < links; i += 1) {
    const link = await t.make.link(owner, { meta: { title: `Offer number ${i + 1}` } })
    await t.services.campaigns.assign(owner.account.id, made.id, link.id)
  }
  return `${base}/u/anna/${made.id}`
}

async function exhaust(id: number): Promise<void> {
  const { pool } = t.services.database
  const { rows } = await pool.query('select password_hash from links where id = $1', [id])
  const link = { id, passwordHash: String(rows[0]?.password_hash) }
  for (let i = 0; i < 10; i += 1) await t.services.guesses.check(link, '127.0.0.1', 'wrong')
}

const pages: Record<string, Steps> = {
  home: (page) => page.goto(`${base}/`),
  'home-closed': (page) => page.goto('http://closed.test/'),
  'register-closed': (page) => page.goto('http://closed.test/register'),
  register: (page) => page.goto(`${base}/register`),
  'register-errors': async (page) => {
    await page.goto(`${base}/register`)
    await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
    await page.fill('#email', 'nobody')
    await page.fill('#username', 'a b')
    await page.fill('#password', 'correct horse')
    await page.click('button')
    await page.waitForSelector('.error')
  },
  'register-forged': async (page) => {
    await page.goto(`${base}/register`)
    await page.evaluate(() => document.querySelector('[name=csrf]')?.setAttribute('value', 'x'))
    await page.fill('#email', 'a@example.com')
    await page.fill('#username', 'abc')
    await page.fill('#password', 'correct horse')
    await Promise.all([page.waitForNavigation(), page.click('button')])
  },
  'api-key': async (page) => {
    await page.goto(`${base}/register`)
    const name = `visitor${Math.trunc(Math.random() * 1e9)}`
    await page.fill('#email', `${name}@example.com`)
    await page.fill('#username', name)
    await page.fill('#password', 'correct horse battery')
    await page.click('button')
    await page.waitForSelector('#key')
  },
  'not-found': (page) => page.goto(`${base}/nothing-here`),
  'not-found-deep': (page) => page.goto(`${base}/a/b/c`),
  'not-found-brand': async (page) => {
    const { shortUrl } = await t.make.link(owner, { domain: 'brand.test' })
    const { href } = new URL('/register', shortUrl)
    expect((await page.goto(href))?.status()).toBe(404)
    expect(page.url()).toBe('http://brand.test/register')
    expect(await page.textContent('h1')).toBe('There is nothing here')
    // The service's home page is not on the owner's domain, so no button leads there.
    expect(await page.locator('a').count()).toBe(0)
  },
  'bad-request': (page) => page.goto(`${base}/%zz`),
  'wrong-method': async (page) => {
    const { alias } = await t.make.link(owner)
    await page.goto(`${base}/register`)
    await page.evaluate((path) => {
      const form = document.querySelector('form')
      form?.setAttribute('action', path)
      form?.setAttribute('novalidate', '')
    }, `/${alias}`)
    await page.fill('#password', '')
    await page.evaluate(() => document.querySelector('#password')?.remove())
    await Promise.all([page.waitForNavigation(), page.click('button')])
  },
  expired: async (page) => {
    const { shortUrl } = await t.make.link(owner, { expiresAt: '9998-01-01' })
    t.clock.set('9998-06-01T00:00:00Z')
    await page.goto(shortUrl)
    t.clock.set(new Date().toISOString())
  },
  disabled: async (page) => {
    const link = await t.make.link(owner)
    await t.services.links.setStatus(owner.account.id, link.id, 'disabled')
    await page.goto(link.shortUrl)
  },
  password: opens(() => ({ password: 'secret' })),
  'password-wrong': async (page) => {
    await opens(() => ({ password: 'secret' }))(page)
    await page.fill('#password', 'guess')
    await page.click('button')
    await page.waitForSelector('.error')
  },
  'password-too-many': async (page) => {
    const link = await t.make.link(owner, { password: 'secret' })
    await exhaust(link.id)
    await page.goto(link.shortUrl)
    await page.fill('#password', 'secret')
    await page.click('button')
    await page.waitForSelector('.error')
  },
  'password-busy': async (page) => {
    await opens(() => ({ password: 'secret' }))(page)
    await whileBusy(t.services, async () => {
      await page.fill('#password', 'secret')
      await page.click('button')
      await page.waitForSelector('.error')
    })
    expect(await page.textContent('.error')).toContain('busy')
  },
  preview: opens(
    () => ({ meta: { title: 'Spring sale', description: 'Everything for the garden.' } }),
    '+',
  ),
  'preview-long': opens(() => ({ url: site.origin + long }), '+'),
  'preview-protected': opens(() => ({ password: 'secret' }), '+'),
  frame: opens(() => ({ type: 'frame', meta: { title: 'Framed' } })),
  splash: opens(() => ({ type: 'splash' })),
  'splash-meta': opens(() => ({
    type: 'splash',
    meta: {
      title: 'Spring sale',
      description: 'Everything for the garden, and more of it than last year.',
      image: `${site.origin}/picture.png`,
    },
  })),
  'splash-custom': opens(async () => {
    const { id } = await t.make.splash(owner, {
      title: 'Before you go',
      message: 'Our sponsor makes this link possible.\nThank you for your patience.',
      image: `${site.origin}/picture.png`,
      link: `${site.origin}/sponsor`,
      seconds: 300,
    })
    return { type: String(id) }
  }),
  'overlay-message': overlay({ button: 'See the offers', link: 'https://example.com/offers' }),
  'overlay-image': overlayWithPicture,
  'overlay-contact': overlay(contact),
  'overlay-newsletter': overlay({ type: 'newsletter', text: 'Stay in touch\nOne letter a month.' }),
  'overlay-poll': overlay(poll),
  'overlay-closed': async (page) => {
    await overlay(poll)(page)
    await page.click('summary')
  },
  'overlay-errors': async (page) => {
    await overlay(contact)(page)
    await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
    await page.fill('#name', 'Anna')
    await page.fill('#email', 'nobody')
    await page.click('form button')
    await page.waitForSelector('.error')
  },
  'overlay-thanks': async (page) => {
    await overlay(poll)(page)
    await page.click('.option')
    await page.click('form button')
    await page.waitForSelector('[role=status]')
  },
  pixels: opens(async () => ({
    url: `${site.origin}/never`,
    pixels: [(await t.make.pixel(owner)).id],
  })),
  'link-preview': async (page) => {
    await page.setExtraHTTPHeaders({ 'user-agent': 'Slackbot-LinkExpanding 1.0' })
    const meta = { title: 'Sale', description: 'Everything for the garden.' }
    await opens(() => ({ url: `${site.origin}/never`, meta }))(page)
  },
  campaign: async (page) => page.goto(await campaignOf(53)),
  'campaign-last': async (page) => page.goto(`${await campaignOf(53)}?page=2`),
  'campaign-empty': async (page) => page.goto(await campaignOf(0)),
  bio: async (page) => {
    const { alias } = await t.make.bio(owner, {
      title: 'Anna Berg',
      text: 'Gardener, writer, collector of seeds.\nBerlin.',
      links: [
        { title: 'My shop', url: 'https://shop.example/' },
        {
          title: 'A talk about the roses of the north and how they live',
          url: 'https://t.example/',
        },
        { url: 'https://example.com/' },
      ],
    })
    await page.goto(`${base}/b/${alias}`)
  },
  'bio-bare': async (page) => page.goto(`${base}/b/${(await t.make.bio(owner)).alias}`),
}

describe.each([
  ['desktop', { viewport: desktop, colorScheme: 'light' }],
  ['phone', { viewport: phone, colorScheme: 'dark' }],
] as const)('on a %s', (device, options) => {
  let watched: Watched

  beforeAll(async () => {
    watched = await watchedPage(browser, options)
  })
  afterAll(() => watched?.page.context().close())

  test.each(Object.entries(pages))('%s', async (name, open) => {
    const { page, problems } = watched
    problems.length = 0
    await page.setExtraHTTPHeaders({})
    await open(page)
    await page.waitForFunction(() => document.title !== '')
    await picture(page, `${name}-${device}`)
    expect(await barriers(page)).toEqual([])
    expect(await overflows(page)).toBe(false)
    expect(problems).toEqual([])
  })
})

test.each(['/avatar/anna.svg', '/favicon.svg', '/favicon.ico'])('%s is a picture', async (path) => {
  const { page, problems } = await watchedPage(browser)
  await page.goto(`${base}/register`)
  const size = await page.evaluate(async (src) => {
    const image = new Image()
    image.src = src
    await image.decode()
    return image.width
  }, path)
  expect(size).toBeGreaterThan(0)
  expect(problems).toEqual([])
  await page.context().close()
})

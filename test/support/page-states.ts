import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { addLinkToCampaign } from '../../src/campaigns/campaign.service.ts'
import { setLinkStatus } from '../../src/links/link.service.ts'
import type { LinkInput } from '../../src/links/link-input.ts'
import type { TestApp } from './app.ts'
import type { Owner } from './make.ts'
import type { TargetSite } from './target-site.ts'
import { whileBusy } from './while-busy.ts'

export const base = 'http://brev.test'
const long = `/never/${'a-rather-long-part-of-an-address/'.repeat(12)}?q=${'x'.repeat(120)}`

export type Setup = { app: TestApp; site: TargetSite; anna: Owner }

type Steps = (page: Page, setup: Setup) => Promise<unknown>

async function inLanguage(page: Page, language: string, url: string): Promise<void> {
  await page.setExtraHTTPHeaders({ 'accept-language': language })
  await page.goto(url)
  expect(await page.getAttribute('html', 'lang')).toBe(language)
}

/** Opens a new link with these settings. */
function opens(
  input: (setup: Setup) => Promise<Partial<LinkInput>> | Partial<LinkInput>,
  suffix = '',
): Steps {
  return async (page, setup) => {
    const { app, site, anna } = setup
    const url = `${site.origin}/t`
    const { shortUrl } = await app.make.link(anna, { url, ...(await input(setup)) })
    return page.goto(shortUrl + suffix)
  }
}

function overlay(input: object): Steps {
  return opens(async ({ app, anna }) => {
    const { id } = await app.make.overlay(anna, input)
    return { type: `overlay-${id}` }
  })
}

const overlayWithPicture: Steps = (page, setup) =>
  overlay({
    type: 'image',
    text: 'Our sale\nStarts today.',
    image: `${setup.site.origin}/picture.png`,
    link: `${setup.site.origin}/sale`,
  })(page, setup)

const contact = { type: 'contact', text: 'Talk to us\nWe answer within a day.' }
const poll = {
  type: 'poll',
  text: 'Which season do you like best?\nOne answer, please.',
  options: ['Spring', 'Summer', 'Autumn', 'Winter, when it snows and the days are short'],
}

async function campaignOf({ app, anna }: Setup, links: number): Promise<string> {
  const created = await app.make.campaign(anna, { name: 'Spring sale', public: true })
  for (let i = 0; i < links; i += 1) {
    const link = await app.make.link(anna, { metaTitle: `Offer number ${i + 1}` })
    await addLinkToCampaign(app.services.db, anna.account.id, created.id, link.id)
  }
  return `${base}/u/anna/${created.id}`
}

async function exhaust({ app }: Setup, id: number): Promise<void> {
  const { pool } = app.services.database
  const { rows } = await pool.query('select password_hash from links where id = $1', [id])
  const link = { id, passwordHash: String(rows[0]?.password_hash) }
  for (let i = 0; i < 10; i += 1) await app.services.guesses.check(link, '127.0.0.1', 'wrong')
}

/** The states of visitor pages: opens each in the browser. */
export const pageStates: Record<string, Steps> = {
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
  'not-found-brand': async (page, { app, anna }) => {
    const { shortUrl } = await app.make.link(anna, { domain: 'brand.test' })
    const { href } = new URL('/register', shortUrl)
    expect((await page.goto(href))?.status()).toBe(404)
    expect(page.url()).toBe('http://brand.test/register')
    expect(await page.textContent('h1')).toBe('Link not found')
    // The owner's domain does not have the service's home page, so no button links to it.
    expect(await page.locator('a').count()).toBe(0)
  },
  'bad-request': (page) => page.goto(`${base}/%zz`),
  'wrong-method': async (page, { app, anna }) => {
    const { alias } = await app.make.link(anna)
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
  'not-found-arabic': (page) => inLanguage(page, 'ar', `${base}/nothing-here`),
  'password-german': async (page, setup) => {
    const link = await setup.app.make.link(setup.anna, { password: 'secret' })
    await inLanguage(page, 'de', link.shortUrl)
  },
  'report-arabic': async (page, setup) => {
    const { shortUrl } = await setup.app.make.link(setup.anna)
    await inLanguage(page, 'ar', `${shortUrl}+report`)
  },
  'preview-arabic': async (page, setup) => {
    const link = await setup.app.make.link(setup.anna, { url: setup.site.origin + long })
    await inLanguage(page, 'ar', `${link.shortUrl}+`)
  },
  'splash-japanese': async (page, { app, anna, site }) => {
    const { id } = await app.make.splash(anna, { title: 'Before you go', seconds: 300 })
    const link = await app.make.link(anna, { url: `${site.origin}/t`, type: String(id) })
    await inLanguage(page, 'ja', link.shortUrl)
    expect(await page.textContent('#countdown')).toMatch(/あと\d+ 秒で移動します/)
  },
  'overlay-arabic': async (page, { app, anna, site }) => {
    const { id } = await app.make.overlay(anna, contact)
    const link = await app.make.link(anna, { url: `${site.origin}/t`, type: `overlay-${id}` })
    await inLanguage(page, 'ar', link.shortUrl)
  },
  'campaign-arabic': async (page, setup) => inLanguage(page, 'ar', await campaignOf(setup, 53)),
  expired: async (page, { app, anna }) => {
    const { shortUrl } = await app.make.link(anna, { expiresAt: '9998-01-01' })
    app.clock.set('9998-06-01T00:00:00Z')
    await page.goto(shortUrl)
    app.clock.set(new Date().toISOString())
  },
  disabled: async (page, { app, anna }) => {
    const link = await app.make.link(anna)
    await setLinkStatus(app.services, app.services.db, anna.account.id, link.id, 'disabled')
    await page.goto(link.shortUrl)
  },
  password: opens(() => ({ password: 'secret' })),
  'password-wrong': async (page, setup) => {
    await opens(() => ({ password: 'secret' }))(page, setup)
    await page.fill('#password', 'guess')
    await page.click('button')
    await page.waitForSelector('.error')
  },
  'password-too-many': async (page, setup) => {
    const link = await setup.app.make.link(setup.anna, { password: 'secret' })
    await exhaust(setup, link.id)
    await page.goto(link.shortUrl)
    await page.fill('#password', 'secret')
    await page.click('button')
    await page.waitForSelector('.error')
  },
  'password-busy': async (page, setup) => {
    await opens(() => ({ password: 'secret' }))(page, setup)
    await whileBusy(setup.app.services, async () => {
      await page.fill('#password', 'secret')
      await page.click('button')
      await page.waitForSelector('.error')
    })
    expect(await page.textContent('.error')).toContain('Something went wrong')
  },
  preview: opens(
    () => ({ metaTitle: 'Spring sale', metaDescription: 'Everything for the garden.' }),
    '+',
  ),
  'preview-long': opens(({ site }) => ({ url: site.origin + long }), '+'),
  'preview-protected': opens(() => ({ password: 'secret' }), '+'),
  frame: opens(() => ({ type: 'frame', metaTitle: 'Framed' })),
  splash: opens(() => ({ type: 'splash' })),
  'splash-meta': opens(({ site }) => ({
    type: 'splash',
    metaTitle: 'Spring sale',
    metaDescription: 'Everything for the garden, and more of it than last year.',
    metaImage: `${site.origin}/picture.png`,
  })),
  'splash-custom': opens(async ({ app, anna, site }) => {
    const { id } = await app.make.splash(anna, {
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
  'overlay-closed': async (page, setup) => {
    await overlay(poll)(page, setup)
    await page.click('summary')
  },
  'overlay-errors': async (page, setup) => {
    await overlay(contact)(page, setup)
    await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
    await page.fill('#name', 'Anna')
    await page.fill('#email', 'nobody')
    await page.click('form button')
    await page.waitForSelector('.error')
  },
  'overlay-thanks': async (page, setup) => {
    await overlay(poll)(page, setup)
    await page.click('.option')
    await page.click('form button')
    await page.waitForSelector('[role=status]')
  },
  pixels: opens(async ({ app, anna, site }) => ({
    url: `${site.origin}/never`,
    pixels: [(await app.make.pixel(anna)).id],
  })),
  'link-preview': async (page, setup) => {
    await page.setExtraHTTPHeaders({ 'user-agent': 'Slackbot-LinkExpanding 1.0' })
    const meta = { metaTitle: 'Sale', metaDescription: 'Everything for the garden.' }
    await opens(() => ({ url: `${setup.site.origin}/never`, ...meta }))(page, setup)
  },
  campaign: async (page, setup) => page.goto(await campaignOf(setup, 53)),
  'campaign-last': async (page, setup) => page.goto(`${await campaignOf(setup, 53)}?page=2`),
  'campaign-empty': async (page, setup) => page.goto(await campaignOf(setup, 0)),
  bio: async (page, { app, anna }) => {
    const { alias } = await app.make.bio(anna, {
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
  'bio-bare': async (page, { app, anna }) =>
    page.goto(`${base}/b/${(await app.make.bio(anna)).alias}`),
}

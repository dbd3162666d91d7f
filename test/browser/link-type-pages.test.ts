import { expect } from 'vitest'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import {
  BASE_URL,
  openInLanguage,
  openLink,
  type PageContext,
  type Steps,
  testPages,
} from '../support/page-test.ts'

/** Returns steps that create a link with this overlay and open its short URL. */
function openOverlay(input: object): Steps {
  return openLink(async ({ app, anna }) => {
    const { id } = await app.make.overlay(anna, input)
    return { type: `overlay-${id}` }
  })
}

const openOverlayWithImage: Steps = (page, pageContext) =>
  openOverlay({
    type: 'image',
    text: 'Our sale\nStarts today.',
    image: `${pageContext.site.origin}/picture.png`,
    link: `${pageContext.site.origin}/sale`,
  })(page, pageContext)

/** A number of links that needs two pages of 50. */
const LINKS_ON_TWO_PAGES = 53

const contact = { type: 'contact', text: 'Talk to us\nWe answer within a day.' }
const poll = {
  type: 'poll',
  text: 'Which season do you like best?\nOne answer, please.',
  options: ['Spring', 'Summer', 'Autumn', 'Winter, when it snows and the days are short'],
}

testPages({
  'splash-japanese': async (page, { app, anna, site }) => {
    const { id } = await app.make.splash(anna, { title: 'Before you go', seconds: 300 })
    const link = await app.make.link(anna, { url: `${site.origin}/t`, type: String(id) })
    await openInLanguage(page, 'ja', link.shortUrl)
    expect(await page.textContent('#countdown')).toMatch(/あと\d+ 秒で移動します/)
  },
  'overlay-arabic': async (page, { app, anna, site }) => {
    const { id } = await app.make.overlay(anna, contact)
    const link = await app.make.link(anna, { url: `${site.origin}/t`, type: `overlay-${id}` })
    await openInLanguage(page, 'ar', link.shortUrl)
  },
  'campaign-arabic': async (page, pageContext) =>
    openInLanguage(page, 'ar', await createCampaignUrl(pageContext, LINKS_ON_TWO_PAGES)),
  frame: openLink(() => ({ type: 'frame', metaTitle: 'Framed' })),
  splash: openLink(() => ({ type: 'splash' })),
  'splash-meta': openLink(({ site }) => ({
    type: 'splash',
    metaTitle: 'Spring sale',
    metaDescription: 'Everything for the garden, and more of it than last year.',
    metaImage: `${site.origin}/picture.png`,
  })),
  'splash-custom': openLink(async ({ app, anna, site }) => {
    const { id } = await app.make.splash(anna, {
      title: 'Before you go',
      message: 'Our sponsor makes this link possible.\nThank you for your patience.',
      image: `${site.origin}/picture.png`,
      link: `${site.origin}/sponsor`,
      seconds: 300,
    })
    return { type: String(id) }
  }),
  'overlay-message': openOverlay({ button: 'See the offers', link: 'https://example.com/offers' }),
  'overlay-image': openOverlayWithImage,
  'overlay-contact': openOverlay(contact),
  'overlay-newsletter': openOverlay({
    type: 'newsletter',
    text: 'Stay in touch\nOne letter a month.',
  }),
  'overlay-poll': openOverlay(poll),
  'overlay-closed': async (page, pageContext) => {
    await openOverlay(poll)(page, pageContext)
    await page.click('summary')
  },
  'overlay-errors': async (page, pageContext) => {
    await openOverlay(contact)(page, pageContext)
    await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
    await page.fill('#name', 'Anna')
    await page.fill('#email', 'invalid')
    await page.click('form button')
    await page.waitForSelector('.error')
  },
  'overlay-thanks': async (page, pageContext) => {
    await openOverlay(poll)(page, pageContext)
    await page.click('.option')
    await page.click('form button')
    await page.waitForSelector('[role=status]')
  },
  pixels: openLink(async ({ app, anna, site }) => ({
    url: `${site.origin}/never`,
    pixels: [(await app.make.pixel(anna)).id],
  })),
  'link-preview': async (page, pageContext) => {
    await page.setExtraHTTPHeaders({ 'user-agent': 'Slackbot-LinkExpanding 1.0' })
    const meta = { metaTitle: 'Sale', metaDescription: 'Everything for the garden.' }
    await openLink(() => ({ url: `${pageContext.site.origin}/never`, ...meta }))(page, pageContext)
  },
  campaign: async (page, pageContext) =>
    page.goto(await createCampaignUrl(pageContext, LINKS_ON_TWO_PAGES)),
  'campaign-last': async (page, pageContext) =>
    page.goto(`${await createCampaignUrl(pageContext, LINKS_ON_TWO_PAGES)}?page=2`),
  'campaign-empty': async (page, pageContext) => page.goto(await createCampaignUrl(pageContext, 0)),
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
    await page.goto(`${BASE_URL}/b/${alias}`)
  },
  'bio-bare': async (page, { app, anna }) =>
    page.goto(`${BASE_URL}/b/${(await app.make.bio(anna)).alias}`),
})

/** Creates a campaign with this number of links, and returns the URL of its public page. */
async function createCampaignUrl({ app, anna }: PageContext, links: number): Promise<string> {
  const campaign = await app.make.campaign(anna, { name: 'Spring sale', public: true })
  for (let number = 1; number <= links; number += 1) {
    const link = await app.make.link(anna, { metaTitle: `Offer number ${number}` })
    await addLinkToCampaign({ ...app.services, accountId: anna.account.id }, campaign.id, link.id)
  }
  return `${BASE_URL}/u/anna/${campaign.id}`
}

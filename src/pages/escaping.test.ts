import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { apiKeyPage } from './api-key.ts'
import { bioPage } from './bio.ts'
import { campaignPage } from './campaign.ts'
import { errorPage } from './error.ts'
import { framePage } from './frame.ts'
import { linkPreviewPage } from './link-preview.ts'
import { overlayPage } from './overlay.ts'
import type { OverlayCard } from './overlay-card.ts'
import { passwordPage } from './password.ts'
import { pixelsPage } from './pixels.ts'
import { previewPage } from './preview.ts'
import { registerPage } from './register.ts'
import { reportPage } from './report.ts'
import { splashPage } from './splash.ts'

const nonce = 'n'
const date = new Date(0)

/** Every page that shows something from outside, with `text` and `url` wherever they may stand. */
const pages: Record<string, (text: string, url: string) => string> = {
  apiKey: (text) => apiKeyPage({ nonce, username: text, key: text, baseUrl: text }),
  bio: (text, url) => bioPage({ nonce, title: text, text, links: [{ title: text, url }] }),
  campaign: (text, url) => {
    const links = [{ title: text, shortUrl: url }]
    return campaignPage({ nonce, name: text, username: text, links, page: 1, maxPage: 2 })
  },
  error: (text) => errorPage({ nonce, status: 400, message: text }),
  frame: (text, url) => framePage({ nonce, target: url, meta: metaOf(text, url) }),
  linkPreview: (text, url) =>
    linkPreviewPage({ nonce, shortUrl: url, target: url, meta: metaOf(text, url) }),
  contact: overlay((text) => ({ type: 'contact', title: text, text, button: text })),
  newsletter: overlay((text) => ({ type: 'newsletter', title: text, text, button: text })),
  poll: overlay((text) => ({ type: 'poll', title: text, text, button: text, options: [text] })),
  message: overlay((text, link) => ({ type: 'message', title: text, text, button: text, link })),
  image: overlay((text, url) => ({
    type: 'image',
    title: text,
    text,
    alt: text,
    image: url,
    link: url,
  })),
  password: (text, url) => passwordPage({ nonce, action: url, csrf: text, error: 'wrong' }),
  pixels: (_, url) => pixelsPage({ nonce, target: url, beacons: [url] }),
  preview: (text, url) => {
    const link = { target: url, title: text, description: text }
    return previewPage({ nonce, shortUrl: url, date, link, report: url })
  },
  report: (text, url) => {
    const form = { values: { reason: text, text }, errors: { reason: text, text } }
    return reportPage({ nonce, shortUrl: url, action: url, csrf: text, ...form })
  },
  register: (text) => {
    const errors = { email: text, username: text, password: text, form: text }
    return registerPage({ nonce, csrf: text, values: { email: text, username: text }, errors })
  },
  splash: (text, url) => splashPage({ nonce, target: url, meta: metaOf(text, url), seconds: 5 }),
  customSplash: (text, url) => {
    const custom = { title: text, message: text, image: url }
    return splashPage({ nonce, target: url, custom, seconds: 5 })
  },
}

const names = Object.keys(pages)
const render = (name: string, text: string, url: string) => pages[name]?.(text, url) ?? ''

describe('whatever comes from outside', () => {
  test.each(names)('leaves the markup of %s as it is', (name) => {
    const hostile = fc.string({
      unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', '\n', '</script>', 'x'),
      minLength: 1,
    })
    const plain = skeleton(render(name, 'plain', 'https://example.com/plain'))
    fc.assert(
      fc.property(hostile, hostile, (text, tail) => {
        // The URL standard allows both quotes in a host.
        const url = `https://quo"te's.example/${tail}?${tail}#${tail}`
        expect(skeleton(render(name, text, url))).toBe(plain)
      }),
    )
  })

  test.each(names)('brings no address but http ones into %s', (name) => {
    const urls = [
      'javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      '//evil.example',
    ]
    for (const url of urls) {
      const document = render(name, 'plain', url)
      expect(document).not.toMatch(/(href|src|action|content)="[^"]*(script:|data:|\/\/evil)/)
    }
  })
})

/** The characters that make markup: they are ours alone when everything else is escaped. */
function skeleton(document: string): string {
  return document.replace(/[^<>"']/g, '')
}

function metaOf(text: string, url: string) {
  return { title: text, description: text, image: url }
}

function overlay(cardOf: (text: string, url: string) => OverlayCard) {
  return (text: string, url: string) =>
    overlayPage({
      nonce,
      target: url,
      meta: metaOf(text, url),
      card: cardOf(text, url),
      form: {
        action: url,
        csrf: text,
        values: { name: text, email: text, message: text, choice: text },
        errors: { name: text, email: text, message: text, choice: text, form: text },
      },
    })
}

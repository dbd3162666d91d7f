import { AppError, type ErrorCode } from '../errors.ts'
import { bioPage } from './bio.ts'
import { campaignPage } from './campaign.ts'
import { confirmPage } from './confirm.ts'
import { errorPage } from './error.ts'
import { framePage } from './frame.ts'
import { homePage } from './home.ts'
import { linkPreviewPage } from './link-preview.ts'
import { blockedPage, disabledPage, expiredPage, notActivePage, notFoundPage } from './notice.ts'
import { overlayPage } from './overlay.ts'
import type { OverlayCard, OverlayForm } from './overlay-card.ts'
import { passwordPage } from './password.ts'
import { pixelsPage } from './pixels.ts'
import { previewPage } from './preview.ts'
import { reportedPage, reportPage } from './report.ts'
import { splashPage } from './splash.ts'
import type { PageContext } from './texts.ts'

const date = new Date(0)

type RenderPage = (context: PageContext, text: string, url: string) => string

/** Every page with external content. Each renders `text` and `url` in all parts that are external. */
export const contentPages: Record<string, RenderPage> = {
  bio: (context, text, url) =>
    bioPage({ ...context, title: text, text, links: [{ title: text, url }] }),
  campaign: (context, text, url) => {
    const links = [{ title: text, shortUrl: url }]
    return campaignPage({ ...context, name: text, username: text, links, page: 1, maxPage: 2 })
  },
  confirm: (context, text, url) =>
    confirmPage({
      ...context,
      shortUrl: url,
      action: '/a',
      meta: createMeta(text, url),
      reportPath: '/a+report',
    }),
  error: (context, text) =>
    errorPage({ ...context, status: 400, code: 'invalid_input', message: text }),
  frame: (context, text, url) =>
    framePage({ ...context, destination: url, meta: createMeta(text, url) }),
  linkPreview: (context, text, url) =>
    linkPreviewPage({ ...context, shortUrl: url, destination: url, meta: createMeta(text, url) }),
  contact: createFilledOverlay((text) => ({ type: 'contact', title: text, text, button: text })),
  newsletter: createFilledOverlay((text) => ({
    type: 'newsletter',
    title: text,
    text,
    button: text,
  })),
  poll: createFilledOverlay((text) => ({
    type: 'poll',
    title: text,
    text,
    button: text,
    options: [text],
  })),
  message: createFilledOverlay((text, link) => ({
    type: 'message',
    title: text,
    text,
    button: text,
    link,
  })),
  image: createFilledOverlay((text, url) => ({
    type: 'image',
    title: text,
    text,
    alt: text,
    image: url,
    link: url,
  })),
  password: (context, text, url) =>
    passwordPage({ ...context, action: url, csrf: text, error: 'wrong' }),
  pixels: (context, _, url) => pixelsPage({ ...context, destination: url, pixelUrls: [url] }),
  preview: (context, text, url) => {
    const link = { destination: url, title: text, description: text }
    return previewPage({ ...context, shortUrl: url, date, link, reportPath: url })
  },
  report: (context, text, url) => {
    const form = { values: { reason: text, text }, errors: { reason: text, text } }
    return reportPage({ ...context, shortUrl: url, action: url, csrf: text, ...form })
  },
  splash: (context, text, url) =>
    splashPage({ ...context, destination: url, meta: createMeta(text, url), seconds: 5 }),
  customSplash: (context, text, url) => {
    const custom = { title: text, message: text, image: url }
    return splashPage({ ...context, destination: url, custom, seconds: 5 })
  },
}

const errorCodes: ErrorCode[] = [
  'malformed_request',
  'forbidden',
  'form_expired',
  'registration_closed',
  'not_found',
  'method_not_allowed',
  'gone',
  'body_too_large',
  'uri_too_long',
  'unsupported_media_type',
  'rate_limited',
  'headers_too_large',
  'internal',
  'busy',
]

const emptyForm: OverlayForm = { action: '/', csrf: '' }

/** All other pages and states that visitors see, with only our own texts where possible. */
export const otherPages: Record<string, RenderPage> = {
  home: (context) => homePage({ ...context, isRegistrationOpen: true, hasConsole: true }),
  homeClosed: (context) => homePage({ ...context, isRegistrationOpen: false }),
  notFound: (context) => notFoundPage({ ...context, hasHomeLink: true }),
  expired: (context) => expiredPage({ ...context, reportPath: '/a+report' }),
  disabled: (context) => disabledPage({ ...context, reportPath: '/a+report' }),
  blocked: (context) => blockedPage(context),
  notActive: (context) => notActivePage(context),
  reported: (context) => reportedPage(context),
  reportForm: (context, _, url) => reportPage({ ...context, shortUrl: url, action: '/', csrf: '' }),
  passwordForm: (context) => passwordPage(context),
  passwordTooMany: (context) => passwordPage({ ...context, error: 'too_many_attempts' }),
  passwordWaits: (context) => passwordPage({ ...context, error: 'link_waits' }),
  passwordBusy: (context) => passwordPage({ ...context, error: 'busy' }),
  plainSplash: (context, _, url) => splashPage({ ...context, destination: url, seconds: 90 }),
  splashWithLink: (context, text, url) =>
    splashPage({ ...context, destination: url, custom: { title: text, link: url } }),
  plainFrame: (context, _, url) => framePage({ ...context, destination: url }),
  protectedPreview: (context, _, url) =>
    previewPage({ ...context, shortUrl: url, date, link: null }),
  longPreview: (context, text, url) => {
    const link = { destination: `${url}?${'5'.repeat(400)}`, title: text }
    return previewPage({ ...context, shortUrl: url, date, link })
  },
  emptyCampaign: (context, text) =>
    campaignPage({ ...context, name: text, username: text, links: [], page: 2, maxPage: 3 }),
  contactForm: createPlainOverlay(() => ({ type: 'contact', title: '', text: '' })),
  newsletterForm: createPlainOverlay(() => ({ type: 'newsletter', title: '' })),
  pollForm: createPlainOverlay((text) => ({ type: 'poll', title: '', options: [text] })),
  messageCard: createPlainOverlay((_, link) => ({ type: 'message', title: '', link })),
  contactSent: createPlainOverlay(() => ({ type: 'contact', title: '' }), {
    ...emptyForm,
    done: true,
  }),
  newsletterSent: createPlainOverlay(() => ({ type: 'newsletter', title: '' }), {
    ...emptyForm,
    done: true,
  }),
  pollSent: createPlainOverlay(() => ({ type: 'poll', title: '', options: [] }), {
    ...emptyForm,
    done: true,
  }),
  ...Object.fromEntries(
    errorCodes.map((code) => [
      `error ${code}`,
      (context: PageContext) => errorPage({ ...context, code, status: new AppError(code).status }),
    ]),
  ),
}

function createPlainOverlay(
  createCard: (text: string, url: string) => OverlayCard,
  form: OverlayForm = emptyForm,
): RenderPage {
  return (context, text, url) =>
    overlayPage({ ...context, destination: url, card: createCard(text, url), form })
}

function createMeta(text: string, url: string) {
  return { title: text, description: text, image: url }
}

function createFilledOverlay(createCard: (text: string, url: string) => OverlayCard): RenderPage {
  return (context: PageContext, text: string, url: string) =>
    overlayPage({
      ...context,
      destination: url,
      meta: createMeta(text, url),
      card: createCard(text, url),
      form: {
        action: url,
        csrf: text,
        values: { name: text, email: text, message: text, choice: text },
        errors: { name: text, email: text, message: text, choice: text, form: text },
      },
    })
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { continueLink } from './continue-link.ts'
import { type CspExtras, originsOf } from './csp.ts'
import { page } from './layout.ts'
import { type Meta, metaTags } from './meta.ts'
import { renderPixelImages } from './pixels.ts'
import { reportLine } from './report.ts'
import { hostOf, safeHref } from './safe-url.ts'
import { hostMark } from './short-link-text.ts'
import { type Language, languageTag, type PageContext, visitorHtml, visitorText } from './texts.ts'

/** An account's custom splash page. `image` is a URL, `link` the URL of **Learn more**. */
export type CustomSplash = { title: string; message?: string; image?: string; link?: string }

export type SplashPage = PageContext & {
  destination: string
  meta?: Meta
  custom?: CustomSplash
  pixelUrls?: readonly string[]
  /** The number of seconds until the page redirects. Below 1, it waits for the visitor. */
  seconds?: number
  /** Whether the countdown is stopped, because the page is only a preview. */
  isPreview?: boolean
  /** The path of the report form. */
  reportPath?: string
}

/** Returns the policy that `splashPage` needs: the origin of the custom image. */
export function splashPolicy({ custom }: Pick<SplashPage, 'custom'>): CspExtras {
  return { imgSrc: originsOf([custom?.image]) }
}

/**
 * Renders the page between a short link and its destination. It has a button to continue, and
 * redirects after `seconds` (at most 300) unless the visitor cancels. Needs `splashPolicy`.
 */
export function splashPage({
  nonce,
  language,
  destination,
  meta = {},
  custom,
  pixelUrls = [],
  seconds = 0,
  isPreview = false,
  reportPath,
}: SplashPage): string {
  const host = hostOf(destination)
  const title = custom?.title || visitorText(language, 'destination.leaving', { host })
  const hasCountdown = Number.isFinite(seconds) && seconds >= 1
  return page({
    title: meta.title || title,
    nonce,
    language,
    head: metaTags({ ...meta, title: meta.title || title }),
    body: html`${custom ? customBody(language, custom) : defaultBody(language, host, meta)}
${continueLink(language, destination)}
${hasCountdown ? countdown({ nonce, language }, Math.min(Math.floor(seconds), 300), isPreview) : null}${reportLine(language, reportPath)}${renderPixelImages(pixelUrls)}`,
  })
}

function customBody(
  language: Language,
  { title, message, image, link = '' }: CustomSplash,
): SafeHtml {
  const moreUrl = safeHref(link) === '#' ? null : safeHref(link)
  const imageUrl = image && safeHref(image) !== '#' ? safeHref(image) : null
  return html`${imageUrl ? html`<img class="picture" src="${imageUrl}" alt="">` : null}
<h1 dir="auto">${title}</h1>
${message ? html`<p class="soft text" dir="auto">${message}</p>` : null}
${moreUrl ? html`<p><a href="${moreUrl}">${visitorText(language, 'destination.learnMore')}</a></p>` : null}`
}

function defaultBody(language: Language, host: string, meta: Meta): SafeHtml {
  return html`<h1>${visitorHtml(language, 'destination.leaving', { host: hostMark(host) })}</h1>
${
  meta.title || meta.description
    ? html`<div class="inset">
${meta.title ? html`<h2 dir="auto">${meta.title}</h2>` : null}
${meta.description ? html`<p class="soft text" dir="auto">${meta.description}</p>` : null}
</div>`
    : html`<p class="soft">${visitorText(language, 'destination.notOurs')}</p>`
}`
}

function countdown(
  { nonce, language }: PageContext,
  seconds: number,
  isPreview: boolean,
): SafeHtml {
  const time = html`<bdi id="left" data-seconds="${seconds}">${secondsFormat(language).format(seconds)}</bdi>`
  return html`<div class="countdown" id="countdown"${isPreview ? null : html` hidden`}>
<span class="small soft" role="timer">${visitorHtml(language, 'destination.continuingIn', { time })}</span>
<button class="button quiet" id="stay" type="button">${visitorText(language, 'destination.cancel')}</button>
</div>
${isPreview ? null : countdownScript(nonce)}`
}

/** Returns a format for seconds. The short form of the unit is the same in every grammatical case. */
function secondsFormat(language: Language): Intl.NumberFormat {
  const format = { style: 'unit', unit: 'second', unitDisplay: 'short' } as const
  return new Intl.NumberFormat(languageTag(language), format)
}

/**
 * Returns the script of the countdown. `location.replace` removes the splash page from the browser's
 * history.
 */
function countdownScript(nonce: string): SafeHtml {
  return html`<script nonce="${nonce}">
const onward = document.getElementById('onward')
const countdown = document.getElementById('countdown')
const left = document.getElementById('left')
const format = new Intl.NumberFormat(document.documentElement.lang, { style: 'unit', unit: 'second', unitDisplay: 'short' })
let seconds = Number(left.dataset.seconds)
countdown.hidden = false
const ticking = setInterval(() => {
  seconds -= 1
  if (seconds > 0) {
    left.textContent = format.format(seconds)
    return
  }
  clearInterval(ticking)
  location.replace(onward.href)
}, 1000)
document.getElementById('stay').addEventListener('click', () => {
  clearInterval(ticking)
  countdown.hidden = true
  onward.focus()
})
</script>`
}

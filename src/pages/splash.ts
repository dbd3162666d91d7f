import { html, type SafeHtml } from '@remix-run/html-template'
import { beaconImages } from './beacons.ts'
import { type CspExtras, originsOf } from './csp.ts'
import { page } from './layout.ts'
import { type Meta, metaTags } from './meta.ts'
import { reportLine } from './report.ts'
import { hostOf, safeHref } from './safe-url.ts'

/** A splash page of the account's own; `image` is the URL of a picture, `link` leads to more about it. */
export type CustomSplash = { title: string; message?: string; image?: string; link?: string }

export type SplashPage = {
  nonce: string
  target: string
  meta?: Meta
  custom?: CustomSplash
  beacons?: readonly string[]
  /** After how many seconds the page goes on by itself; without it the visitor decides. */
  seconds?: number
  /** Whether the page is only looked at, and its time does not run. */
  still?: boolean
  /** Where the link is reported. */
  report?: string
}

/** What `splashPage` needs beyond the common policy: the origin of the custom picture. */
export function splashPolicy({ custom }: Pick<SplashPage, 'custom'>): CspExtras {
  return { imgSrc: originsOf([custom?.image]) }
}

/**
 * The page between a short link and its target. Goes on by a button, and after `seconds` (capped
 * at five minutes) by a script that the visitor can stop. Needs `splashPolicy`.
 */
export function splashPage({
  nonce,
  target,
  meta = {},
  custom,
  beacons = [],
  seconds = 0,
  still = false,
  report,
}: SplashPage): string {
  const host = hostOf(target)
  const title = custom?.title || `You are leaving for ${host}`
  const counts = Number.isFinite(seconds) && seconds >= 1
  return page({
    title: meta.title || title,
    nonce,
    head: metaTags({ ...meta, title: meta.title || title }),
    body: html`${custom ? customBody(custom) : defaultBody(host, meta)}
<p class="actions"><a class="button full" id="onward" href="${safeHref(target)}">Continue to ${host}</a></p>
${counts ? countdown(nonce, Math.min(Math.floor(seconds), 300), still) : null}${reportLine(report)}${beaconImages(beacons)}`,
  })
}

function customBody({ title, message, image, link = '' }: CustomSplash): SafeHtml {
  const more = safeHref(link) === '#' ? null : safeHref(link)
  const picture = image && safeHref(image) !== '#' ? safeHref(image) : null
  return html`${picture ? html`<img class="picture" src="${picture}" alt="">` : null}
<h1 dir="auto">${title}</h1>
${message ? html`<p class="soft text" dir="auto">${message}</p>` : null}
${more ? html`<p><a href="${more}">More about this</a></p>` : null}`
}

function defaultBody(host: string, meta: Meta): SafeHtml {
  return html`<p class="eyebrow">You are leaving</p>
<h1>This link leads to <span class="host">${host}</span></h1>
${
  meta.title || meta.description
    ? html`<div class="inset">
${meta.title ? html`<h2 dir="auto">${meta.title}</h2>` : null}
${meta.description ? html`<p class="soft text" dir="auto">${meta.description}</p>` : null}
</div>`
    : html`<p class="soft">Another site, with its own owner and its own rules.</p>`
}`
}

function countdown(nonce: string, seconds: number, still: boolean): SafeHtml {
  return html`<div class="countdown" id="countdown"${still ? null : html` hidden`}>
<span class="small soft" role="timer">Going on in <span id="left">${seconds}</span> s</span>
<button class="button quiet" id="stay" type="button">Stay here</button>
</div>
${still ? null : counting(nonce)}`
}

/** `replace` keeps the splash out of the history, so that going back does not lead here again. */
function counting(nonce: string): SafeHtml {
  return html`<script nonce="${nonce}">
const onward = document.getElementById('onward')
const countdown = document.getElementById('countdown')
const left = document.getElementById('left')
countdown.hidden = false
const ticking = setInterval(() => {
  const seconds = Number(left.textContent) - 1
  if (seconds > 0) {
    left.textContent = seconds
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

import { html, type SafeHtml } from '@remix-run/html-template'
import { brandMark } from '../../../pages/brand-mark.ts'
import { faviconPath } from '../../../pages/favicon.ts'
import { csrfField } from '../../../pages/field.ts'
import { type Key, keysHelp } from './keys-help.ts'

/** What every page of the console has around its content. */
export type Frame = {
  nonce: string
  /** The token of the forms on the page. */
  csrf: string
  /** Where a file of the console's own lies, by its name. */
  asset: (name: string) => string
  username: string
  /** Whether the operator's pages are shown. */
  admin: boolean
}

const sections = [
  { path: '/console', name: 'Overview' },
  { path: '/console/links', name: 'Links' },
  { path: '/console/campaigns', name: 'Campaigns' },
  { path: '/console/bios', name: 'Bio pages' },
  { path: '/console/keys', name: 'API keys' },
  { path: '/console/account', name: 'Account' },
] as const

/** What is needed less often. */
const more = [
  { path: '/console/codes', name: 'QR codes' },
  { path: '/console/channels', name: 'Channels' },
  { path: '/console/overlays', name: 'Overlays' },
  { path: '/console/splashes', name: 'Splash pages' },
  { path: '/console/domains', name: 'Domains' },
  { path: '/console/pixels', name: 'Pixels' },
  { path: '/console/webhooks', name: 'Webhooks' },
  { path: '/console/import', name: 'Import and export' },
] as const

const operator = { path: '/console/operator', name: 'Operator' } as const

export type Section = (typeof sections | typeof more)[number]['path'] | typeof operator.path

type ConsolePage = {
  title: string
  /** Where in the menu one is. */
  section: Section
  /** The styles and scripts that the page needs beside those of all pages, by their names. */
  files?: readonly string[]
  /** What single keys do on this page, beside those of all pages. */
  keys?: readonly Key[]
  body: SafeHtml
}

/** A whole page of the console, with `body` inside its `<main>`. */
export function consolePage(
  frame: Frame,
  { title, section, files = [], keys = [], body }: ConsolePage,
): string {
  const { csrf, username, admin } = frame
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – Brevis</title>
<link rel="icon" type="image/svg+xml" href="${faviconPath}">
${['console.css', 'copy.js', 'keys.js', ...files].map((name) => fileTag(frame, name))}
</head>
<body class="console">
<a class="skip button" href="#content">Skip to the content</a>
<header>
<a class="home" href="/console">${brandMark} Brevis</a>
<nav aria-label="Console"><div class="places">${sections.map((each) => menuItem(each, section))}${admin ? menuItem(operator, section) : null}</div>
<details class="more"><summary${more.some(({ path }) => path === section) ? html` class="current"` : null}>More</summary><div>${more.map((each) => menuItem(each, section))}</div></details></nav>
<form class="sign-out" method="post" action="/console/sign-out">${csrfField(csrf)}
<span class="who">${username}</span>
<button class="button quiet small">Sign out</button>
</form>
</header>
<main id="content" tabindex="-1">
${body}
</main>
<p class="hidden-text" id="said" role="status"></p>
${keysHelp(keys)}
</body>
</html>
`)
}

function fileTag({ nonce, asset }: Frame, name: string): SafeHtml {
  return name.endsWith('.css')
    ? html`<link rel="stylesheet" nonce="${nonce}" href="${asset(name)}">`
    : html`<script type="module" nonce="${nonce}" src="${asset(name)}"></script>`
}

function menuItem({ path, name }: { path: string; name: string }, section: Section): SafeHtml {
  return html`<a href="${path}"${path === section ? html` aria-current="page"` : null}>${name}</a>`
}

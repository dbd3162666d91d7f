import { html, type SafeHtml } from '@remix-run/html-template'
import { brandMark } from '../brand-mark.ts'
import { faviconPath } from '../favicon.ts'
import { csrfField } from '../field.ts'

/** What every page of the console has around its content. */
export type Frame = {
  nonce: string
  /** The token of the forms on the page. */
  csrf: string
  /** Where a file of the console's own lies, by its name. */
  asset: (name: string) => string
  username: string
}

const places = [
  { path: '/console', name: 'Overview' },
  { path: '/console/keys', name: 'API keys' },
] as const

export type Place = (typeof places)[number]['path']

/** A whole page of the console, with `body` inside its `<main>`. `place` is where in the menu one is. */
export function consolePage(
  { nonce, csrf, asset, username }: Frame,
  { title, place, body }: { title: string; place: Place; body: SafeHtml },
): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – Brevis</title>
<link rel="icon" type="image/svg+xml" href="${faviconPath}">
<link rel="stylesheet" nonce="${nonce}" href="${asset('console.css')}">
<script type="module" nonce="${nonce}" src="${asset('copy.js')}"></script>
</head>
<body class="console">
<a class="skip button" href="#content">Skip to the content</a>
<header>
<a class="home" href="/console">${brandMark} Brevis</a>
<nav aria-label="Console">${places.map((each) => menuItem(each, place))}</nav>
<form class="sign-out" method="post" action="/console/sign-out">${csrfField(csrf)}
<span class="who">${username}</span>
<button class="button quiet small">Sign out</button>
</form>
</header>
<main id="content" tabindex="-1">
${body}
</main>
<p class="hidden-text" id="said" role="status"></p>
</body>
</html>
`)
}

function menuItem({ path, name }: { path: string; name: string }, place: Place): SafeHtml {
  return html`<a href="${path}"${path === place ? html` aria-current="page"` : null}>${name}</a>`
}

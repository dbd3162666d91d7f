import { html, type SafeHtml } from '@remix-run/html-template'
import { brandMark } from '../brand-mark.ts'
import { faviconPath } from '../favicon.ts'
import { style } from '../style.ts'
import { docsStyle } from './docs-style.ts'
import type { Group } from './openapi.ts'

export type DocsFrame = {
  nonce: string
  baseUrl: string
  groups: readonly Group[]
  /** Whether the console exists. */
  hasConsole: boolean
}

/**
 * Renders a documentation page with `body` inside `<main>`. `slug` is the slug of the page's group.
 */
export function docsPage(
  { nonce, groups, hasConsole }: DocsFrame,
  { title, slug, body }: { title: string; slug: string; body: SafeHtml },
): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Brevis API</title>
<link rel="icon" type="image/svg+xml" href="${faviconPath}">
<style nonce="${nonce}">${style}${docsStyle}</style>
</head>
<body class="docs">
<a class="skip button" href="#content">Skip to the content</a>
<header>
<a class="home" href="/">${brandMark} Brevis</a>
<a href="/docs">API</a>
<a href="/openapi.json">openapi.json</a>
${hasConsole ? html`<a href="/console">Console</a>` : null}
</header>
<div class="columns">
<nav aria-label="Subjects"><ul>
<li>${navLink('/docs', 'Getting started', slug === '')}</li>
${groups.map((group) => html`<li>${navLink(`/docs/${group.slug}`, groupTitle(group), group.slug === slug)}</li>`)}
</ul></nav>
<main id="content" tabindex="-1">
${body}
</main>
</div>
</body>
</html>
`)
}

/** Returns the name of a group for use at the start of a sentence. */
export function groupTitle({ name }: Group): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

function navLink(href: string, text: string, isCurrent: boolean): SafeHtml {
  return html`<a href="${href}"${isCurrent ? html` aria-current="page"` : null}>${text}</a>`
}

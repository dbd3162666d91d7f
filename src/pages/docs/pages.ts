import { html, type SafeHtml } from '@remix-run/html-template'
import { brandMark, faviconPath } from '../brand-mark.ts'
import { style } from '../style.ts'
import type { Group } from './openapi.ts'
import { operationSection, toAnchor } from './operation.ts'

/** The additional styles of the documentation. */
const docsStyle: SafeHtml = html`
.docs { align-items: stretch; padding: 0; }
.docs header { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; padding: .625rem clamp(1rem, 4vw, 2rem); background: var(--card); border-bottom: 1px solid var(--line); }
.docs header a { display: flex; align-items: center; gap: .5rem; min-height: 2.75rem; font-weight: 600; }
.docs .home { color: var(--ink); text-decoration: none; }
.docs .columns { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 2rem; width: 100%; max-width: 72rem; margin: 0 auto; padding: clamp(1.25rem, 4vw, 2.5rem) clamp(1rem, 4vw, 2rem) 4rem; }
.docs main { max-width: none; margin: 0; padding: 0; background: none; border: 0; border-radius: 0; box-shadow: none; }
.docs main:focus { outline: none; }
.docs nav ul { position: sticky; top: 1rem; margin: 0; padding: 0; list-style: none; }
.docs nav a { display: flex; align-items: center; min-height: 2.75rem; padding: 0 .75rem; border-radius: .75rem; color: var(--soft); font-weight: 600; text-decoration: none; }
.docs nav a:hover { background: var(--tint); color: var(--ink); }
.docs nav a[aria-current] { background: var(--tint); color: var(--accent); }
.docs .panel { margin-top: 1.5rem; padding: 1.25rem clamp(1rem, 3vw, 1.5rem); background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
.docs .operation { overflow-wrap: anywhere; }
.docs table { width: 100%; margin-top: 1rem; border-collapse: collapse; font-size: .9375rem; }
.docs caption { padding-bottom: .25rem; text-align: start; font-weight: 600; }
.docs th, .docs td { padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); text-align: start; vertical-align: top; overflow-wrap: anywhere; }
.docs thead th { color: var(--soft); font-size: .8125rem; }
.docs tbody th { width: 30%; font-weight: 400; }
.docs tbody td:nth-child(2) { width: 20%; color: var(--soft); }
.docs .needed { color: var(--alert); font-size: .8125rem; font-weight: 600; }
.docs summary { min-height: 2.75rem; padding: .625rem 0; color: var(--accent); font-weight: 600; cursor: pointer; }
.docs pre { padding: .875rem 1rem; border-radius: .75rem; background: var(--tint); overflow-x: auto; white-space: pre; }
.docs pre code { overflow-wrap: normal; }
.docs .plain { margin: .75rem 0 0; padding: 0; list-style: none; }
.docs .plain li { display: flex; flex-wrap: wrap; gap: .125rem .75rem; padding: .5rem 0; border-top: 1px solid var(--line); }
@media (max-width: 48rem) {
  .docs .columns { grid-template-columns: minmax(0, 1fr); gap: 1rem; }
  .docs nav ul { position: static; display: flex; flex-wrap: wrap; }
  .docs .cards thead { display: none; }
  .docs .cards, .docs .cards tbody, .docs .cards tr, .docs .cards th, .docs .cards td, .docs caption { display: block; width: auto; }
  .docs .cards tr { padding: .625rem 0; border-top: 1px solid var(--line); }
  .docs .cards th, .docs .cards td { padding: .125rem 0; border: 0; }
}
`

type DocsFrame = {
  nonce: string
  baseUrl: string
  groups: readonly Group[]
  /** Whether the console exists. */
  hasConsole: boolean
  siteName: string
}

/** Renders the first page: a first call, rules for all calls, and the list of operations. */
export function gettingStartedPage(
  frame: DocsFrame,
  { requestsPerMinute }: { requestsPerMinute: number },
): string {
  const { baseUrl, groups } = frame
  return docsPage(frame, {
    title: 'Getting started',
    slug: '',
    body: html`<h1>The API</h1>
<p class="lead">Manage links, statistics and domains with JSON over HTTP.</p>
<section class="panel" aria-labelledby="first">
<h2 id="first">Your first request</h2>
<p>Every request needs an API key. Create one on the API keys page of the console, or with <code>npx brevis key create</code>.</p>
<pre tabindex="0"><code>curl ${baseUrl}/api/url/add \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/a/long/page"}'

{"error":0,"id":1,"shorturl":"${baseUrl}/x7Kp2mQ"}</code></pre>
</section>
<section class="panel" aria-labelledby="rules">
<h2 id="rules">Rules for all requests</h2>
<dl class="facts">
<dt>Success</dt><dd>The status is 200 and <code>error</code> is 0. In lists, <code>error</code> is the text <code>"0"</code>, unless the operator has changed this.</dd>
<dt>Errors</dt><dd>The status is 400 or higher, and the body is <code>{"error": 1, "message": "…"}</code>. The message names the invalid field.</dd>
<dt>Scopes</dt><dd>A key with the scope <code>full</code> can use all operations, <code>links</code> all except changes to the account and its domains, <code>create</code> only those that create links, and <code>read</code> only those that read. A key bound to a domain can use only the links of that domain. Other requests return 403. Each operation names its scope.</dd>
<dt>Rate limit</dt><dd>${requestsPerMinute} requests per minute and key. Every response has the headers <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code> and <code>X-RateLimit-Reset</code> (Unix seconds). Requests beyond the limit return 429 with <code>Retry-After</code>.</dd>
<dt>Lists</dt><dd>Newest first, in pages selected by <code>limit</code> and <code>page</code>. <code>result</code> is the total number of entries.</dd>
<dt>Retries</dt><dd>A POST request with an <code>Idempotency-Key</code> can be sent again within a day without repeating its effect.</dd>
<dt>Times</dt><dd>UTC, <code>YYYY-MM-DD HH:MM:SS</code>.</dd>
</dl>
</section>
${groups.map(
  (group) => html`<section class="panel" aria-labelledby="${group.slug}">
<h2 id="${group.slug}"><a href="/docs/${group.slug}">${groupTitle(group)}</a></h2>
${contents(group, `/docs/${group.slug}`)}
</section>`,
)}`,
  })
}

/** Renders the operations of one subject. */
export function groupPage(frame: DocsFrame, group: Group): string {
  return docsPage(frame, {
    title: groupTitle(group),
    slug: group.slug,
    body: html`<h1>${groupTitle(group)}</h1>
${contents(group, '')}
${group.operations.map((operation) => operationSection(operation, frame.baseUrl))}`,
  })
}

function contents({ operations }: Group, page: string): SafeHtml {
  return html`<ul class="plain">${operations.map(
    (operation) =>
      html`<li><a href="${page}#${toAnchor(operation)}">${operation.summary}</a> <span class="soft"><code>${operation.method.toUpperCase()} ${operation.path}</code></span></li>`,
  )}</ul>`
}

/**
 * Renders a documentation page with `body` inside `<main>`. `slug` is the slug of the page's group.
 */
function docsPage(
  { nonce, groups, hasConsole, siteName }: DocsFrame,
  { title, slug, body }: { title: string; slug: string; body: SafeHtml },
): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – ${siteName} API</title>
<link rel="icon" type="image/svg+xml" href="${faviconPath}">
<style nonce="${nonce}">${style}${docsStyle}</style>
</head>
<body class="docs">
<a class="skip button" href="#content">Skip to the content</a>
<header>
<a class="home" href="/">${brandMark} ${siteName}</a>
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
function groupTitle({ name }: Group): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

function navLink(href: string, text: string, isCurrent: boolean): SafeHtml {
  return html`<a href="${href}"${isCurrent ? html` aria-current="page"` : null}>${text}</a>`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { type DocsFrame, docsPage, subject } from './frame.ts'
import type { Group } from './openapi.ts'
import { anchorOf, operationSection } from './operation.ts'

/** Renders the first page: a first call, rules for all calls, and the list of operations. */
export function gettingStartedPage(frame: DocsFrame, { limit }: { limit: number }): string {
  const { baseUrl, groups } = frame
  return docsPage(frame, {
    title: 'Getting started',
    slug: '',
    body: html`<h1>The API</h1>
<p class="lead">Everything that the service does, by JSON over HTTP.</p>
<section class="panel" aria-labelledby="first">
<h2 id="first">The first call</h2>
<p>Every request needs an API key. Create one on the page API keys of the console, or with <code>npx brevis key create</code>.</p>
<pre tabindex="0"><code>curl ${baseUrl}/api/url/add \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/a/long/page"}'

{"error":0,"id":1,"shorturl":"${baseUrl}/x7Kp2mQ"}</code></pre>
</section>
<section class="panel" aria-labelledby="rules">
<h2 id="rules">What holds for every call</h2>
<dl class="facts">
<dt>Success</dt><dd>Status 200. <code>error</code> is 0; on lists it is the text <code>"0"</code>, unless the operator chose otherwise.</dd>
<dt>Refusal</dt><dd>A status of 400 or more, and <code>{"error": 1, "message": "…"}</code>. The message names the field.</dd>
<dt>Scopes</dt><dd>A <code>full</code> key may make every call; <code>links</code> all but those that change the account or its domains; <code>create</code> only those that create links; <code>read</code> only those that read. A key bound to a domain reaches only links there. Other calls get 403; each operation names its scope.</dd>
<dt>Rate</dt><dd>${limit} requests a minute for each key. <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code> and <code>X-RateLimit-Reset</code> (Unix seconds) stand on every reply; beyond the limit the answer is 429 with <code>Retry-After</code>.</dd>
<dt>Lists</dt><dd>Newest first, by <code>limit</code> and <code>page</code>; <code>result</code> is how many there are in all.</dd>
<dt>Repeating</dt><dd>A POST with an <code>Idempotency-Key</code> may be sent again within a day and is done once.</dd>
<dt>Times</dt><dd>UTC, <code>YYYY-MM-DD HH:MM:SS</code>.</dd>
</dl>
</section>
${groups.map(
  (group) => html`<section class="panel" aria-labelledby="${group.slug}">
<h2 id="${group.slug}"><a href="/docs/${group.slug}">${subject(group)}</a></h2>
${contents(group, `/docs/${group.slug}`)}
</section>`,
)}`,
  })
}

/** Renders the operations of one subject. */
export function groupPage(frame: DocsFrame, group: Group): string {
  return docsPage(frame, {
    title: subject(group),
    slug: group.slug,
    body: html`<h1>${subject(group)}</h1>
${contents(group, '')}
${group.operations.map((operation) => operationSection(operation, frame.baseUrl))}`,
  })
}

function contents({ operations }: Group, page: string): SafeHtml {
  return html`<ul class="plain">${operations.map(
    (operation) =>
      html`<li><a href="${page}#${anchorOf(operation)}">${operation.summary}</a> <span class="soft"><code>${operation.method.toUpperCase()} ${operation.path}</code></span></li>`,
  )}</ul>`
}

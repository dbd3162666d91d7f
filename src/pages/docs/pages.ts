import { html, type SafeHtml } from '@remix-run/html-template'
import { type DocsFrame, docsPage, groupTitle } from './frame.ts'
import type { Group } from './openapi.ts'
import { operationSection, toAnchor } from './operation.ts'

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

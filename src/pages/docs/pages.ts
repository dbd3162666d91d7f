import { html, type SafeHtml } from '@remix-run/html-template'
import {
  createSamples,
  type DocsFrame,
  docsHeading,
  docsPage,
  docsPath,
  groupTitle,
} from './frame.ts'
import type { Group, Operation } from './openapi.ts'
import { operationSection, renderSample, toAnchor } from './operation.ts'

/** Renders the first page: a first call, rules for all calls, and the list of operations. */
export function gettingStartedPage(
  frame: DocsFrame,
  { requestsPerMinute }: { requestsPerMinute: number },
): string {
  const { baseUrl, groups } = frame
  const first = groups.flatMap(({ operations }) => operations).find(isFirst)
  return docsPage(frame, {
    title: frame.t('start'),
    slug: '',
    body: html`${docsHeading(frame, frame.t('title'))}
<p class="lead">Manage links, statistics and domains with JSON over HTTP.</p>
<section class="panel" aria-labelledby="first">
<h2 id="first">Your first request</h2>
<p>Every request needs an API key. Create one on the API keys page of the console, or with <code>npx brevis key create</code>.</p>
${first ? renderSample(first, createSamples(frame), 'first') : null}
<pre tabindex="0"><code>{"error":0,"id":1,"shorturl":"${baseUrl}/spring"}</code></pre>
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
<h2 id="${group.slug}" lang="${frame.language}"><a href="${docsPath(frame, group.slug)}">${groupTitle(frame, group)}</a></h2>
${contents(frame, group)}
</section>`,
)}`,
  })
}

/** Renders the operations of one subject. */
export function groupPage(frame: DocsFrame, group: Group): string {
  return docsPage(frame, {
    title: groupTitle(frame, group),
    slug: group.slug,
    body: html`${docsHeading(frame, groupTitle(frame, group))}
${contents(frame, group)}
${group.operations.map((operation) => operationSection(operation, createSamples(frame, group.slug)))}`,
  })
}

/** Renders the operations that match a search, by subject. */
export function searchPage(frame: DocsFrame, search: string): string {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (operation: Operation) => {
    const text = searchableText(operation)
    return words.length > 0 && words.every((word) => text.includes(word))
  }
  const found = frame.groups
    .map((group) => ({ ...group, operations: group.operations.filter(matches) }))
    .filter(({ operations }) => operations.length > 0)
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0)
  return docsPage(frame, {
    title: frame.t('search'),
    search,
    body: html`${docsHeading(frame, frame.t('search'))}
<p class="lead" lang="${frame.language}" role="status">${frame.t('found', { n: count })}</p>
${found.map(
  (group) => html`<section class="panel" aria-labelledby="${group.slug}">
<h2 id="${group.slug}" lang="${frame.language}">${groupTitle(frame, group)}</h2>
${contents(frame, group)}
</section>`,
)}`,
  })
}

/** Returns what a search finds of an operation: its texts, and the names of its parameters and fields. */
function searchableText({ method, path, summary, description = '', ...operation }: Operation) {
  const { parameters, body } = operation
  const names = [
    ...parameters.map(({ name }) => name),
    ...Object.keys(body?.schema.properties ?? {}),
  ]
  return [method, path, summary, description, ...names].join(' ').toLowerCase()
}

function isFirst({ method, path }: Operation): boolean {
  return method === 'post' && path === '/api/url/add'
}

function contents(frame: DocsFrame, { slug, operations }: Group): SafeHtml {
  return html`<ul class="plain">${operations.map(
    (operation) =>
      html`<li><a href="${docsPath(frame, slug, toAnchor(operation))}">${operation.summary}</a> <span class="soft"><code>${operation.method.toUpperCase()} ${operation.path}</code></span></li>`,
  )}</ul>`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import { brandMark, faviconPath } from '../brand-mark.ts'
import { style } from '../style.ts'
import type { Group } from './openapi.ts'
import type { Samples } from './operation.ts'
import { SAMPLE_LANGUAGES, type SampleLanguage } from './samples.ts'

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
.docs .find { display: flex; gap: .5rem; margin: 0 0 0 auto; }
.docs .find input { width: min(16rem, 50vw); min-height: 2.5rem; margin: 0; padding: .25rem .75rem; border-radius: .625rem; }
.docs .find .button { flex: none; min-height: 2.5rem; padding: .25rem .875rem; border-radius: .625rem; }
.docs .switch { display: flex; flex-wrap: wrap; gap: .25rem; margin: 1rem 0 0; padding: 0; list-style: none; }
.docs .switch a { display: flex; align-items: center; min-height: 2.25rem; padding: 0 .75rem; border-radius: .625rem; color: var(--soft); font-size: .875rem; font-weight: 600; text-decoration: none; }
.docs .switch a:hover { background: var(--tint); color: var(--ink); }
.docs .switch a[aria-current] { background: var(--tint); color: var(--accent); }
.docs section[aria-labelledby] h2 { scroll-margin-top: 1rem; }
.docs .plain { margin: .75rem 0 0; padding: 0; list-style: none; }
.docs .plain li { display: flex; flex-wrap: wrap; gap: .125rem .75rem; padding: .5rem 0; border-top: 1px solid var(--line); }
@media (max-width: 48rem) {
  .docs .columns { grid-template-columns: minmax(0, 1fr); gap: 1rem; }
  .docs nav ul { position: static; display: flex; flex-wrap: wrap; }
  .docs .find { flex: 1 1 100%; min-width: 0; }
  .docs .find input { flex: 1; width: auto; min-width: 0; }
  .docs .cards thead { display: none; }
  .docs .cards, .docs .cards tbody, .docs .cards tr, .docs .cards th, .docs .cards td, .docs caption { display: block; width: auto; }
  .docs .cards tr { padding: .625rem 0; border-top: 1px solid var(--line); }
  .docs .cards th, .docs .cards td { padding: .125rem 0; border: 0; }
}
`

type DocsText =
  | 'title'
  | 'start'
  | 'api'
  | 'console'
  | 'skip'
  | 'subjects'
  | 'samples'
  | 'search'
  | 'find'
  | 'found'

/** What all pages of the documentation have in common. Its texts are in the console's language. */
export type DocsFrame = {
  /** The language of the frame, as a value of `lang`. */
  language: string
  t: (name: DocsText, values?: { n: number }) => string
  /** Returns the name of a group, or undefined if it has only the one in the API description. */
  findGroupName: (slug: string) => string | undefined
  nonce: string
  baseUrl: string
  groups: readonly Group[]
  /** Whether the console exists. */
  hasConsole: boolean
  siteName: string
  /** The language of the samples, which the links to other pages keep. */
  sample: SampleLanguage
}

type DocsPage = {
  title: string
  /** The slug of the page's group. It is empty on the first page. */
  slug?: string
  /** What was searched for. */
  search?: string
  body: SafeHtml
}

/**
 * Renders a documentation page with `body` inside `<main>`. The frame is in the language of the
 * console, and the reference in English.
 */
export function docsPage(frame: DocsFrame, { title, slug, search = '', body }: DocsPage): string {
  const { nonce, groups, hasConsole, sample, siteName, language, t } = frame
  return String(html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – ${siteName} API</title>
<link rel="icon" type="image/svg+xml" href="${faviconPath}">
<style nonce="${nonce}">${style}${docsStyle}</style>
</head>
<body class="docs">
<a class="skip button" href="#content">${t('skip')}</a>
<header>
<a class="home" href="/">${brandMark} ${siteName}</a>
<a href="${docsPath(frame)}">${t('api')}</a>
<a href="/openapi.json">openapi.json</a>
${hasConsole ? html`<a href="/console">${t('console')}</a>` : null}
<form class="find" method="get" action="/docs/search" role="search">
<label class="hidden-text" for="q">${t('search')}</label>
<input type="search" id="q" name="q" value="${search}" maxlength="100" autocomplete="off" placeholder="${t('search')}">
${sample === SAMPLE_LANGUAGES[0] ? null : html`<input type="hidden" name="sample" value="${sample}">`}
<button class="button quiet">${t('find')}</button>
</form>
</header>
<div class="columns">
<nav aria-label="${t('subjects')}"><ul>
<li>${navLink(docsPath(frame), t('start'), slug === '')}</li>
${groups.map((group) => html`<li>${navLink(docsPath(frame, group.slug), groupTitle(frame, group), group.slug === slug)}</li>`)}
</ul></nav>
<main id="content" tabindex="-1" lang="en">
${body}
</main>
</div>
</body>
</html>
`)
}

/** Renders the heading of a page, which is in the language of the frame. */
export function docsHeading({ language }: DocsFrame, title: string): SafeHtml {
  return html`<h1 lang="${language}">${title}</h1>`
}

/** Returns the path of a page with samples in the same language. */
export function docsPath({ sample }: DocsFrame, slug = '', anchor = ''): string {
  const query = sample === SAMPLE_LANGUAGES[0] ? '' : `?sample=${sample}`
  return `/docs${slug && `/${slug}`}${query}${anchor && `#${anchor}`}`
}

/** Returns how a page shows samples. */
export function createSamples(frame: DocsFrame, slug = ''): Samples {
  return {
    baseUrl: frame.baseUrl,
    language: frame.sample,
    label: frame.t('samples'),
    hrefOf: (sample, anchor) => docsPath({ ...frame, sample }, slug, anchor),
  }
}

/** Returns the name of a group for use at the start of a sentence. */
export function groupTitle({ findGroupName }: DocsFrame, { name, slug }: Group): string {
  return findGroupName(slug) ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

function navLink(href: string, text: string, isCurrent: boolean): SafeHtml {
  return html`<a href="${href}"${isCurrent ? html` aria-current="page"` : null}>${text}</a>`
}

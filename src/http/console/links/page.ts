import { html, type SafeHtml } from '@remix-run/html-template'
import { formatCount } from '../shell/format-count.ts'
import type { Key } from '../shell/keys-help.ts'
import { consolePage, type Frame } from '../shell/layout.ts'
import { changeForm } from './change-form.ts'
import { type LinkRow, linkRow } from './row.ts'

export type LinksPage = {
  rows: readonly LinkRow[]
  total: number
  form: { q: string; tag: string; status: string; sort: string; page: number }
  /** Tags to choose from. */
  tags: readonly string[]
  /** Whether a search or a filter leaves links out. */
  narrowed: boolean
  /** Of this view, of the same with another tag, and of its neighbours. */
  address: string
  tagAddress: (tag: string) => string
  newer: string | undefined
  older: string | undefined
  lastPage: number
  notice?: string | undefined
  error?: string | undefined
}

const KEYS: readonly Key[] = [
  ['/', 'search'],
  ['J', 'next link, also ↓'],
  ['K', 'link before, also ↑'],
  ['E', 'edit the link'],
  ['Q', 'its QR code'],
  ['X', 'pick it, or let it go'],
]

/** The links of an account as a table, on a phone as cards, with the search that finds them. */
export function linksPage(frame: Frame, page: LinksPage): string {
  const { rows, total, narrowed, notice, error } = page
  return consolePage(frame, {
    title: 'Links',
    section: '/console/links',
    files: ['links.css', 'select.js', 'ask.js'],
    keys: KEYS,
    body: html`<div class="headline">
<h1>Links</h1>
<a class="button small" href="/console/links/new">Create a link</a>
</div>
${notice ? html`<p class="inset told" role="status">${notice}</p>` : null}
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
${total > 0 || narrowed ? searchForm(page) : null}
${rows.length > 0 ? table(frame, page) : error ? null : empty(narrowed)}`,
  })
}

function searchForm({ form, tags, narrowed }: LinksPage): SafeHtml {
  const offered = form.tag && !tags.includes(form.tag) ? [form.tag, ...tags] : tags
  const chosen = (tag: string) => tag.toLowerCase() === form.tag.toLowerCase()
  return html`<form class="finder" method="get" action="/console/links" role="search">
<div class="field"><label for="q">Search</label><input type="search" id="q" name="q" value="${form.q}" maxlength="500" autocomplete="off" dir="auto" placeholder="Alias, target, title or tag"></div>
${
  offered.length > 0
    ? html`<div class="field"><label for="tag">Tag</label><select id="tag" name="tag"><option value="">Any</option>${offered.map((tag) => html`<option value="${tag}"${chosen(tag) ? html` selected` : null}>${tag}</option>`)}</select></div>`
    : null
}
${select('status', 'Status', form.status, [
  ['', 'Any'],
  ['active', 'Active'],
  ['disabled', 'Disabled'],
  ['expired', 'Expired'],
])}
${select('sort', 'Sort by', form.sort, [
  ['newest', 'Newest'],
  ['clicks', 'Most clicked'],
])}
<div class="finder-buttons"><button class="button quiet">Search</button>${narrowed ? html`<a class="reset" href="/console/links">Reset</a>` : null}</div>
</form>`
}

function select(
  name: string,
  label: string,
  value: string,
  options: readonly (readonly [value: string, text: string])[],
): SafeHtml {
  return html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${options.map(
    ([each, text]) =>
      html`<option value="${each}"${each === value ? html` selected` : null}>${text}</option>`,
  )}</select></div>`
}

function table(frame: Frame, page: LinksPage): SafeHtml {
  const { rows, total, narrowed, form, lastPage, newer, older } = page
  const count = total === 1 ? '1 link' : `${formatCount(total)} links`
  return html`<section class="panel links" aria-label="Links">
<p class="small soft found">${count}${narrowed ? ' found' : null}</p>
<table class="cards">
<thead><tr><th scope="col" class="pick"><input type="checkbox" class="check" id="all" aria-label="Pick all links of this page" hidden></th><th scope="col">Link</th><th scope="col" class="number">Clicks</th><th scope="col" class="spark-head">30 days</th><th scope="col">Status</th><th scope="col"><span class="hidden-text">Change</span></th></tr></thead>
<tbody>${rows.map((row) => linkRow(frame, page, row))}</tbody>
</table>
${changeForm(frame, page)}
</section>
${
  lastPage > 1
    ? html`<nav class="pager" aria-label="Pages">${newer ? html`<a class="button quiet small" rel="prev" href="${newer}">Previous</a>` : html`<span></span>`}<span class="small soft">Page ${formatCount(form.page)} of ${formatCount(lastPage)}</span>${older ? html`<a class="button quiet small" rel="next" href="${older}">Next</a>` : html`<span></span>`}</nav>`
    : null
}`
}

function empty(narrowed: boolean): SafeHtml {
  return narrowed
    ? html`<section class="panel blank"><h2>Nothing matches</h2>
<p class="soft">No link has all of what you are looking for.</p>
<p><a class="button quiet" href="/console/links">Show all links</a></p></section>`
    : html`<section class="panel blank"><h2>No links yet</h2>
<p class="soft">A short link takes a few seconds to make, and counts its clicks from then on.</p>
<p><a class="button" href="/console/links/new">Create your first link</a></p></section>`
}

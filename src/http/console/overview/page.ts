import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { changeText } from '../shell/change.ts'
import { copyable } from '../shell/copyable.ts'
import { formatCount } from '../shell/format-count.ts'
import { consolePage, type Frame } from '../shell/layout.ts'
import { type ChartStep, timeChart } from '../shell/time-chart.ts'
import { unavailableNote } from '../shell/unavailable-note.ts'

export type ShownLink = { id: number; shortUrl: string; url: string; clicks: number }

export type CreateForm = {
  url?: string
  alias?: string
  errors?: { url?: string; alias?: string; form?: string }
}

export type Overview = {
  form: CreateForm
  /** The link that was just made. */
  made?: Pick<ShownLink, 'shortUrl' | 'url'> | undefined
  /**
   * Clicks of the last 30 days by day, and of the 30 days before together; undefined while statistics
   * are unavailable.
   */
  clicks: { total: number; before: number; steps: readonly ChartStep[] } | undefined
  newest: readonly ShownLink[]
  /** The links that were clicked most in the 30 days. */
  top: readonly Omit<ShownLink, 'url'>[] | undefined
}

/** Where one begins: a link to make, and what became of those there are. */
export function overviewPage(frame: Frame, overview: Overview): string {
  const { made, clicks, newest, top } = overview
  return consolePage(frame, {
    title: 'Overview',
    section: '/console',
    body: html`<h1>Overview</h1>
${
  made
    ? html`<section class="panel made" aria-label="Your new link">
<p class="eyebrow">Your link is ready</p>
${copyable({ id: 'made', href: made.shortUrl })}
<p class="small soft">Destination: ${made.url}</p>
</section>`
    : null
}
${createForm(frame, overview.form)}
<section class="panel" aria-labelledby="clicks">
<div class="head"><h2 id="clicks">Clicks, last 30 days</h2><a class="small" href="/console/analytics">View analytics</a></div>
${clicks ? clickFigures(clicks) : unavailableNote()}
</section>
<div class="columns">
<section class="panel" aria-labelledby="newest">
<h2 id="newest">Newest links</h2>
${
  newest.length === 0
    ? html`<p class="soft">No links yet. Create your first one above.</p>`
    : html`<ul class="plain">${newest.map(newestItem)}</ul>`
}
</section>
<section class="panel" aria-labelledby="top">
<h2 id="top">Top links, last 30 days</h2>
${
  top === undefined
    ? unavailableNote()
    : top.length === 0
      ? html`<p class="soft">No clicks in the last 30 days.</p>`
      : html`<ul class="plain">${top.map(topItem)}</ul>`
}
</section>
</div>`,
  })
}

function clickFigures(clicks: NonNullable<Overview['clicks']>): SafeHtml {
  return html`<p class="figure">${formatCount(clicks.total)}</p>
<p class="small soft">${changeText(clicks, 'previous 30 days')}</p>
${
  clicks.total > 0
    ? timeChart({
        title: 'Clicks by day, last 30 days',
        unit: 'Day (UTC)',
        steps: clicks.steps,
        form: 'line',
      })
    : null
}`
}

function createForm({ csrf }: Frame, { url = '', alias = '', errors = {} }: CreateForm): SafeHtml {
  return html`<section class="panel" aria-labelledby="create">
<h2 id="create">Create a link</h2>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="/console/links" class="line" id="shorten">
${csrfField(csrf)}
${field({
  name: 'url',
  label: 'Destination URL',
  autocomplete: 'off',
  value: url,
  ...(errors.url && { error: errors.url }),
  autofocus: !errors.alias,
})}
${field({
  name: 'alias',
  label: 'Alias',
  optional: true,
  autocomplete: 'off',
  value: alias,
  hint: 'Leave blank for a random alias.',
  maxLength: 1000,
  ...(errors.alias && { error: errors.alias }),
  autofocus: Boolean(errors.alias),
})}
<button class="button">Create link</button>
</form>
<p class="small"><button class="button quiet small" form="shorten" formaction="/console/links/new" formnovalidate name="more" value="options">More options: expiration, targeting, password …</button></p>
</section>`
}

function newestItem({ id, shortUrl, url, clicks }: ShownLink): SafeHtml {
  return html`<li>${copyable({ id: `newest-${id}`, href: shortUrl })}
<p class="target" dir="ltr" title="${url}">${url}</p>
<a class="count" href="/console/links/${id}">${countText(clicks)}</a></li>`
}

function topItem({ id, shortUrl, clicks }: Omit<ShownLink, 'url'>): SafeHtml {
  return html`<li>${copyable({ id: `top-${id}`, href: shortUrl })}
<a class="count" href="/console/links/${id}">${countText(clicks)}</a></li>`
}

function countText(clicks: number): string {
  return clicks === 1 ? '1 click' : `${formatCount(clicks)} clicks`
}

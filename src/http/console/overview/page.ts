import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { renderCopyable } from '../kit/parts.ts'
import { describeChange } from '../shell/change.ts'
import { formatCount } from '../shell/format-count.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { type ChartStep, renderTimeChart } from '../shell/time-chart.ts'
import { renderUnavailableNote } from '../shell/unavailable-note.ts'

/** A link in a list. `url` is its destination. */
export type LinkView = { id: number; shortUrl: string; url: string; clicks: number }

/** The submitted values and the errors of a rejected form. `form` is an error of no field. */
export type CreateForm = {
  url?: string
  alias?: string
  errors?: { url?: string; alias?: string; form?: string }
}

export type Overview = {
  form: CreateForm
  /** The link that was just created. */
  newLink?: Pick<LinkView, 'shortUrl' | 'url'> | undefined
  /**
   * The total and the daily clicks of the last 30 days, and the total of the 30 days before.
   * Undefined while statistics are unavailable.
   */
  clicks: { total: number; before: number; steps: readonly ChartStep[] } | undefined
  newest: readonly LinkView[]
  /** The most clicked links of the last 30 days. Undefined while statistics are unavailable. */
  top: readonly Omit<LinkView, 'url'>[] | undefined
}

/**
 * Renders the overview: the form for a new link below the link that was just created, recent clicks,
 * and the newest and top links.
 */
export function renderOverviewPage(frame: Frame, overview: Overview): string {
  const { newLink, clicks, newest, top } = overview
  return renderConsolePage(frame, {
    title: t('overview.title'),
    section: '/console',
    body: html`<h1>${t('overview.title')}</h1>
${
  newLink
    ? html`<section class="panel made" aria-label="${t('overview.newLink')}">
<p class="eyebrow">${t('overview.ready')}</p>
${renderCopyable({ id: 'made', href: newLink.shortUrl })}
<p class="small soft">${t('overview.destination', { url: newLink.url })}</p>
</section>`
    : null
}
${renderCreateForm(frame, overview.form)}
<section class="panel" aria-labelledby="clicks">
<div class="head"><h2 id="clicks">${t('overview.clicksTitle')}</h2><a class="small" href="/console/analytics">${t('overview.analytics')}</a></div>
${clicks ? renderClickFigures(clicks) : renderUnavailableNote()}
</section>
<div class="columns">
<section class="panel" aria-labelledby="newest">
<h2 id="newest">${t('overview.newest')}</h2>
${
  newest.length === 0
    ? html`<p class="soft">${t('overview.noLinks')}</p>`
    : html`<ul class="plain">${newest.map(renderNewestItem)}</ul>`
}
</section>
<section class="panel" aria-labelledby="top">
<h2 id="top">${t('overview.top')}</h2>
${
  top === undefined
    ? renderUnavailableNote()
    : top.length === 0
      ? html`<p class="soft">${t('overview.noClicks')}</p>`
      : html`<ul class="plain">${top.map(renderTopItem)}</ul>`
}
</section>
</div>`,
  })
}

/** Renders the total of the clicks, its change, and the chart of the days if there are clicks. */
function renderClickFigures(clicks: NonNullable<Overview['clicks']>): SafeHtml {
  return html`<p class="figure">${formatCount(clicks.total)}</p>
<p class="small soft">${describeChange(clicks, t('overview.previousPeriod'))}</p>
${
  clicks.total > 0
    ? renderTimeChart({
        title: t('overview.chart'),
        unit: t('overview.day'),
        steps: clicks.steps,
        form: 'line',
      })
    : null
}`
}

function renderCreateForm(
  { csrf }: Frame,
  { url = '', alias = '', errors = {} }: CreateForm,
): SafeHtml {
  return html`<section class="panel" aria-labelledby="create">
<h2 id="create">${t('overview.form.title')}</h2>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="/console/links" class="line" id="shorten">
${csrfField(csrf)}
${field({
  name: 'url',
  label: t('overview.form.url'),
  autocomplete: 'off',
  value: url,
  ...(errors.url && { error: errors.url }),
  autofocus: !errors.alias,
})}
${field({
  name: 'alias',
  label: t('overview.form.alias'),
  optional: true,
  autocomplete: 'off',
  value: alias,
  hint: t('overview.form.aliasHint'),
  maxLength: 1000,
  ...(errors.alias && { error: errors.alias }),
  autofocus: Boolean(errors.alias),
})}
<button class="button">${t('overview.form.create')}</button>
</form>
<p class="small"><button class="button quiet small" form="shorten" formaction="/console/links/new" formnovalidate name="more" value="options">${t('overview.form.more')}</button></p>
</section>`
}

function renderNewestItem({ id, shortUrl, url, clicks }: LinkView): SafeHtml {
  return html`<li>${renderCopyable({ id: `newest-${id}`, href: shortUrl })}
<p class="target" dir="ltr" title="${url}">${url}</p>
<a class="count" href="/console/links/${id}">${t('overview.clicks', { n: clicks })}</a></li>`
}

function renderTopItem({ id, shortUrl, clicks }: Omit<LinkView, 'url'>): SafeHtml {
  return html`<li>${renderCopyable({ id: `top-${id}`, href: shortUrl })}
<a class="count" href="/console/links/${id}">${t('overview.clicks', { n: clicks })}</a></li>`
}

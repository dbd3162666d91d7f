import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { dayOf, ifAvailable, listSteps, readAccountCounts } from '../../clicks/read.ts'
import type { HttpContext } from '../../context.ts'
import { addScheme } from '../../destination-url.ts'
import { createLink, getLink } from '../../links/link.service.ts'
import type { Link } from '../../links/link.ts'
import { listLinks, readLinkNames } from '../../links/link-list.service.ts'
import { csrfField } from '../../pages/field.ts'
import { t } from '../../texts.ts'
import { formatStep } from './analytics/format.ts'
import { renderTimeChart } from './kit/chart.ts'
import { defineForm } from './kit/form.ts'
import { describeChange, renderUnavailableNote } from './kit/metrics.ts'
import { renderCopyable, renderPanel, renderUntitledPanel } from './kit/parts.ts'
import { readPositiveInteger } from './kit/query.ts'
import { type ConsoleRequest, defineSubject, type Page } from './kit/subject.ts'
import { formatCount } from './shell/format.ts'
import type { Frame } from './shell/layout.ts'

type Counts = NonNullable<Awaited<ReturnType<typeof readAccountCounts>>>
type Period = Parameters<typeof listSteps>[0]
type State = Parameters<typeof form.render>[1]

/** The number of days of the statistics. */
const DAYS = 30
/** The number of links in each list. */
const LIST_LENGTH = 5

const form = defineForm(
  {
    url: { label: 'overview.form.url' },
    alias: {
      label: 'overview.form.alias',
      hint: 'overview.form.aliasHint',
      optional: true,
      maxLength: 1000,
    },
  },
  { codes: { alias_taken: 'alias' } },
)

/**
 * Registers the overview: the form for a new link below the link that was just created, recent clicks,
 * and the newest and top links.
 */
export function registerOverviewRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, submit } = defineSubject(app, '/console')

  page('/', 'viewer', (request) => renderOverview(request))

  submit(
    '/links',
    'editor',
    form,
    async (request, { url, alias }) => {
      const input = { url: addScheme(url), alias: alias.trim() }
      const { id } = await createLink(request.scope, input)
      return { to: `/console?made=${id}` }
    },
    async (request, state) => ({
      ...(await renderOverview(request, state)),
      ...(!state.errors?.form && { status: 422 }),
    }),
  )

  async function renderOverview(request: ConsoleRequest, state: State = {}): Promise<Page> {
    const today = dayOf(ctx.clock())
    const period = { from: today - DAYS + 1, to: today, interval: 'day' } as const
    const previousPeriod = { from: period.from - DAYS, to: today - DAYS, interval: 'day' } as const
    const [newLink, counts, previousCounts, { entries }] = await Promise.all([
      findNewLink(request),
      ifAvailable(readAccountCounts(request.scope, period, LIST_LENGTH)),
      ifAvailable(readAccountCounts(request.scope, previousPeriod, 0)),
      listLinks(request.scope, { order: 'date', limit: LIST_LENGTH, offset: 0 }),
    ])
    const topIds = (counts?.links ?? []).map(({ linkId }) => linkId)
    const names = await readLinkNames(request.scope, topIds)
    const topLinks = counts?.links.flatMap(({ linkId: id, clicks }) => {
      const name = names.get(id)
      return name ? [{ id, shortUrl: name.shortUrl, clicks }] : []
    })
    return {
      title: t('overview.title'),
      body: (frame) => html`<h1>${t('overview.title')}</h1>
${newLink ? renderNewLink(newLink) : null}
${renderCreateForm(frame, state)}
${renderPanel(
  'clicks',
  t('overview.clicksTitle'),
  counts && previousCounts ? renderClicks(counts, previousCounts, period) : renderUnavailableNote(),
  { beside: html`<a class="small" href="/console/analytics">${t('overview.analytics')}</a>` },
)}
<div class="columns">
${renderPanel('newest', t('overview.newest'), renderList('newest', entries, t('overview.noLinks')))}
${renderPanel('top', t('overview.top'), topLinks ? renderList('top', topLinks, t('overview.noClicks')) : renderUnavailableNote())}
</div>`,
    }
  }

  /** Returns the link that was just created, if it exists in the account. */
  async function findNewLink({ scope, query }: ConsoleRequest): Promise<Link | undefined> {
    const id = readPositiveInteger(query, 'made')
    if (id === undefined) return undefined
    const names = await readLinkNames(scope, [id])
    return names.has(id) ? getLink(scope, id) : undefined
  }
}

function renderNewLink({ shortUrl, url }: Link): SafeHtml {
  const content = html`<p class="eyebrow">${t('overview.ready')}</p>
${renderCopyable({ id: 'made', href: shortUrl })}
<p class="small soft">${t('overview.destination', { url })}</p>`
  return renderUntitledPanel(t('overview.newLink'), content, 'made')
}

function renderCreateForm(frame: Frame, state: State): SafeHtml | null {
  if (!frame.may('POST', '/console/links')) return null
  return renderPanel('create', t('overview.form.title'), [
    form.renderError(state),
    html`<form method="post" action="/console/links" class="line" id="shorten">
${csrfField(frame.csrf)}
${form.renderField(frame, 'url', state, { autofocus: !state.errors?.alias })}
${form.renderField(frame, 'alias', state)}
<button class="button">${t('overview.form.create')}</button>
</form>
<p class="small"><button class="button quiet small" form="shorten" formaction="/console/links/new" formnovalidate name="more" value="options">${t('overview.form.more')}</button></p>`,
  ])
}

/** Renders the clicks of a period, their change, and the chart of the days if there are any. */
function renderClicks(counts: Counts, previousCounts: Counts, period: Period): SafeHtml {
  const change = { total: counts.clicks, before: previousCounts.clicks }
  const chart = {
    title: t('overview.chart'),
    unit: t('overview.day'),
    steps: listSteps(period).map((step, index) => ({
      ...formatStep(step, period),
      clicks: counts.timeline[index]?.clicks ?? 0,
      state: index === DAYS - 1 ? ('open' as const) : ('ended' as const),
    })),
  } as const
  return html`<p class="figure">${formatCount(counts.clicks)}</p>
<p class="small soft">${describeChange(change, t('overview.previousPeriod'))}</p>
${counts.clicks > 0 ? renderTimeChart(chart) : null}`
}

/** A link in a list. Its destination, `url`, is optional. */
type ListedLink = { id: number; shortUrl: string; url?: string; clicks: number }

function renderList(name: string, links: readonly ListedLink[], empty: string): SafeHtml {
  if (links.length === 0) return html`<p class="soft">${empty}</p>`
  return html`<ul class="plain">${links.map(
    ({ id, shortUrl, url, clicks }) =>
      html`<li>${renderCopyable({ id: `${name}-${id}`, href: shortUrl })}
${url === undefined ? null : html`<p class="target" dir="ltr" title="${url}">${url}</p>`}
<a class="count" href="/console/links/${id}">${t('overview.clicks', { n: clicks })}</a></li>`,
  )}</ul>`
}

import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  dayOf,
  ifAvailable,
  listSteps,
  readAccountCounts,
  readDailyClicks,
} from '../../clicks/read.ts'
import type { HttpContext } from '../../context.ts'
import { checkAllAsync } from '../../errors.ts'
import { createLink, getLink, requireFreeAlias } from '../../links/link.service.ts'
import type { Link, LinkEntry } from '../../links/link.ts'
import { listLinks, readLinkNames } from '../../links/link-list.service.ts'
import { csrfField } from '../../pages/field.ts'
import { safeHref } from '../../pages/safe-url.ts'
import { copiedShortUrl, shortLinkText } from '../../pages/short-link-text.ts'
import { t } from '../../texts.ts'
import { addScheme } from '../../urls/destination-url.ts'
import { takeNewKey } from '../html/session-cookie.ts'
import { formatStep } from './analytics/format.ts'
import { withScript } from './assets.ts'
import { renderTimeChart } from './kit/chart.ts'
import { defineForm } from './kit/form.ts'
import { type NamedLink, renderDestination, renderLinkName } from './kit/link-name.ts'
import { describeChange, renderUnavailableNote } from './kit/metrics.ts'
import { renderCopyable, renderPanel, renderUntitledPanel } from './kit/parts.ts'
import { readPositiveInteger } from './kit/query.ts'
import { type ConsoleRequest, defineSubject, type Page } from './kit/subject.ts'
import { renderSparkline } from './links/sparkline.ts'
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

  page('/', 'viewer', (request, reply) => renderOverview(request, reply))

  submit(
    '/links',
    'editor',
    form,
    async (request, { url, alias }) => {
      const input = { url: addScheme(url), alias: alias.trim() }
      const [{ id }] = await checkAllAsync(
        () => createLink(request.scope, input),
        (hasFailed) => hasFailed && requireFreeAlias(request.scope, { alias }),
      )
      return { to: `/console?made=${id}` }
    },
    async (request, state, { reply }) => ({
      ...(await renderOverview(request, reply, state)),
      ...(!state.errors?.form && { status: 422 }),
    }),
  )

  async function renderOverview(
    request: ConsoleRequest,
    reply: FastifyReply,
    state: State = {},
  ): Promise<Page> {
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
    const ids = [...topIds, ...entries.map(({ id }) => id)]
    const [names, days] = await Promise.all([
      readLinkNames(request.scope, topIds),
      ifAvailable(readDailyClicks(ctx.db, ids, period)),
    ])
    const topLinks = counts?.links.flatMap(({ linkId: id, clicks }) => {
      const name = names.get(id)
      return name ? [{ id, ...name, clicks }] : []
    })
    const isNew = entries.length < 2 && !entries[0]?.clicks
    const newKey = takeNewKey(ctx.config, reply)
    return {
      title: t('overview.title'),
      body: (frame) => html`<h1>${t('overview.title')}</h1>
${newLink ? renderNewLink(newLink) : null}
${renderCreateForm(frame, state)}
<div id="first" data-live>${isNew && frame.may('POST', '/console/links') ? renderSteps(entries[0]) : null}</div>
${newKey ? renderNewKey(newKey, ctx.config.baseUrl) : null}
<div id="counts" data-live${withScript('live')}>
${renderPanel(
  'clicks',
  t('overview.clicksTitle'),
  counts && previousCounts ? renderClicks(counts, previousCounts, period) : renderUnavailableNote(),
  { beside: html`<a class="small" href="/console/analytics">${t('overview.analytics')}</a>` },
)}
<div class="columns">
${renderPanel('newest', t('overview.newest'), renderList('newest', entries, days, t('overview.noLinks')))}
${renderPanel('top', t('overview.top'), topLinks ? renderList('top', topLinks, days, t('overview.noClicks')) : renderUnavailableNote())}
</div>
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

function renderNewLink(link: Link): SafeHtml {
  const { id, shortUrl, url } = link
  const page = `/console/links/${id}`
  const content = html`<div class="made-in code-columns">
<img src="${page}/qr.svg" width="112" height="112" alt="${t('code.ofLink.alt')}">
<div><p class="eyebrow">${t('overview.ready')}</p>
<p class="made-url"><a id="made" data-text="${copiedShortUrl(shortUrl)}" href="${safeHref(shortUrl)}" rel="noreferrer" target="_blank"><bdi>${shortLinkText(shortUrl)}</bdi></a></p>
<p class="small">${renderDestination(url)}</p>
<p class="actions"><button class="button small" type="button" data-copy="made">${t('link.copyLink')}</button>
<button class="button quiet small" type="button" data-share="made" hidden>${t('link.share')}</button>
<a class="button quiet small" href="${page}">${t('links.statistics')}</a>
<a class="button quiet small" href="${page}#code">${t('link.code')}</a></p></div>
</div>`
  return renderUntitledPanel(t('overview.newLink'), content, 'made')
}

function renderCreateForm(frame: Frame, state: State): SafeHtml | null {
  if (!frame.may('POST', '/console/links')) return null
  const { alias } = { ...state.values, ...state.errors }
  return renderPanel('create', t('overview.form.title'), [
    form.renderError(state),
    html`<form method="post" action="/console/links">
${csrfField(frame.csrf)}
<div class="adding wide">${form.renderField(frame, 'url', state, { autofocus: Boolean(state.errors?.url) || !state.errors?.alias })}
<button class="button">${t('overview.form.create')}</button></div>
<div class="more"><details${alias ? html` open` : null}><summary class="button quiet small">${t('overview.form.aliasMore')}</summary>
${form.renderField(frame, 'alias', state)}
</details>
<button class="button quiet small" formaction="/console/links/new" formnovalidate name="more" value="options">${t('overview.form.more')}</button></div>
</form>`,
  ])
}

/** Renders the first steps of a new account, up to the first click on its first link. */
function renderSteps(link: LinkEntry | undefined): SafeHtml {
  const steps = [
    t('overview.steps.create'),
    link
      ? html`<a href="/console/links/${link.id}">${t('overview.steps.copy')}</a>`
      : t('overview.steps.copy'),
    link
      ? html`<a href="/console/links/${link.id}">${t('overview.steps.click')}</a>`
      : t('overview.steps.click'),
  ]
  return renderPanel(
    'steps',
    t('overview.steps.title'),
    html`<ol class="first-steps">${steps.map((step, index) => html`<li${link && index === 0 ? html` class="done"` : null}>${step}</li>`)}</ol>`,
  )
}

/** Renders the API key of a new user. It is shown only once. */
function renderNewKey(key: string, baseUrl: string): SafeHtml {
  const command = `curl -H 'Authorization: Bearer ${key}' \\\n${baseUrl}/api/account`
  return html`<details class="panel new-key"><summary>${t('overview.key.title')}</summary>
<p class="soft">${t('registration.key.about')}</p>
<p>${renderCopyable({ id: 'key', text: key })}</p>
<p>${t('registration.key.try')}</p>
<div class="inset"><pre><code>${command}</code></pre></div>
<p class="small"><a href="/console/keys">${t('overview.key.keys')}</a> · <a href="/docs">${t('registration.key.documentation')}</a></p>
</details>`
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

type ListedLink = NamedLink & { id: number; clicks: number }

function renderList(
  name: string,
  links: readonly ListedLink[],
  days: ReadonlyMap<number, readonly number[]> | undefined,
  empty: string,
): SafeHtml {
  if (links.length === 0) return html`<p class="soft">${empty}</p>`
  return html`<ul class="plain link-rows">${links.map(
    (link) =>
      html`<li>${renderLinkName(link, { href: `/console/links/${link.id}`, copyId: `${name}-${link.id}` })}
${renderSparkline(days?.get(link.id))}
<span class="count">${t('overview.clicks', { n: link.clicks })}</span></li>`,
  )}</ul>`
}

import { Registry } from '@prometheus-io/client'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import {
  findHealthProblems,
  type HealthFigures,
  type HealthProblem,
  isImporterFailing,
} from '../../../operator/health.ts'
import type { Snapshot } from '../../../process/metrics-messages.ts'
import { findText, memoizePerLanguage, type TextsIn, t, tHtml } from '../../../texts.ts'
import type { CountrySource } from '../../../visitors/country.ts'
import { formatDate } from '../../timestamp.ts'
import { withScript } from '../assets.ts'
import { renderPanel, renderRegion } from '../kit/parts.ts'
import { formatBytes, formatCount, formatSecond } from '../shell/format.ts'
import { defineAdminSubject } from './layout.ts'

type CacheCounts = { hits: number; misses: number }

type Figures = HealthFigures & {
  linkCache: CacheCounts
  domainCache: CacheCounts
  linksInMemory: number
  /** The start time of the oldest process that serves requests, in Unix seconds. */
  startedAt: number
  versions: Partial<Record<string, string | number>>
}

/** Values by the names of texts, or of programs. */
type Rows = Partial<
  Record<TextsIn<'admin.health.rows'> | 'Brevis' | 'Node.js' | 'PostgreSQL', string>
>
type Groups = Partial<Record<TextsIn<'admin.health.groups'>, Rows>>

const METRICS_PATH = '/metrics'

const percent = memoizePerLanguage(
  (language) =>
    new Intl.NumberFormat(language, {
      style: 'percent',
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    }),
)

/** Registers the health of the service, based on the metrics of `/metrics`: problems, then figures. */
export function registerHealthRoute(
  app: FastifyInstance,
  { clock, country }: HttpContext,
  collectMetrics: () => Promise<Snapshot[]>,
): void {
  const { page } = defineAdminSubject(app, '/console/operator/health')

  page('/health', 'viewer', async ({ session }) => {
    const figures = await readFigures(await collectMetrics())
    const problems = findHealthProblems(figures)
    const date = formatSecond(clock(), session.user.timeZone)
    return {
      title: t('admin.health.title'),
      body: () => html`<h1>${t('admin.health.title')}</h1>
<div id="health" data-live${withScript('live')}>
${problems.length === 0 ? html`<p class="inset told">${t('admin.health.noIssues')}</p>` : renderProblems(problems, figures)}
<div class="columns">${renderGroups(listGroups(figures, country.source()))}</div>
<p class="small soft">${tHtml('admin.health.updated', { date, path: html`<code>${METRICS_PATH}</code>` })}</p>
</div>
<p class="small soft" id="live-note" hidden>${t('admin.health.live')}</p>`,
    }
  })
}

/** Reads the figures from the current metrics. Missing metrics are NaN. */
async function readFigures(snapshots: Snapshot[]): Promise<Figures> {
  const metrics = await Registry.aggregate(snapshots).getMetricsAsJSON()
  const findValues = (name: string) =>
    metrics.find((metric) => metric.name === `brevis_${name}`)?.values ?? []
  const read = (name: string) => Number(findValues(name)[0]?.value ?? Number.NaN)
  const readError = (name: string) => String(findValues(name)[0]?.labels.error ?? '')
  const count = (cache: string, names: readonly string[]) =>
    names
      .flatMap((name) => findValues(`cache_${name}_total`))
      .reduce((sum, { labels, value }) => (labels.cache === cache ? sum + value : sum), 0)
  const readCache = (cache: string) => ({
    hits: count(cache, ['hits', 'store_hits']),
    misses: count(cache, ['misses']),
  })
  return {
    importerUp: read('importer_up'),
    importerFailing: read('importer_failing_seconds'),
    importerError: readError('importer_error_info'),
    lag: read('importer_lag_seconds'),
    waitingBytes: read('importer_waiting_bytes'),
    journalBytes: read('journal_bytes'),
    clicksJournalled: read('clicks_journalled_total'),
    clicksLost: read('clicks_lost_total'),
    storedLinks: read('link_store_links'),
    storeBuilding: read('link_store_building'),
    storeLag: read('link_store_lag_seconds'),
    databaseUp: read('database_up'),
    databaseResponseTime: read('database_answer_seconds'),
    databaseBytes: read('database_size_bytes'),
    connections: read('database_connections'),
    requestsWaiting: read('database_waiting'),
    diskFree: read('data_disk_free_bytes'),
    diskSize: read('data_disk_size_bytes'),
    mailWaiting: read('mail_waiting'),
    mailFailed: read('mail_failed'),
    mailError: readError('mail_error_info'),
    workers: read('workers'),
    workersExpected: read('workers_expected'),
    linkCache: readCache('links'),
    domainCache: readCache('domains'),
    linksInMemory: read('link_cache_entries'),
    startedAt: read('workers_start_time_seconds'),
    versions: findValues('build_info')[0]?.labels ?? {},
  }
}

function renderProblems(problems: readonly HealthProblem[], figures: Figures): SafeHtml {
  const notices = problems.map(
    (name) => html`<div class="notice"><strong>${describeProblem(name, figures)}</strong>
<p>${t(`admin.health.findings.${name}.remedy`)}</p></div>`,
  )
  return renderRegion(t('admin.health.issues'), 'problems', notices)
}

/** Returns the text of a problem with its figures. */
export function describeProblem(name: HealthProblem, figures: HealthFigures): string {
  const { clicksLost, mailFailed, mailError, importerError, workers, workersExpected } = figures
  const values = { clicksLost, mailFailed, mailError, importerError, workers, workersExpected }
  return t(`admin.health.findings.${name}.problem`, values)
}

function renderGroups(groups: Groups): SafeHtml[] {
  return Object.entries(groups).map(([id, rows]) =>
    renderPanel(
      id,
      t(`admin.health.groups.${id as keyof Groups}`),
      html`<dl class="facts">${Object.entries(rows).map(([name, value]) => html`<dt>${findText('admin.health.rows', name) ?? name}</dt><dd class="count">${value}</dd>`)}</dl>`,
    ),
  )
}

function listGroups(figures: Figures, countries: CountrySource): Groups {
  const { lag, mailWaiting, databaseUp, versions, startedAt } = figures
  return {
    clicks: {
      importer: describeImporter(figures),
      lag: lag === 0 ? t('admin.health.none') : formatDuration(lag),
      pending: formatBytes(figures.waitingBytes),
      journal: formatBytes(figures.journalBytes),
      recorded: formatMetricCount(figures.clicksJournalled),
      lost: formatMetricCount(figures.clicksLost),
    },
    database: {
      state: databaseUp === 1 ? t('admin.health.answers') : t('admin.health.silent'),
      latency: formatDuration(figures.databaseResponseTime),
      size: formatBytes(figures.databaseBytes),
      connections: formatMetricCount(figures.connections),
      queued: formatMetricCount(figures.requestsWaiting),
    },
    store: {
      store: describeStore(figures),
      stored: formatMetricCount(figures.storedLinks),
      synced: describeStoreLag(figures),
    },
    memory: {
      diskFree: describePart(formatBytes(figures.diskFree), formatBytes(figures.diskSize)),
      cachedLinks: formatMetricCount(figures.linksInMemory),
      linkCache: formatRate(figures.linkCache),
      domainCache: formatRate(figures.domainCache),
    },
    // Without mail, there are no figures.
    ...(!Number.isNaN(mailWaiting) && {
      mail: {
        waiting: formatMetricCount(mailWaiting),
        failed: formatMetricCount(figures.mailFailed),
      },
    }),
    program: {
      Brevis: String(versions.version ?? ''),
      'Node.js': String(versions.node ?? ''),
      PostgreSQL: String(versions.postgresql || t('admin.health.notKnown')),
      workers: describePart(
        formatMetricCount(figures.workers),
        formatMetricCount(figures.workersExpected),
      ),
      uptime: formatDuration(Math.max(1, Date.now() / 1000 - startedAt)),
      countries: describeCountries(countries),
    },
  }
}

function describeImporter(figures: Figures): string {
  const { importerUp, importerFailing } = figures
  if (isImporterFailing(figures))
    return t('admin.health.failingFor', { duration: formatDuration(importerFailing) })
  if (Number.isNaN(importerUp)) return t('admin.health.notKnown')
  return importerUp === 1 ? t('admin.health.works') : t('admin.health.fails')
}

/** Describes the link store. Its metric is NaN if there is no store. */
function describeStore({ storeBuilding }: Figures): string {
  if (Number.isNaN(storeBuilding)) return t('admin.health.stores.missing')
  return storeBuilding === 1 ? t('admin.health.stores.building') : t('admin.health.stores.complete')
}

function describeStoreLag({ storeLag }: Figures): string {
  const duration = formatDuration(storeLag)
  return storeLag >= 0 ? t('admin.health.ago', { duration }) : duration
}

function describeCountries({ bundled, builtAt }: CountrySource): string {
  const date = formatDate(builtAt)
  return t(bundled ? 'admin.health.bundled' : 'admin.health.configured', { date })
}

function describePart(part: string, all: string): string {
  return t('admin.health.of', { part, all })
}

/** Formats a duration in its one or two largest units, from milliseconds to days. NaN is unknown. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return t('admin.amounts.unknown')
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 60) return `${Math.floor(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds) % 60} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h ${minutes % 60} min`
  return `${t('admin.amounts.days', { n: Math.floor(hours / 24) })} ${hours % 24} h`
}

/** Formats a count. NaN is unknown. */
export function formatMetricCount(count: number): string {
  return Number.isFinite(count) ? formatCount(count) : t('admin.amounts.unknown')
}

/** Formats the hit rate of a cache. */
export function formatRate({ hits, misses }: CacheCounts): string {
  const lookups = hits + misses
  if (lookups === 0) return t('admin.amounts.noLookups')
  const rate = percent().format(hits / lookups)
  return t('admin.amounts.rate', { percent: rate, lookups: formatCount(lookups) })
}

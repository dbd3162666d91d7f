import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import {
  findHealthProblems,
  type HealthFigures,
  type HealthProblem,
  isImporterFailing,
} from '../../../../operator/health.ts'
import type { Snapshot } from '../../../../process/metrics-messages.ts'
import { t } from '../../../../texts.ts'
import type { CountrySource } from '../../../../visitors/country.ts'
import { formatDate } from '../../../timestamp.ts'
import { pageFor } from '../../kit/roles.ts'
import { formatSecond } from '../../shell/format-day.ts'
import { sendConsolePage } from '../../shell/send.ts'
import { formatBytes, formatDuration, formatMetricCount, formatRate } from './amounts.ts'
import { type PageFigures, readFigures } from './figures.ts'
import { type HealthGroup, renderHealthPage } from './page.ts'

/** Registers the page with the health of the service, based on the metrics of `/metrics`. */
export function registerHealthRoute(
  app: FastifyInstance,
  { clock, country }: HttpContext,
  collectMetrics: () => Promise<Snapshot[]>,
): void {
  app.route({
    ...pageFor('viewer'),
    url: '/health',
    handler: async ({ session }, reply) => {
      const figures = await readFigures(await collectMetrics())
      const health = {
        findings: findHealthProblems(figures).map((name) => {
          return {
            problem: describeProblem(name, figures),
            remedy: t(`admin.health.findings.${name}.remedy`),
          }
        }),
        groups: createGroups(figures, country.source()),
        updatedAt: formatSecond(clock(), session.user.timeZone),
      }
      return sendConsolePage(reply, (frame) => renderHealthPage(frame, health))
    },
  })
}

/** Returns the text of a problem with its figures. */
export function describeProblem(name: HealthProblem, figures: HealthFigures): string {
  const { clicksLost, mailFailed, mailError, importerError, workers, workersExpected } = figures
  return t(`admin.health.findings.${name}.problem`, {
    clicksLost,
    mailFailed,
    mailError,
    importerError,
    workers,
    workersExpected,
  })
}

function createGroups(figures: PageFigures, countries: CountrySource): HealthGroup[] {
  return [
    { id: 'clicks', rows: createClickRows(figures) },
    { id: 'database', rows: createDatabaseRows(figures) },
    { id: 'store', rows: createStoreRows(figures) },
    {
      id: 'memory',
      rows: [
        [
          t('admin.health.rows.diskFree'),
          t('admin.health.of', {
            part: formatBytes(figures.diskFree),
            all: formatBytes(figures.diskSize),
          }),
        ],
        [t('admin.health.rows.cachedLinks'), formatMetricCount(figures.linksInMemory)],
        ...figures.caches.map((cache) => [getCacheLabel(cache.name), formatRate(cache)] as const),
      ],
    },
    ...createMailGroups(figures),
    {
      id: 'program',
      rows: [
        ...createProgramRows(figures),
        [t('admin.health.rows.countries'), describeSource(countries)],
      ],
    },
  ]
}

function describeSource({ bundled, builtAt }: CountrySource): string {
  return t(bundled ? 'admin.health.bundled' : 'admin.health.configured', {
    date: formatDate(builtAt),
  })
}

function getCacheLabel(name: 'links' | 'domains'): string {
  return name === 'links' ? t('admin.health.rows.linkCache') : t('admin.health.rows.domainCache')
}

function createClickRows(figures: PageFigures): HealthGroup['rows'] {
  const { lag, waitingBytes, journalBytes, clicksJournalled, clicksLost } = figures
  return [
    [t('admin.health.rows.importer'), describeImporter(figures)],
    [t('admin.health.rows.lag'), lag === 0 ? t('admin.health.none') : formatDuration(lag)],
    [t('admin.health.rows.pending'), formatBytes(waitingBytes)],
    [t('admin.health.rows.journal'), formatBytes(journalBytes)],
    [t('admin.health.rows.recorded'), formatMetricCount(clicksJournalled)],
    [t('admin.health.rows.lost'), formatMetricCount(clicksLost)],
  ]
}

function describeImporter(figures: PageFigures): string {
  const { importerUp, importerFailing } = figures
  if (isImporterFailing(figures))
    return t('admin.health.failingFor', { duration: formatDuration(importerFailing) })
  if (Number.isNaN(importerUp)) return t('admin.health.notKnown')
  return importerUp === 1 ? t('admin.health.works') : t('admin.health.fails')
}

function createDatabaseRows(figures: PageFigures): HealthGroup['rows'] {
  const { databaseUp, databaseResponseTime, databaseBytes, connections, requestsWaiting } = figures
  return [
    [
      t('admin.health.rows.state'),
      databaseUp === 1 ? t('admin.health.answers') : t('admin.health.silent'),
    ],
    [t('admin.health.rows.latency'), formatDuration(databaseResponseTime)],
    [t('admin.health.rows.size'), formatBytes(databaseBytes)],
    [t('admin.health.rows.connections'), formatMetricCount(connections)],
    [t('admin.health.rows.queued'), formatMetricCount(requestsWaiting)],
  ]
}

function createMailGroups({ mailWaiting, mailFailed }: PageFigures): HealthGroup[] {
  if (Number.isNaN(mailWaiting)) return []
  const rows = [
    [t('admin.health.rows.waiting'), formatMetricCount(mailWaiting)],
    [t('admin.health.rows.failed'), formatMetricCount(mailFailed)],
  ] as const
  return [{ id: 'mail', rows }]
}

function createStoreRows({
  storedLinks,
  storeBuilding,
  storeLag,
}: PageFigures): HealthGroup['rows'] {
  return [
    [t('admin.health.rows.store'), describeStore(storeBuilding)],
    [t('admin.health.rows.stored'), formatMetricCount(storedLinks)],
    [
      t('admin.health.rows.synced'),
      storeLag >= 0
        ? t('admin.health.ago', { duration: formatDuration(storeLag) })
        : formatDuration(storeLag),
    ],
  ]
}

/** Describes the link store. Its metric is NaN if there is no store. */
function describeStore(storeBuilding: number): string {
  if (Number.isNaN(storeBuilding)) return t('admin.health.stores.missing')
  return storeBuilding === 1 ? t('admin.health.stores.building') : t('admin.health.stores.complete')
}

function createProgramRows({
  versions,
  workers,
  workersExpected,
  startedAt,
}: PageFigures): HealthGroup['rows'] {
  const { version, node, postgresql } = versions
  return [
    ['Brevis', version],
    ['Node.js', node],
    ['PostgreSQL', postgresql || t('admin.health.notKnown')],
    [
      t('admin.health.rows.workers'),
      t('admin.health.of', {
        part: formatMetricCount(workers),
        all: formatMetricCount(workersExpected),
      }),
    ],
    [t('admin.health.rows.uptime'), formatDuration(Math.max(1, Date.now() / 1000 - startedAt))],
  ]
}

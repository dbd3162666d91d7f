import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import { findHealthProblems, isImporterFailing } from '../../../../operator/health.ts'
import type { Snapshot } from '../../../../process/metrics-messages.ts'
import type { CountrySource } from '../../../../visitors/country.ts'
import { pageRoute } from '../../../html/page-route.ts'
import { formatDate } from '../../../timestamp.ts'
import { formatSecond } from '../../shell/format-day.ts'
import { sendConsolePage } from '../../shell/send.ts'
import { formatBytes, formatDuration, formatMetricCount, formatRate } from './amounts.ts'
import { type PageFigures, readFigures } from './figures.ts'
import { healthMessages as messages } from './messages.ts'
import { type HealthGroup, renderHealthPage } from './page.ts'

const { rows: names } = messages

/** Registers the page with the health of the service, based on the metrics of `/metrics`. */
export function registerHealthRoute(
  app: FastifyInstance,
  { clock, country }: HttpContext,
  collectMetrics: () => Promise<Snapshot[]>,
): void {
  app.route({
    ...pageRoute,
    url: '/health',
    handler: async ({ session }, reply) => {
      const figures = await readFigures(await collectMetrics())
      const health = {
        findings: findHealthProblems(figures).map((name) => {
          const { problem, remedy } = messages.findings[name]
          return { problem: problem(figures), remedy }
        }),
        groups: createGroups(figures, country.source()),
        updatedAt: formatSecond(clock(), session.user.timeZone),
      }
      return sendConsolePage(reply, (frame) => renderHealthPage(frame, health))
    },
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
        [names.diskFree, messages.of(formatBytes(figures.diskFree), formatBytes(figures.diskSize))],
        [names.cachedLinks, formatMetricCount(figures.linksInMemory)],
        ...figures.caches.map((cache) => [getCacheLabel(cache.name), formatRate(cache)] as const),
      ],
    },
    ...createMailGroups(figures),
    {
      id: 'program',
      rows: [...createProgramRows(figures), [names.countries, describeSource(countries)]],
    },
  ]
}

function describeSource({ bundled, builtAt }: CountrySource): string {
  return (bundled ? messages.bundled : messages.configured)(formatDate(builtAt))
}

function getCacheLabel(name: 'links' | 'domains'): string {
  return name === 'links' ? names.linkCache : names.domainCache
}

function createClickRows(figures: PageFigures): HealthGroup['rows'] {
  const { lag, waitingBytes, journalBytes, clicksJournalled, clicksLost } = figures
  return [
    [names.importer, describeImporter(figures)],
    [names.lag, lag === 0 ? messages.none : formatDuration(lag)],
    [names.pending, formatBytes(waitingBytes)],
    [names.journal, formatBytes(journalBytes)],
    [names.recorded, formatMetricCount(clicksJournalled)],
    [names.lost, formatMetricCount(clicksLost)],
  ]
}

function describeImporter(figures: PageFigures): string {
  const { importerUp, importerFailing } = figures
  if (isImporterFailing(figures)) return messages.failingFor(formatDuration(importerFailing))
  if (Number.isNaN(importerUp)) return messages.notKnown
  return importerUp === 1 ? messages.works : messages.fails
}

function createDatabaseRows(figures: PageFigures): HealthGroup['rows'] {
  const { databaseUp, databaseResponseTime, databaseBytes, connections, requestsWaiting } = figures
  return [
    [names.state, databaseUp === 1 ? messages.answers : messages.silent],
    [names.latency, formatDuration(databaseResponseTime)],
    [names.size, formatBytes(databaseBytes)],
    [names.connections, formatMetricCount(connections)],
    [names.queued, formatMetricCount(requestsWaiting)],
  ]
}

function createMailGroups({ mailWaiting, mailFailed }: PageFigures): HealthGroup[] {
  if (Number.isNaN(mailWaiting)) return []
  const rows = [
    [names.waiting, formatMetricCount(mailWaiting)],
    [names.failed, formatMetricCount(mailFailed)],
  ] as const
  return [{ id: 'mail', rows }]
}

function createStoreRows({
  storedLinks,
  storeBuilding,
  storeLag,
}: PageFigures): HealthGroup['rows'] {
  return [
    [names.store, describeStore(storeBuilding)],
    [names.stored, formatMetricCount(storedLinks)],
    [
      names.synced,
      storeLag >= 0 ? messages.ago(formatDuration(storeLag)) : formatDuration(storeLag),
    ],
  ]
}

/** Describes the link store. Its metric is NaN if there is no store. */
function describeStore(storeBuilding: number): string {
  const { building, complete, missing } = messages.stores
  if (Number.isNaN(storeBuilding)) return missing
  return storeBuilding === 1 ? building : complete
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
    ['PostgreSQL', postgresql || messages.notKnown],
    [names.workers, messages.of(formatMetricCount(workers), formatMetricCount(workersExpected))],
    [names.uptime, formatDuration(Math.max(1, Date.now() / 1000 - startedAt))],
  ]
}

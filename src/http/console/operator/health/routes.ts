import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import { findHealthProblems, isImporterFailing } from '../../../../operator/health.ts'
import type { Snapshot } from '../../../../process/metrics-messages.ts'
import type { CountrySource } from '../../../../visitors/country.ts'
import { pageRoute } from '../../../html/page-route.ts'
import { formatDate } from '../../../timestamp.ts'
import { formatSecond } from '../../shell/format-day.ts'
import { sendConsole } from '../../shell/send.ts'
import { countText, formatBytes, formatDuration, formatRate } from './amounts.ts'
import { type ReadFigures, readFigures } from './figures.ts'
import { healthMessages as messages } from './messages.ts'
import { type HealthGroup, renderHealthPage } from './page.ts'

const { rows: names } = messages

/** Shows the health of the service, based on the metrics of `/metrics`. */
export function healthRoute(
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
        at: formatSecond(clock(), session.user.timeZone),
      }
      return sendConsole(reply, (frame) => renderHealthPage(frame, health))
    },
  })
}

function createGroups(figures: ReadFigures, countries: CountrySource): HealthGroup[] {
  return [
    { id: 'clicks', rows: createClickRows(figures) },
    { id: 'database', rows: createDatabaseRows(figures) },
    { id: 'store', rows: storeRows(figures) },
    {
      id: 'memory',
      rows: [
        [names.diskFree, messages.of(formatBytes(figures.diskFree), formatBytes(figures.diskSize))],
        [names.cachedLinks, countText(figures.linksInMemory)],
        ...figures.caches.map((cache) => [cacheName(cache.name), formatRate(cache)] as const),
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

function cacheName(name: 'links' | 'domains'): string {
  return name === 'links' ? names.linkCache : names.domainCache
}

function createClickRows(figures: ReadFigures): HealthGroup['rows'] {
  const { importerUp, lag, waitingBytes, journalBytes, clicksJournalled, clicksLost } = figures
  const state = isImporterFailing(figures)
    ? messages.failingFor(formatDuration(figures.importerFailing))
    : importerUp === 1
      ? messages.works
      : importerUp === 0
        ? messages.fails
        : messages.notKnown
  return [
    [names.importer, state],
    [names.lag, lag === 0 ? messages.none : formatDuration(lag)],
    [names.pending, formatBytes(waitingBytes)],
    [names.journal, formatBytes(journalBytes)],
    [names.recorded, countText(clicksJournalled)],
    [names.lost, countText(clicksLost)],
  ]
}

function createDatabaseRows(figures: ReadFigures): HealthGroup['rows'] {
  const { databaseUp, databaseResponseTime, databaseBytes, connections, requestsWaiting } = figures
  return [
    [names.state, databaseUp === 1 ? messages.answers : messages.silent],
    [names.latency, formatDuration(databaseResponseTime)],
    [names.size, formatBytes(databaseBytes)],
    [names.connections, countText(connections)],
    [names.queued, countText(requestsWaiting)],
  ]
}

function createMailGroups({ mailWaiting, mailFailed }: ReadFigures): HealthGroup[] {
  if (Number.isNaN(mailWaiting)) return []
  const rows = [
    [names.waiting, countText(mailWaiting)],
    [names.failed, countText(mailFailed)],
  ] as const
  return [{ id: 'mail', rows }]
}

function storeRows({ storedLinks, storeBuilding, storeLag }: ReadFigures): HealthGroup['rows'] {
  const { building, complete, missing } = messages.stores
  const state = storeBuilding === 1 ? building : storeBuilding === 0 ? complete : missing
  return [
    [names.store, state],
    [names.stored, countText(storedLinks)],
    [
      names.synced,
      storeLag >= 0 ? messages.ago(formatDuration(storeLag)) : formatDuration(storeLag),
    ],
  ]
}

function createProgramRows({
  versions,
  workers,
  workersExpected,
  startedAt,
}: ReadFigures): HealthGroup['rows'] {
  const { version, node, postgresql } = versions
  return [
    ['Brevis', version],
    ['Node.js', node],
    ['PostgreSQL', postgresql || messages.notKnown],
    [names.workers, messages.of(countText(workers), countText(workersExpected))],
    [names.uptime, formatDuration(Math.max(1, Date.now() / 1000 - startedAt))],
  ]
}

import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { isImporterFailing, judgeHealth } from '../../../operator/health.ts'
import type { Snapshot } from '../../../process/metrics-messages.ts'
import type { CountrySource } from '../../../visitors/country.ts'
import { pageRoute } from '../../html/page-route.ts'
import { formatDate } from '../../timestamp.ts'
import { sendConsole } from '../send.ts'
import { formatSecond } from '../shell/format-day.ts'
import { bytesText, countText, durationText, rateText } from './amounts.ts'
import { type ReadFigures, readFigures } from './health-figures.ts'
import { type HealthGroup, healthPage } from './health-page.ts'

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
        findings: judgeHealth(figures),
        groups: groupsOf(figures, country.source()),
        at: formatSecond(clock(), session.user.timeZone),
      }
      return sendConsole(reply, (frame) => healthPage(frame, health))
    },
  })
}

function groupsOf(figures: ReadFigures, countries: CountrySource): HealthGroup[] {
  return [
    { name: 'Clicks', rows: clickRows(figures) },
    { name: 'Database', rows: databaseRows(figures) },
    { name: 'Link store', rows: storeRows(figures) },
    {
      name: 'Memory and disk',
      rows: [
        ['Free disk space', `${bytesText(figures.diskFree)} of ${bytesText(figures.diskSize)}`],
        ['Cached links', countText(figures.linksInMemory)],
        ...figures.caches.map((cache) => [cacheNames[cache.name], rateText(cache)] as const),
      ],
    },
    ...mailGroups(figures),
    { name: 'Program', rows: [...programRows(figures), ['Country data', sourceText(countries)]] },
  ]
}

function sourceText({ bundled, builtAt }: CountrySource): string {
  return `${bundled ? 'bundled' : 'GEOIP_DB'}, built ${formatDate(builtAt)}`
}

const cacheNames = {
  links: 'Link cache hit rate',
  domains: 'Domain cache hit rate',
} as const

function clickRows(figures: ReadFigures): HealthGroup['rows'] {
  const { importerUp, lag, waitingBytes, journalBytes, clicksJournalled, clicksLost } = figures
  const state = isImporterFailing(figures)
    ? `failing for ${durationText(figures.importerFailing)}`
    : importerUp === 1
      ? 'works'
      : importerUp === 0
        ? 'does not work'
        : 'not known now'
  return [
    ['Importer', state],
    ['Lag', lag === 0 ? 'None' : durationText(lag)],
    ['Pending', bytesText(waitingBytes)],
    ['Journal', bytesText(journalBytes)],
    ['Recorded since start', countText(clicksJournalled)],
    ['Lost since start', countText(clicksLost)],
  ]
}

function databaseRows(figures: ReadFigures): HealthGroup['rows'] {
  const { databaseUp, databaseAnswer, databaseBytes, connections, requestsWaiting } = figures
  return [
    ['State', databaseUp === 1 ? 'answers' : 'does not answer'],
    ['Latency', durationText(databaseAnswer)],
    ['Size', bytesText(databaseBytes)],
    ['Connections', countText(connections)],
    ['Queued queries', countText(requestsWaiting)],
  ]
}

function mailGroups({ mailWaiting, mailFailed }: ReadFigures): HealthGroup[] {
  if (Number.isNaN(mailWaiting)) return []
  const rows = [
    ['Waiting', countText(mailWaiting)],
    ['Failed in the last week', countText(mailFailed)],
  ] as const
  return [{ name: 'Email', rows }]
}

function storeRows({ storedLinks, storeBuilding, storeLag }: ReadFigures): HealthGroup['rows'] {
  const state = storeBuilding === 1 ? 'building' : storeBuilding === 0 ? 'complete' : 'missing'
  return [
    ['Link store', state],
    ['Links stored', countText(storedLinks)],
    ['Last in sync', storeLag >= 0 ? `${durationText(storeLag)} ago` : durationText(storeLag)],
  ]
}

function programRows({
  versions,
  workers,
  workersExpected,
  startedAt,
}: ReadFigures): HealthGroup['rows'] {
  const { version, node, postgresql } = versions
  return [
    ['Brevis', version],
    ['Node.js', node],
    ['PostgreSQL', postgresql || 'not known now'],
    ['Workers', `${countText(workers)} of ${countText(workersExpected)}`],
    ['Uptime', durationText(Math.max(1, Date.now() / 1000 - startedAt))],
  ]
}

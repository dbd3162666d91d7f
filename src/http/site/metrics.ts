import { readdir, stat } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { countDamagedSegments, KEPT_FOLDER } from '../../clicks/read.ts'
import type { HttpContext } from '../../context.ts'
import type { Snapshot } from '../../process/metrics-messages.ts'
import { toHistogram } from '../../process/share-metrics.ts'
import { sendErrorPage } from '../html/error-page.ts'
import { sendNotFound } from '../html/not-found.ts'
import { createRangeMatcher } from '../request/address-ranges.ts'
import { preventSniffing } from '../response-headers.ts'

/**
 * Matches headers that proxies and CDNs add to forwarded requests: the standard ones (RFC 7239, RFC
 * 9110, RFC 8586), all variants of the client's IP address, such as `CF-Connecting-IP`,
 * `True-Client-IP` and `CloudFront-Viewer-Address`, and any `X-` header, such as `X-Varnish`, except
 * those of Prometheus.
 */
const FORWARDING_HEADER =
  /^(?:(?:.*-)?forwarded(?:-.*)?|x-(?!prometheus-).*|via|cdn-.*|cf-.*|(?:fastly|akamai|cloudfront|incap|ali|surrogate|front-end)-.*|.*(?:client|connecting|connection|real|remote|originating|cluster|external|user|peer|socket|viewer|source|src)-?(?:ip(?:v[46])?|addr|address))$/

let registry: Registry | undefined

/**
 * Creates the function that reads the metrics of this process. Most values are read only when metrics are
 * requested, so that visits stay fast.
 */
export function createMetrics({
  config,
  hosts,
  journal,
  visitLinks,
  database,
  counters,
}: HttpContext): () => Promise<Snapshot> {
  const registry = new Registry()
  const registers = [registry]
  new Counter({
    name: 'brevis_visits_total',
    help: 'Visits to short links by outcome',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(counters.visits)) this.inc({ outcome }, count)
    },
  })
  new Counter({
    name: 'brevis_api_replies_total',
    help: 'API replies by status',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset()
      for (const [status, count] of counters.apiReplies) this.inc({ status: String(status) }, count)
    },
  })
  registerCounter(
    'brevis_clicks_journalled_total',
    'Clicks written to the journal',
    () => journal.stats().written,
  )
  registerCounter(
    'brevis_clicks_lost_total',
    'Clicks that could not be written',
    () => journal.stats().lost,
  )
  registerGauge(
    'brevis_journal_bytes',
    'Size of the click journal in bytes',
    () => measureSegments(config.journalDir),
    // All processes report the same folder, so their values are not added.
    'max',
  )
  registerGauge(
    'brevis_journal_kept_bytes',
    'Size of the imported files of the click journal that are kept in bytes',
    () => measureSegments(join(config.journalDir, KEPT_FOLDER)),
    'max',
  )
  registerGauge(
    'brevis_journal_damaged_files',
    'Files of the click journal with damage, which are set aside',
    () => countDamagedSegments(config.journalDir),
    'max',
  )
  registerGauge('brevis_link_cache_entries', 'Links in memory', () => visitLinks.cache.size)
  const caches = { links: visitLinks.cache, domains: hosts.cache }
  const lookupMetrics = [
    ['brevis_cache_hits_total', 'hits', 'Lookups served from memory, by cache'],
    ['brevis_cache_store_hits_total', 'storeHits', 'Lookups served from the link store, by cache'],
    ['brevis_cache_misses_total', 'misses', 'Lookups that queried the database, by cache'],
  ] as const
  for (const [name, outcome, help] of lookupMetrics) {
    new Counter({
      name,
      help,
      labelNames: ['cache'],
      registers,
      collect() {
        this.reset()
        for (const [cache, { lookups }] of Object.entries(caches)) {
          this.inc({ cache }, lookups()[outcome])
        }
      },
    })
  }
  registerGauge('brevis_workers', 'Processes that serve requests', () => 1)
  registerGauge(
    'brevis_workers_start_time_seconds',
    'Start time of the oldest serving process in Unix seconds',
    () => Math.round(Date.now() / 1000 - process.uptime()),
    'min',
  )
  registerGauge(
    'brevis_database_connections',
    'Connections to the database',
    () => database.pool.totalCount,
  )
  registerGauge(
    'brevis_database_waiting',
    'Requests waiting for a connection',
    () => database.pool.waitingCount,
  )
  registerGauge(
    'brevis_connections',
    'Open connections of clients',
    () => counters.connections.open,
  )
  new Counter({
    name: 'brevis_connections_rejected_total',
    help: 'Connections closed because of the limit per address, or the limit of all connections',
    labelNames: ['limit'],
    registers,
    collect() {
      this.reset()
      for (const [limit, count] of Object.entries(counters.connections.rejected))
        this.inc({ limit }, count)
    },
  })
  const merged = Registry.merge([getProcessMetrics(), registry])
  return async () => [
    ...(await merged.getMetricsAsJSON()),
    toHistogram(
      {
        name: 'brevis_visit_duration_seconds',
        help: 'Time from the arrival of a visit to its reply',
      },
      [[{}, counters.visitDurations]],
    ),
    toHistogram(
      {
        name: 'brevis_api_duration_seconds',
        help: 'Time from the arrival of an API call to the end of its reply',
      },
      [...counters.apiDurations].map(([method, durations]) => [{ method }, durations]),
    ),
  ]

  function registerCounter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  }

  function registerGauge(
    name: string,
    help: string,
    read: () => number | Promise<number>,
    aggregator: 'sum' | 'max' | 'min' = 'sum',
  ): void {
    new Gauge({
      name,
      help,
      aggregator,
      registers,
      async collect() {
        this.set(await read())
      },
    })
  }
}

/**
 * Takes a function that reads the metrics of this process. Returns a function that collects the
 * metrics of all processes.
 */
export type ShareMetrics = (read: () => Promise<Snapshot>) => () => Promise<Snapshot[]>

const LOOPBACK = ['127.0.0.0/8', '::1/128']

/**
 * Creates the plugin for `/metrics`, which reports all processes together. Only this machine and
 * the IP addresses in `METRICS_ALLOW` have access. Others, and requests to branded domains, receive
 * 404.
 */
export function createMetricsRoute(ctx: HttpContext, collect: () => Promise<Snapshot[]>) {
  const { config, hosts } = ctx
  const isAllowedAddress = createRangeMatcher([...LOOPBACK, ...config.metricsAllow])
  const isTrustedProxy = createRangeMatcher(config.trustProxy)

  /**
   * Returns whether a client has access. A forwarded request must come from a trusted proxy that
   * sends the client's IP address in `X-Forwarded-For`.
   */
  function isPermitted({ headers, ip, socket }: FastifyRequest): boolean {
    if (!hosts.isMachine(headers.host ?? '') || !isAllowedAddress(ip)) return false
    const isClientKnown = isTrustedProxy(socket.remoteAddress ?? '') && 'x-forwarded-for' in headers
    return isClientKnown || !isForwarded(headers)
  }

  return async function plugin(app: FastifyInstance): Promise<void> {
    preventSniffing(app)
    app.setErrorHandler((error, request, reply) => sendErrorPage(ctx, error, request, reply))
    app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
      if (!isPermitted(request)) {
        return sendNotFound(ctx, reply, await hosts.resolve(request.headers.host ?? ''))
      }
      const registry = Registry.aggregate(await collect())
      reply.type(registry.contentType).header('cache-control', 'no-store')
      return registry.metrics()
    })
  }
}

async function measureSegments(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const segments = names.filter((name) => name.endsWith('.clicks'))
  const sizes = await Promise.all(
    segments.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/**
 * Returns the default metrics of the Prometheus client: memory, garbage collection, event loop delay. They
 * are created only once per process, because their timers and observers are never removed.
 */
function getProcessMetrics(): Registry {
  if (registry) return registry
  registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

/** Returns whether a request was forwarded by any proxy, trusted or not. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => FORWARDING_HEADER.test(name))
}

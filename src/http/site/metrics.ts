import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../../services.ts'
import { noSniffing } from '../no-sniffing.ts'

/**
 * What this process counts, in the text format of Prometheus. The numbers are kept by those who know
 * them and read here only when somebody asks, so that nothing is paid for them on a visit.
 */
export function createMetrics({
  config,
  journal,
  visitLinks,
  database,
  counters,
}: Services): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  new Counter({
    name: 'brevis_visits_total',
    help: 'Visits of short links by what they ended in',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(counters.visits)) this.inc({ outcome }, count)
    },
  })
  new Counter({
    name: 'brevis_api_replies_total',
    help: 'Replies of the two APIs by status',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset()
      for (const [status, count] of counters.apiReplies) this.inc({ status: String(status) }, count)
    },
  })
  counter(
    'brevis_clicks_journalled_total',
    'Clicks written to the journal',
    () => journal.stats().written,
  )
  counter(
    'brevis_clicks_lost_total',
    'Clicks that could not be written',
    () => journal.stats().lost,
  )
  gauge('brevis_journal_bytes', 'Bytes of the journal that are not imported and deleted yet', () =>
    sizeOf(config.journalDir),
  )
  gauge('brevis_link_cache_entries', 'Links in memory', () => visitLinks.cache.size)
  gauge(
    'brevis_database_connections',
    'Connections to the database',
    () => database.pool.totalCount,
  )
  gauge(
    'brevis_database_waiting',
    'Requests waiting for a connection',
    () => database.pool.waitingCount,
  )
  return registry

  function counter(name: string, help: string, read: () => number): void {
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

  function gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read())
      },
    })
  }
}

export function metricsRoute(registry: Registry) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    noSniffing(app)
    app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
      reply.type(registry.contentType)
      return registry.metrics()
    })
  }
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

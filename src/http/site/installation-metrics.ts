import { Gauge, Registry } from '@prometheus-io/client'
import type { HttpContext } from '../../context.ts'
import { readInstallation } from '../../operator/installation.ts'
import type { Snapshot } from '../../process/metrics-messages.ts'
import { version } from '../../version.ts'

/**
 * Creates the function that reads the metrics of the whole installation. They are the same in every
 * process, so only the process that handles the request reads them. Unknown values are NaN.
 */
export function createInstallationMetrics(ctx: HttpContext): () => Promise<Snapshot> {
  const { config } = ctx
  const registry = new Registry()
  const registers = [registry]
  const createGauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const importerUp = createGauge(
    'brevis_importer_up',
    'Whether clicks are imported from the journal of this machine',
  )
  const importerLag = createGauge(
    'brevis_importer_lag_seconds',
    'Age of the oldest click that is not yet in the database',
  )
  const importerWaiting = createGauge(
    'brevis_importer_waiting_bytes',
    'Bytes of clicks waiting to be imported',
  )
  const importerFailing = createGauge(
    'brevis_importer_failing_seconds',
    'Time since imports from the journal of this machine started to fail; 0 if the last one succeeded',
  )
  const importerError = new Gauge({
    name: 'brevis_importer_error_info',
    help: 'The error of the last import from the journal of this machine; absent if it succeeded',
    labelNames: ['error'],
    registers,
  })
  const storedLinks = createGauge(
    'brevis_link_store_links',
    'Links in the link store of this machine',
  )
  const storeBuilding = createGauge(
    'brevis_link_store_building',
    'Whether the link store is still being built',
  )
  const storeLag = createGauge(
    'brevis_link_store_lag_seconds',
    'Time since the link store was last up to date',
  )
  const brokenLinks = createGauge(
    'brevis_links_broken',
    'Links with destinations that do not work; NaN if the link check is disabled',
  )
  const databaseUp = createGauge('brevis_database_up', 'Whether the database responds')
  const databaseResponseTime = createGauge(
    'brevis_database_answer_seconds',
    'Response time of the database',
  )
  const databaseSize = createGauge('brevis_database_size_bytes', 'Size of the database in bytes')
  const diskFree = createGauge(
    'brevis_data_disk_free_bytes',
    'Free bytes on the disk of the data folder',
  )
  const diskSize = createGauge(
    'brevis_data_disk_size_bytes',
    'Size of the disk of the data folder in bytes',
  )
  const mailWaiting = createGauge('brevis_mail_waiting', 'Emails that are queued or being sent')
  const mailFailed = createGauge(
    'brevis_mail_failed',
    'Emails that could not be delivered in the last week',
  )
  const mailError = new Gauge({
    name: 'brevis_mail_error_info',
    help: 'The last delivery error of an email; absent if there is none',
    labelNames: ['error'],
    registers,
  })
  const createQueueGauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['queue'], registers })
  const queueWaiting = createQueueGauge('brevis_queue_waiting', 'Entries of a queue')
  const queueOldest = createQueueGauge(
    'brevis_queue_oldest_seconds',
    'Time for which the oldest due entry of a queue has been waiting; 0 if none is due',
  )
  const expectedWorkers = createGauge(
    'brevis_workers_expected',
    'Configured number of processes that serve requests',
  )
  const buildInfo = new Gauge({
    name: 'brevis_build_info',
    help: 'Versions of Brevis, Node.js and PostgreSQL',
    labelNames: ['version', 'node', 'postgresql'],
    registers,
  })

  return async function read(): Promise<Snapshot> {
    const status = await readInstallation(ctx, ctx.db)
    importerUp.set(status.importer ? Number(status.importer.isRunning) : Number.NaN)
    importerLag.set((status.importer?.lagMs ?? Number.NaN) / 1000)
    importerWaiting.set(status.importer?.waitingBytes ?? Number.NaN)
    importerFailing.set((status.importFailure?.durationMs ?? 0) / 1000)
    importerError.reset()
    if (status.importFailure) importerError.set({ error: status.importFailure.error }, 1)
    storedLinks.set(status.linkStore?.links ?? Number.NaN)
    storeBuilding.set(status.linkStore ? Number(status.linkStore.isBuilding) : Number.NaN)
    storeLag.set((status.linkStore?.lagMs ?? Number.NaN) / 1000)
    brokenLinks.set(status.brokenLinks ?? Number.NaN)
    databaseUp.set(status.database ? 1 : 0)
    databaseResponseTime.set((status.database?.responseMs ?? Number.NaN) / 1000)
    databaseSize.set(status.database?.bytes ?? Number.NaN)
    diskFree.set(status.disk?.free ?? Number.NaN)
    diskSize.set(status.disk?.size ?? Number.NaN)
    mailWaiting.set(status.mail?.waiting ?? Number.NaN)
    mailFailed.set(status.mail?.failed ?? Number.NaN)
    mailError.reset()
    if (status.mail?.lastError) mailError.set({ error: status.mail.lastError }, 1)
    for (const { queue, waiting, oldestSeconds } of status.queues) {
      queueWaiting.set({ queue }, waiting)
      queueOldest.set({ queue }, oldestSeconds)
    }
    expectedWorkers.set(config.workers)
    buildInfo.reset()
    const postgresql = status.database?.version ?? ''
    buildInfo.set({ version, node: process.versions.node, postgresql }, 1)
    return registry.getMetricsAsJSON()
  }
}

import { Gauge, Registry } from '@prometheus-io/client'
import type { HttpContext } from '../../context.ts'
import { readInstallation } from '../../operator/installation.ts'
import type { Snapshot } from '../../process/metrics-messages.ts'
import { version } from '../../version.ts'

/**
 * Creates the function that reads metrics of the whole installation, as opposed to those of each
 * process. Only the requested process reads them, because they are the same everywhere. Unknown
 * values are NaN.
 */
export function createInstallationMetrics(ctx: HttpContext): () => Promise<Snapshot> {
  const { config } = ctx
  const registry = new Registry()
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const importerUp = gauge(
    'brevis_importer_up',
    'Whether clicks are imported from the journal of this machine',
  )
  const lag = gauge(
    'brevis_importer_lag_seconds',
    'Age of the oldest click that is not in the database yet',
  )
  const waiting = gauge('brevis_importer_waiting_bytes', 'Bytes of clicks that wait to be imported')
  const failing = gauge(
    'brevis_importer_failing_seconds',
    'For how long every import from the journal of this machine has failed; 0 if the last one succeeded',
  )
  const failure = new Gauge({
    name: 'brevis_importer_error_info',
    help: 'The last error of imports that fail; absent if the last one succeeded',
    labelNames: ['error'],
    registers,
  })
  const storedLinks = gauge('brevis_link_store_links', 'Links in the link store of this machine')
  const building = gauge(
    'brevis_link_store_building',
    'Whether the link store is still being built',
  )
  const storeLag = gauge(
    'brevis_link_store_lag_seconds',
    'Time since the link store last had every change',
  )
  const brokenLinks = gauge(
    'brevis_links_broken',
    'Links whose destinations do not work; unknown unless links are checked',
  )
  const databaseUp = gauge('brevis_database_up', 'Whether the database answers')
  const answer = gauge(
    'brevis_database_answer_seconds',
    'Time that the database took to answer just now',
  )
  const size = gauge('brevis_database_size_bytes', 'Bytes of the database')
  const free = gauge(
    'brevis_data_disk_free_bytes',
    'Bytes that are free on the disk of the data folder',
  )
  const disk = gauge('brevis_data_disk_size_bytes', 'Bytes of the disk of the data folder')
  const mailWaiting = gauge('brevis_mail_waiting', 'Mails that wait to be sent or are being sent')
  const mailFailed = gauge('brevis_mail_failed', 'Mails given up within the last week')
  const mailFailure = new Gauge({
    name: 'brevis_mail_error_info',
    help: 'The last error of a mail that was not sent; absent if there is none',
    labelNames: ['error'],
    registers,
  })
  const expected = gauge('brevis_workers_expected', 'Processes that are to serve requests')
  const build = new Gauge({
    name: 'brevis_build_info',
    help: 'Versions of what runs',
    labelNames: ['version', 'node', 'postgresql'],
    registers,
  })

  return async function read(): Promise<Snapshot> {
    const facts = await readInstallation(ctx, ctx.db)
    importerUp.set(facts.importer ? Number(facts.importer.running) : Number.NaN)
    lag.set((facts.importer?.lag ?? Number.NaN) / 1000)
    waiting.set(facts.importer?.waiting ?? Number.NaN)
    failing.set((facts.importFailure?.lasts ?? 0) / 1000)
    failure.reset()
    if (facts.importFailure) failure.set({ error: facts.importFailure.error }, 1)
    storedLinks.set(facts.linkStore?.links ?? Number.NaN)
    building.set(facts.linkStore ? Number(facts.linkStore.isBuilding) : Number.NaN)
    storeLag.set((facts.linkStore?.lag ?? Number.NaN) / 1000)
    brokenLinks.set(facts.brokenLinks ?? Number.NaN)
    databaseUp.set(facts.database ? 1 : 0)
    answer.set((facts.database?.answeredIn ?? Number.NaN) / 1000)
    size.set(facts.database?.bytes ?? Number.NaN)
    free.set(facts.disk?.free ?? Number.NaN)
    disk.set(facts.disk?.size ?? Number.NaN)
    mailWaiting.set(facts.mail?.waiting ?? Number.NaN)
    mailFailed.set(facts.mail?.failed ?? Number.NaN)
    mailFailure.reset()
    if (facts.mail?.lastError) mailFailure.set({ error: facts.mail.lastError }, 1)
    expected.set(config.workers)
    build.reset()
    const postgresql = facts.database?.version ?? ''
    build.set({ version, node: process.versions.node, postgresql }, 1)
    return registry.getMetricsAsJSON()
  }
}

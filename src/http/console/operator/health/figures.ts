import { Registry } from '@prometheus-io/client'
import type { HealthFigures } from '../../../../operator/health.ts'
import type { Snapshot } from '../../../../process/metrics-messages.ts'

export type PageFigures = HealthFigures & {
  caches: readonly { name: 'links' | 'domains'; hits: number; misses: number }[]
  linksInMemory: number
  /** The start time of the oldest process that serves requests, in Unix seconds. */
  startedAt: number
  versions: { version: string; node: string; postgresql: string }
}

/** Reads the numbers on the page from the current metrics. Missing metrics are NaN. */
export async function readFigures(snapshots: Snapshot[]): Promise<PageFigures> {
  const metrics = await Registry.aggregate(snapshots).getMetricsAsJSON()
  const findValues = (name: string) => metrics.find((metric) => metric.name === name)?.values ?? []
  const readValue = (name: string) => Number(findValues(`brevis_${name}`)[0]?.value ?? Number.NaN)
  const readCacheValue = (name: string, cache: string) =>
    findValues(`brevis_cache_${name}_total`).find(({ labels }) => labels.cache === cache)?.value ??
    0
  const versions = findValues('brevis_build_info')[0]?.labels ?? {}
  return {
    importerUp: readValue('importer_up'),
    importerFailing: readValue('importer_failing_seconds'),
    importerError: String(findValues('brevis_importer_error_info')[0]?.labels.error ?? ''),
    lag: readValue('importer_lag_seconds'),
    waitingBytes: readValue('importer_waiting_bytes'),
    journalBytes: readValue('journal_bytes'),
    clicksJournalled: readValue('clicks_journalled_total'),
    clicksLost: readValue('clicks_lost_total'),
    storedLinks: readValue('link_store_links'),
    storeBuilding: readValue('link_store_building'),
    storeLag: readValue('link_store_lag_seconds'),
    databaseUp: readValue('database_up'),
    databaseResponseTime: readValue('database_answer_seconds'),
    databaseBytes: readValue('database_size_bytes'),
    connections: readValue('database_connections'),
    requestsWaiting: readValue('database_waiting'),
    diskFree: readValue('data_disk_free_bytes'),
    diskSize: readValue('data_disk_size_bytes'),
    mailWaiting: readValue('mail_waiting'),
    mailFailed: readValue('mail_failed'),
    mailError: String(findValues('brevis_mail_error_info')[0]?.labels.error ?? ''),
    workers: readValue('workers'),
    workersExpected: readValue('workers_expected'),
    caches: (['links', 'domains'] as const).map((name) => ({
      name,
      hits: readCacheValue('hits', name) + readCacheValue('store_hits', name),
      misses: readCacheValue('misses', name),
    })),
    linksInMemory: readValue('link_cache_entries'),
    startedAt: readValue('workers_start_time_seconds'),
    versions: {
      version: String(versions.version ?? ''),
      node: String(versions.node ?? ''),
      postgresql: String(versions.postgresql ?? ''),
    },
  }
}

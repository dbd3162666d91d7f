import { Registry } from '@prometheus-io/client'
import type { HealthFigures } from '../../../../operator/health.ts'
import type { Snapshot } from '../../../../process/metrics-messages.ts'

export type ReadFigures = HealthFigures & {
  caches: readonly { name: 'links' | 'domains'; hits: number; misses: number }[]
  linksInMemory: number
  /** In Unix seconds. */
  startedAt: number
  versions: { version: string; node: string; postgresql: string }
}

/** Reads the numbers on the page from the current metrics. */
export async function readFigures(snapshots: Snapshot[]): Promise<ReadFigures> {
  const metrics = await Registry.aggregate(snapshots).getMetricsAsJSON()
  const valuesOf = (name: string) => metrics.find((metric) => metric.name === name)?.values ?? []
  const value = (name: string) => Number(valuesOf(`brevis_${name}`)[0]?.value ?? Number.NaN)
  const ofCache = (name: string, cache: string) =>
    valuesOf(`brevis_cache_${name}_total`).find(({ labels }) => labels.cache === cache)?.value ?? 0
  const versions = valuesOf('brevis_build_info')[0]?.labels ?? {}
  return {
    importerUp: value('importer_up'),
    importerFailing: value('importer_failing_seconds'),
    importerError: String(valuesOf('brevis_importer_error_info')[0]?.labels.error ?? ''),
    lag: value('importer_lag_seconds'),
    waitingBytes: value('importer_waiting_bytes'),
    journalBytes: value('journal_bytes'),
    clicksJournalled: value('clicks_journalled_total'),
    clicksLost: value('clicks_lost_total'),
    storedLinks: value('link_store_links'),
    storeBuilding: value('link_store_building'),
    storeLag: value('link_store_lag_seconds'),
    databaseUp: value('database_up'),
    databaseAnswer: value('database_answer_seconds'),
    databaseBytes: value('database_size_bytes'),
    connections: value('database_connections'),
    requestsWaiting: value('database_waiting'),
    diskFree: value('data_disk_free_bytes'),
    diskSize: value('data_disk_size_bytes'),
    mailWaiting: value('mail_waiting'),
    mailFailed: value('mail_failed'),
    mailError: String(valuesOf('brevis_mail_error_info')[0]?.labels.error ?? ''),
    workers: value('workers'),
    workersExpected: value('workers_expected'),
    caches: (['links', 'domains'] as const).map((name) => ({
      name,
      hits: ofCache('hits', name) + ofCache('store_hits', name),
      misses: ofCache('misses', name),
    })),
    linksInMemory: value('link_cache_entries'),
    startedAt: value('workers_start_time_seconds'),
    versions: {
      version: String(versions.version ?? ''),
      node: String(versions.node ?? ''),
      postgresql: String(versions.postgresql ?? ''),
    },
  }
}

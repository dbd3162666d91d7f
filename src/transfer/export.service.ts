import { KIND, unpackCounts } from '../clicks/encoding/label-counts.ts'
import { findLabelNames } from '../clicks/statistics/statistics.queries.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, SNAPSHOT } from '../db/transaction.ts'
import { shortUrlOf } from '../links/short-url.ts'
import { domainOrigins, type ExportedLink, exportPage } from './export.queries.ts'
import { CSV_HEADER, csvLineOf } from './write/csv.ts'
import { jsonlLine } from './write/jsonl.ts'

export const FORMATS = ['jsonl', 'csv'] as const
export type Format = (typeof FORMATS)[number]

export type Exporting = ReturnType<typeof createExporting>

/** A part of the file, and how many links it has. */
export type ExportedPart = { text: string; links: number }

/** Links read together. Days of many labels make a link large, so fewer of those. */
const PAGE = { csv: 5000, jsonl: 2000 } as const
/** Kinds whose labels are numbers by themselves. */
const UNNAMED: readonly number[] = [KIND.device, KIND.language, KIND.social]

/** Writes an account's links out, page by page, so that their number does not matter. */
export function createExporting({ db, baseUrl }: { db: Db; baseUrl: string }) {
  /**
   * An account's links, the oldest first, as text that is read as it is asked for. Each page is of one
   * moment; what is made or deleted meanwhile may be in it or not.
   */
  return async function* exportLinks(
    accountId: number,
    format: Format,
  ): AsyncGenerator<ExportedPart, void> {
    const origins = await domainOrigins(db, accountId)
    const names = new Map<number, string>()
    const shortUrl = ({ host, alias }: ExportedLink) =>
      shortUrlOf((host && origins.get(host)) || baseUrl, alias)
    if (format === 'csv') yield { text: CSV_HEADER, links: 0 }
    for (let after = 0; ; ) {
      const links = await inTransaction(
        db,
        (tx) =>
          exportPage(tx, accountId, after, { size: PAGE[format], withDays: format === 'jsonl' }),
        SNAPSHOT,
      )
      const last = links.at(-1)
      if (!last) return
      after = last.id
      await learnNames(names, links)
      const nameOf = (label: number) => names.get(label) ?? 'Unknown'
      const lines = links.map((link) =>
        format === 'csv'
          ? csvLineOf(link, shortUrl(link))
          : jsonlLine(link, shortUrl(link), nameOf),
      )
      yield { text: lines.join(''), links: links.length }
    }
  }

  async function learnNames(names: Map<number, string>, links: readonly ExportedLink[]) {
    const unknown = new Set<number>()
    for (const { days } of links) {
      for (const { labels } of days) {
        for (const { kind, label } of labels ? unpackCounts(labels) : []) {
          if (!UNNAMED.includes(kind) && !names.has(label)) unknown.add(label)
        }
      }
    }
    for (const [label, name] of await findLabelNames(db, unknown)) names.set(label, name)
  }
}

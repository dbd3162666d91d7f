import type { LinkRecord, SourcePage } from '../record.ts'
import type { FetchJson } from './api.ts'
import { rowsOf } from './api-rows.ts'
import { type Fields, moment, number, optional, text } from './values.ts'

/** The maximum page size of the API. */
const PAGE = 50

/**
 * Yields the links of a Kutt account (API v2). A page is identified by its offset.
 * https://docs.kutt.it
 */
export async function* readKutt(
  fetchJson: FetchJson,
  start: string | null,
): AsyncGenerator<SourcePage> {
  for (let skip = Number(start ?? 0); ; ) {
    const { data } = await fetchJson(`/api/v2/links?limit=${PAGE}&skip=${skip}`)
    const entries = Array.isArray(data) ? data : []
    const rows = await rowsOf(entries, { firstRow: skip + 1, maxRows: PAGE }, toRecord)
    skip += rows.length
    yield { rows, next: String(skip) }
    if (entries.length < PAGE) return
  }
}

function toRecord(fields: Fields): LinkRecord {
  const alias = text(fields, 'address')
  // Without its password, the link would become public.
  if (fields.password === true) throw new Error(`${alias} has a password, which Kutt does not give`)
  return {
    alias,
    domain: optional(fields, 'domain', text),
    url: text(fields, 'target'),
    metaTitle: optional(fields, 'description', text),
    createdAt: optional(fields, 'created_at', moment),
    expiresAt: optional(fields, 'expire_in', moment),
    clicks: optional(fields, 'visit_count', number),
    disabled: fields.banned === true,
  }
}

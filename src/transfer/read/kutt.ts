import type { LinkRecord, SourcePage } from '../record.ts'
import { type FetchJson, isLastPage, readEntries, toRows } from './api.ts'
import { isSet } from './restriction.ts'
import {
  attempt,
  type Fields,
  invalidValue,
  readMoment,
  readNumber,
  readOptional,
  readText,
} from './values.ts'

/** The maximum page size of the API. */
const PAGE_SIZE = 50

/**
 * Yields the links of a Kutt account (API v2). A page is identified by its offset.
 * https://docs.kutt.it
 */
export async function* readKutt(
  fetchJson: FetchJson,
  start: string | null,
): AsyncGenerator<SourcePage> {
  for (let skip = Number(start ?? 0); ; ) {
    const page = await fetchJson(`/api/v2/links?limit=${PAGE_SIZE}&skip=${skip}`)
    const entries = readEntries(page, 'data')
    const rows = await toRows(
      entries,
      { firstRow: skip + 1, maxRows: PAGE_SIZE, fields: FIELDS, nameField: 'address' },
      toRecord,
    )
    skip += rows.length
    yield { rows, next: String(skip) }
    if (isLastPage({ requested: PAGE_SIZE, received: entries.length }, skip, page.total)) return
  }
}

const FIELDS: ReadonlySet<string> = new Set(
  'id address target domain link description created_at expire_in visit_count password banned'.split(
    ' ',
  ),
)

function toRecord(fields: Fields): LinkRecord {
  const notices: string[] = []
  const decoration = <Value>(name: string, read: (own: Fields, name: string) => Value) =>
    attempt(() => readOptional(fields, name, read), notices)
  const alias = readText(fields, 'address')
  // Without its password, the link would become public.
  if (isSet(fields.password)) throw invalidValue(alias, 'kutt_password')
  return {
    alias,
    domain: readOptional(fields, 'domain', readText),
    url: readText(fields, 'target'),
    metaTitle: decoration('description', readText),
    createdAt: decoration('created_at', readMoment),
    expiresAt: readOptional(fields, 'expire_in', readMoment),
    clicks: decoration('visit_count', readNumber),
    disabled: isSet(fields.banned),
    notices,
  }
}

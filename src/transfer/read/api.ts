import { isUtf8 } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GuardedFetch } from '../../net/guarded-fetch.ts'
import { OutboundError } from '../../net/outbound-error.ts'
import {
  type LinkRecord,
  type ReadLink,
  SourceBusyError,
  SourceError,
  type SourceRow,
} from '../record.ts'
import { rejectRestrictions } from './restriction.ts'
import { type Fields, isObject, readProblem } from './values.ts'

/** Requests a path from an API and returns the JSON object of its response. */
export type FetchJson = (path: string) => Promise<Fields>

type Options = {
  outbound: Pick<GuardedFetch, 'fetch'>
  account: number
  /** The URL of the service, possibly with a path. */
  base: string
  headers: Readonly<Record<string, string>>
  /** Cancels requests and pauses. */
  signal?: AbortSignal | undefined
  /**
   * The longest pause in seconds. If the source requests a longer one, SourceBusyError is thrown.
   */
  maxWaitSeconds?: number | undefined
}

/** The maximum size of a response. A page may be large. */
const MAX_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 30_000
const ATTEMPTS = 5
/** The default pause and the longest pause within a run, in seconds. */
const DEFAULT_PAUSE_SECONDS = 2
const MAX_PAUSE_SECONDS = 900

/**
 * Creates the function that requests paths from an API. It waits when the API limits the rate, and
 * retries when the API does not respond.
 *
 * It throws SourceError with the API's response, but never with the key; SourceBusyError if the API
 * requests a pause longer than `maxWaitSeconds`; and the signal's abort reason.
 */
export function createJsonClient({
  outbound,
  account,
  base,
  headers,
  signal,
  maxWaitSeconds = MAX_PAUSE_SECONDS,
}: Options): FetchJson {
  const origin = base.replace(/\/+$/, '')
  if (!/^https?:\/\//i.test(origin)) throw new SourceError('address')

  return async (path) => {
    for (let attempt = 1; ; attempt += 1) {
      const isLastAttempt = attempt === ATTEMPTS
      let waitSeconds = DEFAULT_PAUSE_SECONDS
      signal?.throwIfAborted()
      try {
        const limits = { redirects: 0, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS }
        const options = { account, ...limits, headers, signal }
        const { status, body, retryAfter } = await outbound.fetch(`${origin}${path}`, options)
        if (status === 200) return parse(body)
        if (status === 401 || status === 403) throw new SourceError('key_rejected')
        if (status !== 429 && status < 500) {
          throw new SourceError('responded_status', { status })
        }
        waitSeconds = parseRetryAfter(retryAfter) ?? DEFAULT_PAUSE_SECONDS * attempt
        if (isLastAttempt || waitSeconds > MAX_PAUSE_SECONDS) {
          throw new SourceError('responded_status_later', { status })
        }
        if (waitSeconds > maxWaitSeconds) throw new SourceBusyError(waitSeconds)
      } catch (error) {
        signal?.throwIfAborted()
        if (!(error instanceof OutboundError)) throw error
        const { reason } = error
        const isFinal = reason !== 'timeout' && reason !== 'unreachable'
        if (isLastAttempt || isFinal) throw new SourceError(`cannot_be_read_${reason}`)
      }
      await sleep(waitSeconds * 1000, undefined, { signal })
    }
  }
}

function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,6}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

/** Parses JSON. Some services return control characters, which JSON does not allow. */
function parse(body: Buffer): Fields {
  const text = isUtf8(body) ? body.toString('utf8') : ''
  for (const candidate of [text, text.replaceAll(/\p{Cc}/gu, ' ')]) {
    try {
      const value: unknown = JSON.parse(candidate)
      if (isObject(value)) return value
    } catch {}
  }
  throw new SourceError('not_json')
}

/** Reads a link, or one for each of its names. */
type Read = (fields: Fields) => LinkRecord | ReadLink[] | Promise<LinkRecord>

type Page = {
  firstRow: number
  maxRows: number
  /** The fields that `read` uses. An unknown one that restricts the link rejects it. */
  fields: ReadonlySet<string>
  /** The field with the name of the link, for errors. */
  nameField: string
}

/**
 * Returns a list of a response, which is null in some services if it is empty.
 *
 * @throws SourceError if there is none, such as in the response of another service
 */
export function readEntries(response: Fields, name: string): readonly unknown[] {
  const entries = response[name] === null ? [] : response[name]
  if (Array.isArray(entries)) return entries
  throw new SourceError('invalid_data')
}

/**
 * Returns whether a page is the last one. If the source says how many links it has, a page may have
 * fewer links than requested.
 */
export function isLastPage(
  page: { requested: number; received: number },
  read: number,
  total: unknown,
): boolean {
  if (page.received === 0) return true
  const count = typeof total === 'string' && /^\d{1,15}$/.test(total) ? Number(total) : total
  return typeof count === 'number' ? read >= count : page.received < page.requested
}

/**
 * Converts the entries of a page to rows. An invalid entry becomes a row with its error.
 *
 * @throws SourceError if there are more than `maxRows` entries, which is the number requested
 */
export async function toRows(
  entries: readonly unknown[],
  { firstRow, maxRows, fields, nameField }: Page,
  read: Read,
): Promise<SourceRow[]> {
  if (entries.length > maxRows) throw new SourceError('links_unrequested')
  const rows: SourceRow[] = []
  for (const [index, entry] of entries.entries()) {
    const row = firstRow + index
    if (!isObject(entry)) {
      rows.push({ row, size: 0, problem: { key: 'rowProblems.entry_not_object' } })
      continue
    }
    try {
      rejectRestrictions(entry, fields)
      const links = await read(entry)
      const all = Array.isArray(links) ? links : [{ record: links }]
      rows.push(...all.map((link) => ({ row, size: 0, ...link })))
    } catch (error) {
      // Invalid values are reported as plain errors. Other kinds, such as SourceError, end the
      // import.
      if (!(error instanceof Error) || error.name !== 'Error') throw error
      const name = entry[nameField]
      const alias = typeof name === 'string' ? { alias: name } : {}
      rows.push({ row, size: 0, problem: readProblem(error), ...alias })
    }
  }
  return rows
}

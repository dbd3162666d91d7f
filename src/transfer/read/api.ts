import { setTimeout as sleep } from 'node:timers/promises'
import type { GuardedFetch } from '../../net/guarded-fetch.ts'
import { OutboundError } from '../../net/outbound-error.ts'
import { SourceBusyError, SourceError } from '../record.ts'
import { type Fields, isObject } from './values.ts'

/** What asks an API for one path and gives the object that it answers. */
export type Ask = (path: string) => Promise<Fields>

type Options = {
  outbound: Pick<GuardedFetch, 'fetch'>
  account: number
  /** The address of the service, perhaps with a path. */
  base: string
  headers: Readonly<Record<string, string>>
  /** Ends the asking and the waiting. */
  signal?: AbortSignal | undefined
  /** Seconds to wait here at most; a source that wants a longer pause is SourceBusyError. */
  longestWait?: number | undefined
}

/** A page may be large, and slow to come. */
const MOST_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 30_000
const ATTEMPTS = 5
/** Seconds to wait where the source does not say, and at most: for longer, the import is run again. */
const PAUSE = 2
const LONGEST_PAUSE = 900

/**
 * Makes what asks an API, waiting where it says that it was asked too often, and trying again where it
 * does not answer.
 *
 * Asking throws SourceError, with what the API answered but never with the key, and what the signal
 * was aborted with.
 */
export function createAsk({
  outbound,
  account,
  base,
  headers,
  signal,
  longestWait = LONGEST_PAUSE,
}: Options): Ask {
  const origin = base.replace(/\/+$/, '')
  if (!/^https?:\/\//i.test(origin)) throw new SourceError('The address must begin with https://')

  return async (path) => {
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt === ATTEMPTS
      let wait = PAUSE
      signal?.throwIfAborted()
      try {
        const limits = { redirects: 0, maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS }
        const options = { account, ...limits, headers, signal }
        const { status, body, retryAfter } = await outbound.fetch(`${origin}${path}`, options)
        if (status === 200) return parse(body.toString('utf8'))
        if (status === 401 || status === 403) throw new SourceError('The source refuses the key.')
        if (status !== 429 && status < 500) {
          throw new SourceError(`The source answers with status ${status}.`)
        }
        wait = secondsOf(retryAfter) ?? PAUSE * attempt
        if (last || wait > LONGEST_PAUSE) {
          throw new SourceError(
            `The source answers with status ${status}; run the import again later, and it goes on here.`,
          )
        }
        if (wait > longestWait) throw new SourceBusyError(wait)
      } catch (error) {
        signal?.throwIfAborted()
        if (!(error instanceof OutboundError)) throw error
        const { reason } = error
        const isFinal = reason !== 'timeout' && reason !== 'unreachable'
        if (last || isFinal) throw new SourceError(`The source cannot be read: ${reason}.`)
      }
      await sleep(wait * 1000, undefined, { signal })
    }
  }
}

function secondsOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,6}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

/** Some services put control characters into texts, which JSON does not allow. */
function parse(text: string): Fields {
  for (const candidate of [text, text.replaceAll(/\p{Cc}/gu, ' ')]) {
    try {
      const value: unknown = JSON.parse(candidate)
      if (isObject(value)) return value
    } catch {}
  }
  throw new SourceError('The source answers with something that is not a JSON object.')
}

import { Client, type Dispatcher, errors } from 'undici'
import { AppError } from '../errors.ts'
import { createCheckedConnector, type Lookup } from './checked-connector.ts'
import { OutboundError } from './outbound-error.ts'

type ExchangeOptions = {
  isPermitted: (address: string) => boolean
  lookup: Lookup
  /** The timeout for connecting. `signal` limits the entire exchange. */
  timeoutMs: number
  /** The maximum size of the body in bytes. */
  maxBytes: number
  signal: AbortSignal
  /** Additional headers. */
  headers: Readonly<Record<string, string>>
  /** The body of a POST request. */
  post?: string
  /** Whether to read the response's body. By default, only for a GET request that is no probe. */
  readsBody?: boolean
  /** Sends a request with this method and reads only the head of the response. */
  probe?: 'HEAD' | 'GET'
}

/** A server could send 1xx responses without end, which would use up a processor. */
const MAX_INFORMATIONAL = 16

/**
 * Sends one request on a new connection. Returns the response, or the target of a redirect.
 *
 * @throws OutboundError with its `reason`, and AppErrors thrown by `lookup`
 */
export async function exchange(url: URL, options: ExchangeOptions) {
  const { maxBytes, signal, headers, post, probe, ...rest } = options
  const { readsBody = post === undefined && probe === undefined, ...connection } = rest
  const client = new Client(url.origin, {
    connect: createCheckedConnector({ ...connection, signal }),
    // `signal` ends the request, so undici's own timers, which are coarse, are not needed.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  // undici checks a request's signal only after it has connected.
  const abort = () => void client.destroy(signal.reason)
  signal.addEventListener('abort', abort)
  let informational = 0
  const onInfo = () => {
    informational += 1
    if (informational > MAX_INFORMATIONAL) void client.destroy(new OutboundError('bad_response'))
  }
  try {
    signal.throwIfAborted()
    const response = await client.request({
      ...(post === undefined ? { method: probe ?? 'GET' } : { method: 'POST', body: post }),
      path: `${url.pathname}${url.search}`,
      headers: { 'user-agent': 'Brevis', accept: '*/*', 'accept-encoding': 'identity', ...headers },
      reset: true,
      onInfo,
    })
    return readsBody ? await readResponse(response, maxBytes) : { result: readHead(response) }
  } catch (error) {
    throw toOutboundError(error, signal)
  } finally {
    signal.removeEventListener('abort', abort)
    await client.destroy()
  }
}

/** Reads the head of a response and destroys the connection without reading the body. */
function readHead({ statusCode, headers, body }: Dispatcher.ResponseData) {
  body.on('error', () => {})
  return {
    status: statusCode,
    contentType: readHeader(headers, 'content-type'),
    body: Buffer.alloc(0),
    retryAfter: readHeader(headers, 'retry-after'),
    location: readHeader(headers, 'location'),
  }
}

/** The status codes of redirects that clients follow. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

async function readResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
) {
  const location = readHeader(headers, 'location')
  if (REDIRECTS.has(statusCode) && location !== '') {
    // This error is expected, because it is caused by destroying the connection.
    body.on('error', () => {})
    return { location }
  }
  const encoding = readHeader(headers, 'content-encoding').toLowerCase()
  if (encoding !== '' && encoding !== 'identity') throw new OutboundError('bad_response')

  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    // Counts the bytes, because `content-length` may be wrong.
    if (length > maxBytes) throw new OutboundError('too_large')
    chunks.push(chunk)
  }
  const contentType = readHeader(headers, 'content-type')
  const retryAfter = readHeader(headers, 'retry-after')
  return {
    result: {
      status: statusCode,
      contentType,
      body: Buffer.concat(chunks, length),
      ...(retryAfter && { retryAfter }),
    },
  }
}

function readHeader(headers: Dispatcher.ResponseData['headers'], name: string): string {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}

function toOutboundError(error: unknown, signal: AbortSignal): OutboundError | AppError {
  // An aborted request can fail in many ways, so the reason of the abort is reported.
  const failure: unknown = signal.aborted ? signal.reason : error
  if (failure instanceof OutboundError || failure instanceof AppError) return failure
  if (signal.aborted || error instanceof errors.ConnectTimeoutError) {
    return new OutboundError('timeout')
  }
  const isMalformed =
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError
  // The parser's error contains received data, which must not be logged.
  if (isMalformed) return new OutboundError('bad_response')
  return new OutboundError('unreachable', { cause: error })
}
